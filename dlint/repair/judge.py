"""Whether a program is better for an edit: the finding is gone, and no other has come anywhere."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from dlint.finding import Finding
from dlint.in_cells import Notebooks
from dlint.project.paths import absolute
from dlint.project.releases.releases import OLDER_TORCH
from dlint.repair.lines import UNCHANGED, Lines

_Kind = tuple[Path, str]  # file, code


@dataclass(frozen=True)
class Verdict:
    """What is wrong with an edit: findings that it should have taken away and did not, and ones that came.

    ``still`` has, for each that stayed, what is found of it in the new program; None where nothing can be
    found there.
    """

    stayed: tuple[Finding, ...]
    came: tuple[Finding, ...]
    still: tuple[Finding | None, ...] = ()

    @property
    def is_good(self) -> bool:
        """Whether nothing is wrong."""
        return not self.stayed and not self.came


def verdict(
    before: Iterable[Finding],
    after: Iterable[Finding],
    wanted: Sequence[Finding],
    moved: Mapping[Path, Lines],
) -> Verdict:
    """Compare the findings of a whole program before and after an edit that was made for ``wanted``.

    ``moved`` has the lines of each file that changed. A hazard that only moved within its file counts as
    there still: a file may have no more findings of a code than it had, less those that were to go. Where
    errors go, or warnings of the same conditions, what only an old torch does may come to light: who seeds
    each item alike has random numbers that repeat, and without that still has them where torch does not seed
    NumPy itself.
    """
    old = _by_kind(before)
    now = _by_kind(after)
    room = {kind: len(found) for kind, found in old.items()}
    for each in wanted:
        room[_kind(each)] = room.get(_kind(each), 0) - 1
    stayed = []
    still = []
    for each in wanted:
        alike = now.get(_kind(each), [])
        lines = moved.get(_kind(each)[0], UNCHANGED)
        same = [other for other in alike if lines.is_same(each, other)]
        if _are_others(same, [other for other in old.get(_kind(each), []) if other not in wanted], lines):
            same = []
        if same or len(alike) > max(room[_kind(each)], 0):
            stayed.append(each)
            still.append((same or alike)[0])
    excused = {_kind(each) for each in stayed}
    came: list[Finding] = []
    for kind, found in now.items():
        more = len(found) - max(room.get(kind, 0), 0)
        if more > 0 and kind not in excused:
            lines = moved.get(kind[0], UNCHANGED)
            known = [any(lines.is_same(each, new) for each in old.get(kind, [])) for new in found]
            came += sorted(found, key=lambda new: known[found.index(new)])[:more]
    came = [each for each in came if not all(_is_less(each, other) for other in wanted)]
    return Verdict(tuple(stayed), tuple(came), tuple(still))


def _is_less(new: Finding, old: Finding) -> bool:
    """Whether what comes to light is only for an old torch, and the other was for that and any other."""
    only = new.condition or ""
    when = old.condition or ""
    return OLDER_TORCH in only and OLDER_TORCH not in when and old.level != "note" and when in only


def _are_others(found: Sequence[Finding], others: Iterable[Finding], lines: Lines) -> bool:
    """Whether what is found where a line was edited is what else was found on that line, and is to stay:
    ``random.seed(0); np.random.seed(0)``."""
    waiting = list(others)
    for new in found:
        mine = [each for each in waiting if _says_same(each, new) and lines.is_same(each, new)]
        if not mine:
            return False
        waiting.remove(mine[0])
    return True


# Where a message says that something else stands, which may have moved with the edit.
_PLACE = re.compile(r"(\.\w+):\d+")


def _says_same(old: Finding, new: Finding) -> bool:
    return _PLACE.sub(r"\1", old.message) == _PLACE.sub(r"\1", new.message)


def _by_kind(findings: Iterable[Finding]) -> dict[_Kind, list[Finding]]:
    found: dict[_Kind, list[Finding]] = {}
    for finding in findings:
        found.setdefault(_kind(finding), []).append(finding)
    return found


def _kind(finding: Finding) -> _Kind:
    return absolute(finding.path), finding.code


def what_is_wrong(found: Verdict, notebooks: Notebooks) -> str:
    """Why a change is not made; ``notebooks`` are as they would be with it."""
    if found.stayed:
        still = found.still[0] if found.still else None
        return _what_stays(found.stayed[0], still and notebooks.in_cells(still))
    other = notebooks.in_cells(found.came[0])
    return f"the remedy would bring another finding: {other.code} at {other.text}:{other.line}"


def _what_stays(wanted: Finding, still: Finding | None) -> str:
    """Why the remedy alone is not enough, and what else is to be done by hand."""
    if still is None:
        return "the file would no longer be one that dlint can check"
    words = f"the remedy does not take the finding away here: {still.text}:{still.line} would still be found"
    if still.message != wanted.message:
        return f"{words}: {still.message}"
    return f"{words}: dlint rule {wanted.code} has the other cures"
