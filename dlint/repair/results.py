"""What a run of repairs gives."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from dlint.finding import Finding, Trouble


@dataclass(frozen=True)
class Left:
    """A finding that stays, and why: no remedy, an unsafe one, or a remedy that does not fit the code;
    ``first`` is the finding as it was before any repair."""

    finding: Finding
    reason: str
    first: Finding


@dataclass(frozen=True)
class Repaired:
    """One file's old and new bytes."""

    path: Path
    old: bytes
    new: bytes


@dataclass(frozen=True)
class Step:
    """One repair: the finding it was made for as it was first seen, the others that are gone with it, and
    the files it changed. Where a file needs another's change, that one stands before it. ``did`` is what was
    left to do when its turn came: repairs before it may have done some of what was said at first."""

    finding: Finding
    also: tuple[Finding, ...]
    files: tuple[Path, ...]
    did: str = ""

    @property
    def findings(self) -> tuple[Finding, ...]:
        """All that are gone."""
        return (self.finding, *self.also)


@dataclass(frozen=True)
class Repairs:
    """What a run would change and what it leaves; nothing is written yet.

    ``files`` are in an order in which no file comes before one whose change it needs.
    """

    files: tuple[Repaired, ...]
    steps: tuple[Step, ...]
    left: tuple[Left, ...]
    troubles: tuple[Trouble, ...]
    checked: int


class Enough(Exception):
    """Raised by an :data:`Approve` that wants to hear of no more repairs."""


# Asked before each repair, with the files' bytes before and after it; a repair that it declines is left.
Approve = Callable[[Step, Mapping[Path, tuple[bytes, bytes]]], bool]
