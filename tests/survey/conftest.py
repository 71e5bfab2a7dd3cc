"""Small repositories, with a few versions each."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

Repository = Callable[..., Path]


def git(folder: Path, *arguments: str, **variables: str) -> str:
    """What git says, as somebody whose settings have no say."""
    quiet = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull, **variables}
    who = ("-c", "user.name=n", "-c", "user.email=e@example.com", "-c", "init.defaultBranch=main")
    done = subprocess.run(
        ["git", *who, *arguments], cwd=folder, env={**os.environ, **quiet}, capture_output=True, check=True
    )
    return done.stdout.decode().strip()


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    """Makes a bare repository of a name with some versions: the files that each changes, None for those that
    go."""

    def make(name: str, *versions: Mapping[str, str | None]) -> Path:
        work = tmp_path / f"{name}-work"
        work.mkdir()
        git(work, "init", "--quiet")
        for number, files in enumerate(versions):
            for path, text in files.items():
                place = work / path
                place.parent.mkdir(parents=True, exist_ok=True)
                if text is None:
                    place.unlink()
                else:
                    place.write_text(text)
            git(work, "add", "--all")
            when = f"2020-01-0{number + 1}T00:00:00Z"
            git(work, "commit", "-qm", "next", "--allow-empty", GIT_COMMITTER_DATE=when)
        bare = tmp_path / name
        git(tmp_path, "clone", "--quiet", "--bare", str(work), str(bare))
        return bare

    return make
