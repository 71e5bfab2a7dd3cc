"""``--force-exclude``: what is excluded is left out even where it is named, and the closing line says so."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from doors import HAZARD, dlint, flake8, write

NOTHING = "No files were checked: what was named is excluded.\n"
EXCLUDE = '[tool.dlint]\nexclude = ["third_party/", "*_pb2.py"]\n'


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return write(
        tmp_path,
        {
            ".git/HEAD": "",
            ".gitignore": "local/\n",
            "pyproject.toml": EXCLUDE,
            "a.py": HAZARD,
            "third_party/deep/b.py": HAZARD,
            "third_party/c.py": HAZARD,
            "pkg/d_pb2.py": HAZARD,
            "pkg/third_party_not.py": HAZARD,
            "node_modules/e.py": HAZARD,
            "env/pyvenv.cfg": "",
            "env/f.py": HAZARD,
            "local/g.py": HAZARD,
        },
    )


def _found(project: Path, *arguments: str) -> set[str]:
    result = dlint(project, "check", "--output-format", "json", *arguments)
    assert result.stderr == ""
    return {each["path"] for each in json.loads(result.stdout)}


@pytest.mark.parametrize(
    ("path", "taken"),
    [
        ("a.py", True),
        ("third_party/deep/b.py", False),
        ("third_party/c.py", False),
        ("third_party/deep", False),
        ("third_party", False),
        ("pkg/d_pb2.py", False),
        ("pkg/third_party_not.py", True),
        ("node_modules/e.py", False),
        ("env/f.py", False),
        ("local/g.py", True),  # git ignores it, the user does not: as in ruff
        (".", True),
    ],
)
def test_what_is_left_out(project: Path, path: str, taken: bool) -> None:
    assert _found(project, path)  # who names it means it
    assert bool(_found(project, "--force-exclude", path)) is taken
    assert bool(_found(project / "pkg", "--force-exclude", str(project / path))) is taken


def test_one_named_file_of_several(project: Path) -> None:
    assert _found(project, "--force-exclude", "a.py", "third_party/c.py") == {"a.py"}
    result = dlint(project, "check", "--force-exclude", "a.py", "third_party/c.py")
    assert "1 finding (1 error) in 1 file." in result.stdout


def test_nothing_is_left_to_check(project: Path) -> None:
    for command in ("check", "fix", "fix --check", "fix --diff"):
        result = dlint(project, *command.split(), "--force-exclude", "third_party/c.py")
        assert result.returncode == 0
        assert result.stdout + result.stderr == NOTHING
    assert (project / "third_party/c.py").read_text() == HAZARD
    result = dlint(project, "check", "--force-exclude", "third_party/c.py", "nope.py")
    assert (result.returncode, result.stdout) == (2, "No files were checked; 1 path could not be checked.\n")


def test_the_option_of_exclude_counts_too(project: Path) -> None:
    assert _found(project, "--force-exclude", "--exclude", "a.py", "a.py") == set()


def test_standard_input_has_a_name(project: Path) -> None:
    named = ("check", "-", "--stdin-filename", "third_party/c.py")
    assert dlint(project, *named, stdin=HAZARD.encode()).returncode == 1
    result = dlint(project, *named, "--force-exclude", stdin=HAZARD.encode())
    assert (result.returncode, result.stdout) == (0, NOTHING)


def test_the_projects_choice_and_the_users(project: Path) -> None:
    (project / "pyproject.toml").write_text(f"{EXCLUDE}force-exclude = true\n")
    assert _found(project, "third_party/c.py") == set()
    assert _found(project, "--no-force-exclude", "third_party/c.py") == {"third_party/c.py"}
    assert flake8(project, "--select", "DL", "third_party/c.py").stdout == ""
    (project / "pyproject.toml").write_text('[tool.dlint]\nforce-exclude = "yes"\n')
    result = dlint(project, "check")
    message = "dlint: pyproject.toml: [tool.dlint] force-exclude: must be true or false, not 'yes'\n"
    assert (result.returncode, result.stderr) == (2, message)


def test_fix_leaves_alone_what_is_excluded(project: Path) -> None:
    result = dlint(project, "fix", "--force-exclude", "a.py", "third_party/c.py")
    assert result.returncode == 0
    assert "Repaired 1 finding in 1 file, 0 left." in result.stdout
    assert (project / "third_party/c.py").read_text() == HAZARD
    assert (project / "a.py").read_text() != HAZARD
