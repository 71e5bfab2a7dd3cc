"""The flake8 plugin: what ``dlint check`` finds, with flake8's own ways of choosing and silencing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from doors import CLEAN, HAZARD, dlint, flake8, run, write

from dlint.rules import all_rules

FOUND = "./a.py:5:12: DL301 "

# On some ways to the call only: a warning.
SOMETIMES = """\
from torch.utils.data import DataLoader

loader = DataLoader([1], shuffle=True, sampler=[1] if distributed else None)
"""


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_findings_are_those_of_check(tmp_path: Path, jobs: str) -> None:
    write(tmp_path, {"a.py": HAZARD, "pkg/b.py": HAZARD, "c.py": CLEAN, "pkg/d.py": CLEAN})
    result = flake8(tmp_path, "-j", jobs, "--select", "DL")
    checked = json.loads(dlint(tmp_path, "check", "--output-format", "json").stdout)
    assert [line.split(" ")[0:2] for line in result.stdout.splitlines()] == [
        [f"./{each['path']}:{each['line']}:{each['column']}:", each["code"]] for each in checked
    ]
    assert len(checked) == 2
    assert result.returncode == 1
    assert result.stderr == ""


def test_works_beside_flake8s_own_checks(tmp_path: Path) -> None:
    result = flake8(write(tmp_path, {"a.py": HAZARD + "import os\n"}), "a.py")
    assert "a.py:5:12: DL301 " in result.stdout
    assert "F401" in result.stdout


def test_flake8_chooses_and_silences(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": HAZARD})
    assert "DL301" not in flake8(tmp_path, "--ignore", "DL301").stdout
    assert "DL301" not in flake8(tmp_path, "--select", "DL1").stdout
    assert "DL301" in flake8(tmp_path, "--select", "DL3").stdout
    write(tmp_path, {"a.py": HAZARD.replace("True)", "True)  # noqa: DL301")})
    assert "DL301" not in flake8(tmp_path).stdout
    assert "DL301" in flake8(tmp_path, "--disable-noqa").stdout


@pytest.mark.skipif("DL305" not in all_rules(), reason="no rule is off by default yet")
def test_off_by_default_rules_run_when_named(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": "from torch.utils.data import DataLoader\n\nDataLoader([1, 2])\n"})
    assert "DL305" not in flake8(tmp_path).stdout
    assert "DL305" not in flake8(tmp_path, "--select", "DL").stdout
    assert "DL305" in flake8(tmp_path, "--select", "DL305").stdout
    assert "DL305" in flake8(tmp_path, config="extend-select = DL305").stdout


@pytest.mark.parametrize("name", ["new.py", "pkg/new.py"])
def test_standard_input(tmp_path: Path, name: str) -> None:
    result = flake8(tmp_path, "--select", "DL", "--stdin-display-name", name, "-", stdin=HAZARD.encode())
    assert result.stdout.startswith(f"{name}:5:12: DL301 ")
    assert result.stdout.count("\n") == 1


def test_standard_input_stands_for_the_file_of_that_name(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": HAZARD})
    clean = flake8(tmp_path, "--select", "DL", "--stdin-display-name", "a.py", "-", stdin=CLEAN.encode())
    assert (clean.returncode, clean.stdout) == (0, "")


def test_standard_input_in_another_encoding(tmp_path: Path) -> None:
    text = "# coding: latin-1\n# é\n" + HAZARD
    result = flake8(tmp_path, "--select", "DL", "-", stdin=text.encode("latin-1"))
    assert result.stdout.startswith("stdin:7:12: DL301 ")


def test_the_projects_choices_count(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": HAZARD, "pyproject.toml": '[tool.dlint]\nignore = ["DL301"]\n'})
    assert flake8(tmp_path, "--select", "DL").stdout == ""
    write(tmp_path, {"pyproject.toml": '[tool.dlint]\nexclude = ["a.py"]\n'})
    assert flake8(tmp_path, "--select", "DL").stdout == ""


@pytest.mark.parametrize(
    ("arguments", "config", "pyproject", "message"),
    [
        (["--dlint-start-method", "thread"], "", "", "dlint: --dlint-start-method: must be one of"),
        (["--dlint-level", "errors"], "", "", "dlint: --dlint-level: must be one of error, warning, note"),
        ([], "dlint-target-torch = old", "", "dlint: --dlint-target-torch: must be a torch release"),
        ([], "", "[tool.dlint]\nselct = []", "dlint: pyproject.toml: [tool.dlint] has no key 'selct'"),
        (
            [],
            "",
            '[tool.dlint]\nselect = ["DL399"]',
            "dlint: pyproject.toml: [tool.dlint] select: no rule is called 'DL399'",
        ),
    ],
)
def test_a_wrong_choice_ends_flake8_with_its_message(
    tmp_path: Path, arguments: list[str], config: str, pyproject: str, message: str
) -> None:
    write(tmp_path, {"a.py": HAZARD, "b.py": HAZARD, "pyproject.toml": pyproject})
    result = flake8(tmp_path, *arguments, config=config)
    assert result.returncode == 1
    assert message in result.stdout + result.stderr
    assert "Traceback" not in result.stderr


def test_options_in_the_configuration_file(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": HAZARD})
    result = flake8(tmp_path, config="dlint-target-torch = 1.8\ndlint-start-method = spawn")
    assert FOUND in result.stdout


@pytest.mark.parametrize(("level", "shown"), [("note", True), ("warning", True), ("error", False)])
def test_the_level(tmp_path: Path, level: str, shown: bool) -> None:
    write(tmp_path, {"a.py": SOMETIMES})
    assert ("DL301" in flake8(tmp_path, config=f"dlint-level = {level}").stdout) is shown


@pytest.mark.parametrize("start_method", ["fork", "spawn"])
def test_several_processes_however_they_start(tmp_path: Path, start_method: str) -> None:
    write(tmp_path, {f"m{number}.py": HAZARD for number in range(6)})
    write(
        tmp_path,
        {
            "program/main.py": "import multiprocessing, sys\n"
            "from flake8.main.cli import main\n"
            "if __name__ == '__main__':\n"
            f"    multiprocessing.set_start_method({start_method!r})\n"
            "    sys.exit(main(sys.argv[1:]))\n"
        },
    )
    flake8(tmp_path, "--version")  # writes the configuration
    result = run(tmp_path, "program.main", "--config", ".flake8", "-j", "2", "--select", "DL")
    assert result.stdout.count("DL301") == 6
    assert result.stderr == ""
