"""``dlint completion``: what shells are told."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from doors import REPOSITORY, dlint

from dlint.rules import all_codes

_BASH = shutil.which("bash")
# The command as it is installed: click goes by the name that it was called by.
_COMMAND = "import sys; sys.argv[0] = 'dlint'; from dlint.cli import main; main()"

LINES = [
    ("dlint com", ["completion"]),
    ("dlint completion ", ["bash", "zsh", "fish"]),
    ("dlint check --output-format s", ["sarif"]),
    ("dlint check --select DL30", [code for code in all_codes() if code.startswith("DL30")]),
    ("dlint check --ignore DL101,dl20", [f"DL101,{code}" for code in all_codes() if code.startswith("DL20")]),
    ("dlint rule DL50", [code for code in all_codes() if code.startswith("DL50")]),
    ("dlint check --level e", ["error"]),
    ("dlint check --no-c", ["--no-cache"]),
]


def _installed(folder: Path) -> dict[str, str]:
    """An environment in which ``dlint`` is this working tree's."""
    command = folder / "bin" / "dlint"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -c "{_COMMAND}" "$@"\n')
    command.chmod(0o755)
    path = f"{command.parent}{os.pathsep}{os.environ['PATH']}"
    return {**os.environ, "PATH": path, "PYTHONPATH": str(REPOSITORY)}


@pytest.mark.skipif(_BASH is None, reason="needs bash")
@pytest.mark.parametrize(("line", "offered"), LINES)
def test_bash(tmp_path: Path, line: str, offered: list[str]) -> None:
    words = " ".join(map(shlex.quote, line.split(" ")))
    script = (
        f'eval "$(dlint completion bash)"\nCOMP_WORDS=({words})\nCOMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))\n'
        'complete -p dlint >&2\n_dlint_completion dlint\nprintf "%s\\n" "${COMPREPLY[@]}"\n'
    )
    result = subprocess.run(
        [str(_BASH), "--norc", "-c", script], cwd=tmp_path, env=_installed(tmp_path), capture_output=True, text=True
    )  # fmt: skip
    assert "_dlint_completion dlint" in result.stderr
    assert result.stdout.split() == offered


@pytest.mark.parametrize("shell", ["zsh", "fish"])
@pytest.mark.parametrize(("line", "offered"), LINES)
def test_what_the_other_shells_ask_for(tmp_path: Path, shell: str, line: str, offered: list[str]) -> None:
    words = line.split(" ")
    asked = {
        "zsh": {"COMP_WORDS": line, "COMP_CWORD": str(len(words) - 1)},
        "fish": {"COMP_WORDS": line, "COMP_CWORD": words[-1]},
    }
    result = subprocess.run(
        ["dlint"], cwd=tmp_path, capture_output=True, text=True,
        env={**_installed(tmp_path), **asked[shell], "_DLINT_COMPLETE": f"{shell}_complete"},
    )  # fmt: skip
    lines = result.stdout.splitlines()
    given = lines[1::3] if shell == "zsh" else [line.removeprefix("plain,").split("\t")[0] for line in lines]
    assert given == offered


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_calls_dlint(tmp_path: Path, shell: str) -> None:
    result = dlint(tmp_path, "completion", shell)
    assert (result.returncode, result.stderr) == (0, "")
    assert f"_DLINT_COMPLETE={shell}_complete" in result.stdout
    if program := shutil.which(shell):
        checked = subprocess.run([program, "-n"], input=result.stdout, capture_output=True, text=True)
        assert (checked.returncode, checked.stderr) == (0, "")


def test_another_shell(tmp_path: Path) -> None:
    result = dlint(tmp_path, "completion", "csh")
    assert result.returncode == 2 and "'bash', 'zsh', 'fish'" in result.stderr
