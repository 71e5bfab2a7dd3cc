"""A fault of dlint's own: one line that asks for a report, exit code 2, at every door."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from doors import HAZARD, flake8_configuration, run, write

# The door given by name, with an engine, rules and proofs that fail in the way given.
PROGRAM = """\
import sys
door, how = sys.argv[1:3]

def fail(*_arguments, **_options):
    if how == "RecursionError":
        fail()
    if how == "MemoryError":
        [0] * (1 << 62)
    raise RuntimeError("what\\x1b\\nwent wrong")

import dlint.engine
import dlint.project.files
import dlint.repair
import dlint.rules
dlint.project.files.expand = fail
if door == "flake8":
    from flake8.main.cli import main
elif door == "libcst":
    from libcst.tool import main
else:
    import dlint.cli.commands.prove, dlint.cli.commands.rule, dlint.cli.commands.rules
    dlint.cli.commands.prove._chosen = dlint.cli.commands.rule.all_rules = dlint.cli.commands.rules.all_rules = fail
    from dlint.cli import main
    sys.argv = ["dlint", *sys.argv[3:]]
    main()
sys.argv = [door, *sys.argv[3:]]
if door == "libcst":
    sys.exit(main("libcst", sys.argv[1:]))
sys.exit(main(sys.argv[1:]))
"""
COMMANDS = ("check", "fix --diff", "rule DL101", "rules", "prove DL101")


def _run(
    folder: Path, monkeypatch: pytest.MonkeyPatch, *arguments: str, traceback: bool = False
) -> subprocess.CompletedProcess[str]:
    write(folder, {"a.py": HAZARD})
    if traceback:
        monkeypatch.setenv("DLINT_TRACEBACK", "1")
    else:
        monkeypatch.delenv("DLINT_TRACEBACK", raising=False)
    return run(folder, *arguments, start=(sys.executable, "-c", PROGRAM))


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("how", ["RuntimeError", "RecursionError", "MemoryError"])
def test_one_line_and_exit_with_two(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str, how: str
) -> None:
    result = _run(tmp_path, monkeypatch, "dlint", how, *command.split())
    assert result.returncode == 2
    assert result.stdout == ""
    assert result.stderr.startswith(f"dlint: a fault of dlint's own: {how}")
    assert "; please report it at https://" in result.stderr
    assert result.stderr.count("\n") == 1
    assert "\x1b" not in result.stderr


def test_the_traceback_is_to_be_had(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    result = _run(tmp_path, monkeypatch, "dlint", "RuntimeError", "check", traceback=True)
    assert result.returncode == 2
    assert result.stderr.startswith("Traceback (most recent call last):\n")
    assert result.stderr.splitlines()[-1].startswith(
        "dlint: a fault of dlint's own: RuntimeError: what\\x1b in dlint/"
    )


@pytest.mark.parametrize("jobs", ["1", "2"])
@pytest.mark.parametrize("how", ["RuntimeError", "RecursionError", "MemoryError"])
def test_flake8(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str, jobs: str) -> None:
    write(tmp_path, {"b.py": HAZARD, ".flake8": flake8_configuration()})
    result = _run(
        tmp_path, monkeypatch, "flake8", how, "--config", ".flake8", "--select", "DL", "-j", jobs, "."
    )
    assert result.returncode == 1
    assert "Traceback" not in result.stdout + result.stderr
    (line,) = (each for each in result.stdout.splitlines() if "a fault of dlint's own" in each)
    assert f"dlint: a fault of dlint's own: {how}" in line
    assert "please report it" in line


def test_libcst(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    arguments = ("codemod", "-x", "dlint.codemod.FixCommand", "--no-format", "-j", "1", ".")
    result = _run(tmp_path, monkeypatch, "libcst", "RuntimeError", *arguments)
    assert "Traceback" not in result.stderr
    assert "a.py: dlint: a fault of dlint's own: RuntimeError: what\\x1b in dlint/" in result.stderr


def test_the_line_names_the_place() -> None:
    from dlint.own_process import fault
    from dlint.settings.settings import enabled

    try:
        enabled(None, None)  # type: ignore[arg-type]
    except TypeError as error:
        assert f"in dlint{os.sep if os.name == 'nt' else '/'}settings/settings.py:" in fault.described(error)
    else:
        pytest.fail("that should not have worked")
