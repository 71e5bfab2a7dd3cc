"""What proofs need and this environment lacks, made once by commands of their own and kept for the user."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO


class BuildError(Exception):
    """Something could not be made; the message says what is missing or where the log lies."""


def cache_folder() -> Path:
    """The user's cache folder for dlint (XDG)."""
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "dlint"


def run(command: Sequence[str], folder: Path, out: BinaryIO, log: Path) -> None:
    """Run a step whose output goes to ``out``, the open log. Raises BuildError."""
    # It yields to whatever else the machine does.
    done = subprocess.run(
        ["nice", "-n", "15", *command], cwd=folder, stdout=out, stderr=subprocess.STDOUT, check=False
    )
    if done.returncode:
        raise BuildError(f"{command[0]} failed with exit code {done.returncode}; see {log}")
