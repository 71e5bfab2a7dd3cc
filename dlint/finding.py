"""A finding as plain data: all that reports and remedies know of the analysis."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal, NamedTuple, get_args

Applicability = Literal["safe", "unsafe"]
# What a hazard does: training stands still, it stops with an exception, the data are wrong or repeat, or it
# takes time, memory or threads.
Effect = Literal["hang", "error", "silent", "cost"]
# How bad that is for the project as it stands, the worst first.
Level = Literal["error", "warning", "note"]
LEVELS: Final[tuple[Level, ...]] = get_args(Level)


class ReachStep(NamedTuple):
    """One link of the chain from a worker entry to the hazard.

    ``name`` is what a reader calls the place (``VOCDataset.__getitem__``, ``cv2.imread``);
    ``path`` (relative, posix) and ``line`` (from 1) say where it stands; in a notebook ``line`` is one of
    ``cell`` (from 1, of all cells).
    """

    name: str
    path: str
    line: int
    cell: int | None = None


class Edit(NamedTuple):
    """Lines of a file that give way to others: from ``line`` (from 1) up to, not with, ``end_line``; of a
    notebook, lines of ``cell`` (from 1, of all cells)."""

    path: str
    line: int
    end_line: int
    content: str
    cell: int | None = None


class Remedy(NamedTuple):
    """The repair that a rule proposes for one finding.

    ``name`` is the module of :mod:`dlint.remedies` that performs it, ``data`` what that module needs to
    know besides the finding's position (plain JSON values only, so that findings cross processes).
    ``edits`` is what it would change, where that has been tried.
    """

    name: str
    applicability: Applicability
    summary: str
    data: Mapping[str, Any] = {}
    edits: tuple[Edit, ...] = ()


class Span(NamedTuple):
    """Part of a place: lines and columns from 1, columns in characters, ``end_column`` exclusive."""

    line: int
    column: int
    end_line: int
    end_column: int


class Finding(NamedTuple):
    """One hazard at one place.

    Lines and columns count from 1, columns in characters; ``end_column`` is exclusive. ``message`` is all
    that is said in one line: what happens, the condition, the cure. ``by_hand`` says why there is no remedy
    and what to do instead, when there is none. ``condition`` is what the project leaves open and must be so
    for the effect to come: "torch is older than 1.9"; None where it happens as the project stands.
    ``marked`` is what of the place it is about (arguments of a call), where that is less than the whole.
    ``scope`` names the classes and functions around it (``Photos.__getitem__``), empty in a module's body.
    ``cell`` is the cell of a notebook (from 1, of all cells), in which lines count then.
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
    effect: Effect = "error"
    condition: str | None = None
    scope: str = ""
    marked: tuple[Span, ...] = ()
    cell: int | None = None

    @property
    def level(self) -> Level:
        """``error``: happens as the project stands; ``warning``: under a condition that the project leaves
        open; ``note``: costs time, memory or threads, and nothing else."""
        if self.effect == "cost":
            return "note"
        return "error" if self.condition is None else "warning"

    @property
    def text(self) -> str:
        """What its lines are lines of: the path, or that with the cell."""
        return self.path if self.cell is None else f"{self.path}:cell {self.cell}"

    @property
    def sort_key(self) -> tuple[str, int, int, int, str]:
        """Findings are listed by file, then place, then code."""
        return (self.path, self.cell or 0, self.line, self.column, self.code)


class Trouble(NamedTuple):
    """Why a path could not be checked: one clear line for the user, never a traceback."""

    path: str
    message: str
    line: int | None = None
    cell: int | None = None


class Report(NamedTuple):
    """The result of one run: findings and troubles in the order of the listing, and how many files were
    checked. ``faults``: whether some rule failed, so that another run may do better."""

    findings: tuple[Finding, ...]
    troubles: tuple[Trouble, ...]
    checked: int
    faults: bool = False
