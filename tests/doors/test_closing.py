"""The closing line: never better than what was done."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from doors import CLEAN, HAZARD, dlint, write


@pytest.mark.parametrize(
    ("paths", "code", "closing"),
    [
        (["clean.py"], 0, "No findings in 1 file."),
        (["clean.py", "nope.py"], 2, "No findings in 1 file; 1 path could not be checked."),
        (["clean.py", "bad.py"], 2, "No findings in 1 file; 1 path could not be checked."),
        (["bad.py"], 2, "No files were checked; 1 path could not be checked."),
        (["bad.py", "nope.py"], 2, "No files were checked; 2 paths could not be checked."),
        (["empty"], 0, "No files were checked: there is no Python file that is not ignored or excluded."),
        (
            ["."],
            2,
            "1 finding (1 error) in 2 files; 1 path could not be checked. Repairable: 1 with `dlint fix`.",
        ),
    ],
)
def test_of_check(tmp_path: Path, paths: list[str], code: int, closing: str) -> None:
    write(tmp_path, {"clean.py": CLEAN, "bad.py": "def (", "found.py": HAZARD, "empty/notes.txt": ""})
    result = dlint(tmp_path, "check", *paths)
    assert (result.returncode, result.stdout.splitlines()[-1]) == (code, closing)


@pytest.mark.parametrize(
    ("paths", "code", "closing"),
    [
        (["clean.py"], 0, "Nothing to repair."),
        (["clean.py", "nope.py"], 2, "Nothing to repair; 1 path could not be checked."),
        (["bad.py"], 2, "No files were checked; 1 path could not be checked."),
        (["empty"], 0, "No files were checked: there is no Python file that is not ignored or excluded."),
        (["."], 2, "Repaired 1 finding in 1 file, 0 left; 1 path could not be checked."),
    ],
)
def test_of_fix(tmp_path: Path, paths: list[str], code: int, closing: str) -> None:
    write(tmp_path, {"clean.py": CLEAN, "bad.py": "def (", "found.py": HAZARD, "empty/notes.txt": ""})
    result = dlint(tmp_path, "fix", *paths)
    assert (result.returncode, result.stdout.splitlines()[-1]) == (code, closing)


def test_who_wants_check_to_show_a_diff_is_told_of_fix(tmp_path: Path) -> None:
    result = dlint(write(tmp_path, {"a.py": HAZARD}), "check", "--diff")
    assert result.returncode == 2
    assert result.stderr == "dlint: --diff: dlint check shows no changes; use `dlint fix --diff`\n"
    shown = dlint(tmp_path, "check", "--help").stdout.replace("dlint fix", "")
    assert not re.search(r"--diff(?![\w-])", shown)


def test_of_a_baseline_and_of_markdown(tmp_path: Path) -> None:
    write(tmp_path, {"bad.py": "def (", "pyproject.toml": ""})
    result = dlint(tmp_path, "baseline")
    assert (result.returncode, result.stdout.splitlines()[0]) == (
        2,
        "0 known findings in dlint-baseline.json: 0 new, 0 gone; 1 path could not be checked.",
    )
    result = dlint(tmp_path, "check", "--output-format", "markdown")
    assert result.stdout.startswith("**dlint**: no files were checked; 1 path could not be checked.\n")
