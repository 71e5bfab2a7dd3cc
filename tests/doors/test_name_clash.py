"""The other distribution called dlint is noticed."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from doors import REPOSITORY, flake8, run, write

from dlint.own_process import name_clash


def test_our_own_package_is_fine() -> None:
    assert name_clash.problem() is None


@pytest.mark.parametrize("theirs", ["linters/__init__.py", "extension.py"])
def test_their_files_in_our_folder(tmp_path: Path, theirs: str) -> None:
    write(tmp_path, {"__init__.py": "", theirs: ""})
    assert "security linter" in str(name_clash.problem(tmp_path))


def test_our_package_without_its_init(tmp_path: Path) -> None:
    assert "force-reinstall" in str(name_clash.problem(tmp_path))


def test_the_command_says_so_and_exits_with_two(tmp_path: Path) -> None:
    shutil.copytree(REPOSITORY / "dlint", tmp_path / "dlint", ignore=shutil.ignore_patterns("__pycache__"))
    write(tmp_path, {"dlint/linters/__init__.py": "", "dlint/__init__.py": "__version__ = '0.17.0'\n"})
    result = run(tmp_path, "dlint", "check")
    assert result.returncode == 2
    assert result.stderr.startswith("dlint: this environment also holds the distribution 'dlint'")
    assert "Traceback" not in result.stderr


def test_flake8_says_so(tmp_path: Path) -> None:
    shutil.copytree(REPOSITORY / "dlint", tmp_path / "dlint", ignore=shutil.ignore_patterns("__pycache__"))
    write(tmp_path, {"dlint/linters/__init__.py": "", "a.py": "x = 1\n"})
    result = flake8(tmp_path, "a.py")
    assert "dlint: this environment also holds the distribution 'dlint'" in result.stdout + result.stderr
