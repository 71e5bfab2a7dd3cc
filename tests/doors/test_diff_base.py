"""Only what a change has touched is shown, by git, of which only objects are read."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from doors import HAZARD, dlint, write

from dlint.finding import Finding, ReachStep
from dlint.new_findings.revision import Revision

_DRAWS = """\
import numpy as np


def noise():
    return np.random.rand()
"""
_LOADER = """\
from torch.utils.data import DataLoader, Dataset
from helpers import noise


class Rows(Dataset):
    def __getitem__(self, index):
        return noise()


loader = DataLoader(Rows(), num_workers=2)
"""


def _git(folder: Path, *arguments: str) -> None:
    identity = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, capture_output=True)


def _commit(folder: Path, files: dict[str, str | bytes]) -> Path:
    write(folder, files)
    if not (folder / ".git").exists():
        _git(folder, "init", "-q", "-b", "main")
    _git(folder, "add", "-A")
    _git(folder, "commit", "-q", "-m", "a state")
    return folder


def _shown(folder: Path, *arguments: str) -> list[str]:
    result = dlint(folder, "check", "--output-format", "concise", *arguments)
    assert result.stderr == ""
    return [line.partition(" ")[0].rstrip(":") for line in result.stdout.splitlines()]


def test_what_is_committed_is_old(tmp_path: Path) -> None:
    _commit(tmp_path, {"a.py": HAZARD})
    assert _shown(tmp_path, "--diff-base", "HEAD") == []
    told = dlint(tmp_path, "check", "--diff-base", "HEAD").stdout
    assert told == "No findings in 1 file.\n1 finding not shown: not touched since HEAD.\n"
    write(tmp_path, {"a.py": "\n" + HAZARD, "b.py": HAZARD})
    assert _shown(tmp_path, "--diff-base", "HEAD") == ["b.py:5:12"]
    write(tmp_path, {"a.py": HAZARD.replace("shuffle=True", "num_workers=1, shuffle=True")})
    assert _shown(tmp_path, "--diff-base", "HEAD", "a.py") == ["a.py:5:12"]


def test_a_branch_is_compared_with_where_it_left(tmp_path: Path) -> None:
    _commit(tmp_path, {"a.py": HAZARD})
    _git(tmp_path, "checkout", "-q", "-b", "mine")
    _commit(tmp_path, {"b.py": HAZARD})
    _git(tmp_path, "checkout", "-q", "main")
    _commit(tmp_path, {"a.py": "", "b.py": HAZARD})
    _git(tmp_path, "checkout", "-q", "mine")
    assert _shown(tmp_path, "--diff-base", "main") == ["b.py:5:12"]


def test_a_renamed_file_is_old(tmp_path: Path) -> None:
    _commit(tmp_path, {"a.py": HAZARD})
    _git(tmp_path, "mv", "a.py", "other.py")
    _commit(tmp_path, {})
    assert _shown(tmp_path, "--diff-base", "HEAD~1") == []


def test_line_ends_are_no_change(tmp_path: Path) -> None:
    _commit(tmp_path, {"a.py": HAZARD})
    write(tmp_path, {"a.py": HAZARD.replace("\n", "\r\n")})
    assert _shown(tmp_path, "--diff-base", "HEAD") == []


def test_the_reach_counts(tmp_path: Path) -> None:
    _commit(tmp_path, {"train.py": _LOADER, "helpers.py": _DRAWS.replace("np.random.rand()", "0")})
    options = ["--target-torch", "1.8", "--select", "DL202", "--diff-base", "HEAD"]
    assert _shown(tmp_path, *options) == []
    write(tmp_path, {"helpers.py": _DRAWS})
    assert _shown(tmp_path, *options) == ["train.py:10:10"]


def test_a_line_that_is_gone_from_within(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _commit(tmp_path, {"a.py": "f(\n    1,\n    2,\n)\ng()\n"})
    monkeypatch.chdir(tmp_path)
    revision = Revision("HEAD", lambda _: ["f(", "    2,", ")", "g()", ""])
    inside = Finding("DL301", "name", "message", "a.py", 1, 1, 3, 2)
    behind = inside._replace(line=4, end_line=4)
    assert revision.touched([inside, behind]) == (inside,)
    step = behind._replace(reach=(ReachStep("f", "new.py", 1),))
    assert revision.touched([step]) == (step,)


@pytest.mark.parametrize("base", ["nothing", "-x", "HEAD:a.py", "--output=x"])
def test_a_commit_that_is_none(tmp_path: Path, base: str) -> None:
    _commit(tmp_path, {"a.py": HAZARD})
    result = dlint(tmp_path, "check", f"--diff-base={base}")
    assert result.returncode == 2
    assert result.stderr.startswith("dlint: --diff-base: ")
    assert "Traceback" not in result.stderr
    assert sorted(path.name for path in tmp_path.iterdir() if path.name[0] != ".") == ["a.py"]


def test_no_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, {"a.py": HAZARD})
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    result = dlint(tmp_path, "check", "--diff-base", "HEAD")
    assert result.returncode == 2 and "not a git repository" in result.stderr


def test_nothing_that_the_repository_configures_runs(tmp_path: Path) -> None:
    marker = tmp_path / "marker"
    run = f"touch {marker}; cat"
    _commit(tmp_path, {"a.py": HAZARD, ".gitattributes": "*.py filter=mine diff=mine\n"})
    for key in (
        "filter.mine.clean", "filter.mine.smudge", "filter.mine.process", "diff.mine.textconv", "diff.mine.command",
        "diff.external", "core.fsmonitor", "core.pager", "core.sshCommand", "core.editor",
    ):  # fmt: skip
        _git(tmp_path, "config", key, run)
    hooks = tmp_path / "hooks"
    for name in ("post-index-change", "pre-commit", "reference-transaction"):
        write(hooks, {name: f"#!/bin/sh\ntouch {marker}\n"})
        os.chmod(hooks / name, 0o755)  # noqa: PTH101
    _git(tmp_path, "config", "core.hooksPath", str(hooks))
    write(tmp_path, {"a.py": "\n" + HAZARD})
    assert _shown(tmp_path, "--diff-base", "HEAD") == []
    assert not marker.exists()
