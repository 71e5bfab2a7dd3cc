"""Which files and rules: for some files, from another file, from none."""

from __future__ import annotations

from pathlib import Path

import pytest
from doors import CLEAN, HAZARD, dlint, flake8, write


def _shown(folder: Path, *arguments: str) -> list[str]:
    result = dlint(folder, "check", "--output-format", "concise", *arguments)
    assert result.stderr == ""
    return [line.partition(":")[0] for line in result.stdout.splitlines()]


_FILES: dict[str, str | bytes] = {
    "a.py": HAZARD,
    "tests/b.py": HAZARD,
    "tests/deep/c.py": HAZARD,
    "d.py": HAZARD,
}


@pytest.mark.parametrize(
    ("table", "left"),
    [
        ('"tests/" = ["DL301"]', ["a.py", "d.py"]),
        ('"tests/**" = ["DL3"]', ["a.py", "d.py"]),
        ('"tests/" = ["DL4"]', ["a.py", "d.py", "tests/b.py", "tests/deep/c.py"]),
        ('"/a.py" = ["dl301"]\n"c.py" = ["DL"]', ["d.py", "tests/b.py"]),
    ],
)
def test_rules_are_ignored_in_some_files(tmp_path: Path, table: str, left: list[str]) -> None:
    write(tmp_path, {"pyproject.toml": f"[tool.dlint.per-file-ignores]\n{table}\n", **_FILES})
    assert _shown(tmp_path) == left
    assert _shown(tmp_path / "tests", ".") == [
        each.removeprefix("tests/") for each in left if each.startswith("tests/")
    ]
    found = flake8(tmp_path, "--select", "DL", ".").stdout.splitlines()
    assert sorted(line.partition(":")[0].removeprefix("./") for line in found) == left


def test_the_option_replaces_the_table(tmp_path: Path) -> None:
    write(tmp_path, {"pyproject.toml": '[tool.dlint.per-file-ignores]\n"tests/" = ["DL3"]\n', **_FILES})
    options = ["--per-file-ignores", "a.py:DL1,DL301", "--per-file-ignores", "d.py:DL3"]
    assert _shown(tmp_path, *options) == ["tests/b.py", "tests/deep/c.py"]


def test_fix_leaves_what_is_ignored(tmp_path: Path) -> None:
    write(tmp_path, {"pyproject.toml": '[tool.dlint.per-file-ignores]\n"a.py" = ["DL3"]\n', **_FILES})
    dlint(tmp_path, "fix", "--unsafe-fixes")
    assert (tmp_path / "a.py").read_text() == HAZARD
    assert (tmp_path / "d.py").read_text() != HAZARD


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('per-file-ignores = ["a:DL3"]', "must be a table of patterns with lists of codes"),
        ("per-file-ignores = 3", "must be a table of patterns with lists of codes"),
        ('[tool.dlint.per-file-ignores]\n"a" = "DL3"', "'a' must have codes: a list of strings"),
        ('[tool.dlint.per-file-ignores]\n"a" = []', "'a' must have codes: a list of strings"),
        ('[tool.dlint.per-file-ignores]\n"a" = ["DL9"]', "no rule is called 'DL9'"),
        ('[tool.dlint.per-file-ignores]\n"[" = ["DL3"]', "'[' is no pattern of .gitignore"),
    ],
)
def test_a_wrong_table_is_named(tmp_path: Path, text: str, said: str) -> None:
    write(tmp_path, {"pyproject.toml": f"[tool.dlint]\n{text}\n", "a.py": HAZARD})
    result = dlint(tmp_path, "check")
    assert (result.returncode, result.stdout) == (2, "")
    assert said in result.stderr and "per-file-ignores" in result.stderr


def test_more_is_left_out_than_the_project_says(tmp_path: Path) -> None:
    write(tmp_path, {"pyproject.toml": '[tool.dlint]\nexclude = ["d.py"]\n', **_FILES})
    assert _shown(tmp_path, "--extend-exclude", "tests/") == ["a.py"]
    assert _shown(tmp_path, "--exclude", "tests/") == ["a.py", "d.py"]


def test_another_file_and_none(tmp_path: Path) -> None:
    write(tmp_path, {"pyproject.toml": '[tool.dlint]\nignore = ["DL3"]\n', **_FILES})
    write(tmp_path, {"other.toml": '[tool.dlint]\nexclude = ["tests/"]\n', "empty.toml": ""})
    assert _shown(tmp_path) == []
    assert _shown(tmp_path, "--isolated") == ["a.py", "d.py", "tests/b.py", "tests/deep/c.py"]
    assert _shown(tmp_path, "--config", "other.toml") == ["a.py", "d.py"]
    for options, said in (
        (["--config", "none.toml"], "--config: none.toml: no such file"),
        (["--config", "empty.toml"], "--config: empty.toml: has no table [tool.dlint]"),
        (["--config", "other.toml", "--isolated"], "--config and --isolated exclude each other"),
    ):
        result = dlint(tmp_path, "check", *options)
        assert (result.returncode, result.stderr) == (2, f"dlint: {said}\n")


def test_the_files_that_would_be_checked(tmp_path: Path) -> None:
    write(tmp_path, {"pyproject.toml": '[tool.dlint]\nexclude = ["d.py"]\n', "clean.py": CLEAN, **_FILES})
    result = dlint(tmp_path, "check", "--show-files")
    assert (result.returncode, result.stdout) == (0, "a.py\nclean.py\ntests/b.py\ntests/deep/c.py\n")
    assert dlint(tmp_path, "check", "--show-files", "none.py").returncode == 2
