"""Runs the rules over a program and gives findings: the one way in for every door."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from dlint.finding import Finding, Trouble
from dlint.settings import Settings


@dataclass(frozen=True)
class Report:
    """The result of one run: findings and troubles in the order of the listing."""

    findings: tuple[Finding, ...]
    troubles: tuple[Trouble, ...]
    checked: int


def check(
    paths: Sequence[Path],
    settings: Settings,
    *,
    texts: Mapping[Path, bytes] | None = None,
    jobs: int = 1,
    progress: Callable[[int, int], None] | None = None,
    suppress: bool = True,
) -> Report:
    """Check files and folders as parts of their project.

    ``texts`` replaces the contents of files (an editor's buffer, standard input). ``jobs`` is the number
    of processes. ``progress`` is called with (done, total) modules. ``suppress`` applies ``# noqa``
    comments (flake8 does that itself). Findings are for the given paths only, whatever else is read.
    """
    raise NotImplementedError
