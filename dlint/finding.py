"""A finding as plain data: all that reports and remedies know of the analysis."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

Applicability = Literal["safe", "unsafe"]


class ReachStep(NamedTuple):
    """One link of the chain from a worker entry to the hazard.

    ``name`` is what a reader calls the place (``VOCDataset.__getitem__``, ``cv2.imread``);
    ``path`` (relative, posix) and ``line`` (from 1) say where it stands.
    """

    name: str
    path: str
    line: int


class Remedy(NamedTuple):
    """The repair that a rule proposes for one finding.

    ``name`` is the module of :mod:`dlint.remedies` that performs it, ``data`` what that module needs to
    know besides the finding's position (plain JSON values only, so that findings cross processes).
    """

    name: str
    applicability: Applicability
    summary: str
    data: Mapping[str, Any] = {}


class Finding(NamedTuple):
    """One hazard at one place.

    Lines and columns count from 1, columns in characters; ``end_column`` is exclusive. ``by_hand`` says
    why there is no remedy and what to do instead, when there is none.
    """

    code: str
    name: str
    message: str
    path: str
    line: int
    column: int
    end_line: int
    end_column: int
    reach: tuple[ReachStep, ...] = ()
    remedy: Remedy | None = None
    by_hand: str | None = None

    @property
    def sort_key(self) -> tuple[str, int, int, str]:
        """Findings are listed by file, then place, then code."""
        return (self.path, self.line, self.column, self.code)


class Trouble(NamedTuple):
    """Why a path could not be checked: one clear line for the user, never a traceback."""

    path: str
    message: str
    line: int | None = None


class Report(NamedTuple):
    """The result of one run: findings and troubles in the order of the listing, and how many files were
    checked. ``faults``: whether some rule failed, so that another run may do better."""

    findings: tuple[Finding, ...]
    troubles: tuple[Trouble, ...]
    checked: int
    faults: bool = False
