"""What folders below a program's root declare: parts that are installed on their own, or with the rest."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from itertools import takewhile
from pathlib import Path
from typing import NamedTuple

from dlint.finding import Trouble
from dlint.project.paths import display_path
from dlint.project.releases.bounds import Range, allowed, numbers
from dlint.project.releases.declarations import NOTHING, Declared
from dlint.project.releases.python_release import declarations_of_python
from dlint.project.releases.torch_release import declarations_of_torch


class Both(NamedTuple):
    """What is declared of torch and of Python."""

    torch: Declared
    python: Declared


class FurtherDown:
    """The declarations of the folders below ``root``, read when they are asked for.

    ``apart`` are folders further down that go by themselves: what is declared above one says nothing of what
    lies in it, and what it declares itself is known already. ``troubles`` tells which files could not be
    read.
    """

    def __init__(self, root: Path, apart: Collection[Path] = ()) -> None:
        self._root = root
        self._apart = apart
        self._known: dict[Path, Both | None] = {}
        self.troubles: set[Trouble] = set()

    def above(self, relative: str) -> Iterator[Both]:
        """What the folders around a file declare, the nearest first; not the root."""
        for folder in self._folders(self._root / relative):
            if folder in self._apart:
                return
            found = self._declared_in(folder)
            if found is not None:
                yield found

    def around(self, files: Iterable[Path]) -> Iterator[tuple[Path, Both]]:
        """The folders around some files that declare something, and what."""
        folders = {file.parent: file for file in files}
        for folder in sorted({each for file in folders.values() for each in self._folders(file)}):
            found = self._declared_in(folder)
            if found is not None:
                yield folder, found

    def _folders(self, file: Path) -> Iterator[Path]:
        """The folders around a file, the nearest first, up to the root, which is none of them."""
        return takewhile(lambda each: each != self._root and self._root in each.parents, file.parents)

    def _declared_in(self, folder: Path) -> Both | None:
        if folder not in self._known:
            self._known[folder] = self._read(folder)
        return self._known[folder]

    def _read(self, folder: Path) -> Both | None:
        found = Both(
            declarations_of_torch(
                folder, lambda file, why: self.troubles.add(Trouble(display_path(file), why))
            ),
            declarations_of_python(folder),
        )
        return found if found != Both(NOTHING, NOTHING) else None


def narrowed(near: Declared, far: Declared) -> Declared:
    """What is allowed where two declare: what both allow, where one environment can have both; else what the
    nearer one does. One that names no release says nothing beside one that does."""
    if far == NOTHING or near == NOTHING:
        return near if far == NOTHING else far
    if not _is_limited(near) or not _is_limited(far):
        return far if _is_limited(far) else near
    if near.allowed is None or far.allowed is None:
        return near
    mine, theirs = near.allowed, far.allowed
    oldest = max(filter(None, (theirs.oldest, mine.oldest)), key=numbers, default=None)
    below = min(filter(None, (theirs.below, mine.below)), key=numbers, default=None)
    if oldest is not None and below is not None and numbers(oldest) >= numbers(below):
        return near
    both = Range(oldest, below)
    # Of several that say the same the nearer one is shown.
    decides = far if both != mine and (oldest != mine.oldest or mine.oldest is None) else near
    return Declared(both, decides.deciding)


def _is_limited(declared: Declared) -> bool:
    """Whether it names a release, or may."""
    return declared.allowed is None or any(allowed(each.bounds).limited for each in declared.deciding)
