"""git, asked about a repository's objects: nothing of it runs.

git's own work on a checkout would run what a repository's configuration names (filters, monitors, hooks,
external programs). So only objects are read.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

# Nothing is fetched, asked for or locked.
_QUIET = {
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
}
# Also what only looks at commits reads the index, and asks the monitor whether it is up to date.
_NO_PROGRAMS = ("-c", "core.fsmonitor=false", "-c", f"core.hooksPath={os.devnull}")
_SECONDS = 120  # for one question, which takes a moment where nothing is wrong


class GitError(Exception):
    """git gave no answer: one line that says why."""


def command(*arguments: str) -> list[str]:
    """The command line of a question. Raises GitError where there is no git."""
    program = shutil.which("git")
    if program is None:
        raise GitError("git is not installed")
    return [program, "--no-pager", *_NO_PROGRAMS, *arguments]


def environment(folder: Path | None = None) -> Mapping[str, str]:
    """The variables to ask with. With ``folder`` the repository is that folder's own, not one above it, and
    not the one that the variables of a hook name."""
    inherited = dict(os.environ)
    if folder is not None:
        inherited = {name: value for name, value in inherited.items() if not name.startswith("GIT_")}
        inherited["GIT_CEILING_DIRECTORIES"] = str(folder.parent)
    return {**inherited, **_QUIET}


def git(
    *arguments: str,
    folder: Path | None = None,
    variables: Mapping[str, str] | None = None,
    unknown: str = "git failed",
) -> bytes:
    """What git answers, asked in a folder. Raises GitError, with ``unknown`` where git says nothing."""
    try:
        done = subprocess.run(
            command(*arguments),
            cwd=folder,
            env=environment() if variables is None else variables,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise GitError(f"git: {error}") from error
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip().partition("\n")[0]
        raise GitError(said.removeprefix("fatal: ") or unknown)
    return done.stdout
