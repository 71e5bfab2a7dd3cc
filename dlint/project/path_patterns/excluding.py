"""What the user's patterns leave out of a program."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from dlint.project.path_patterns.ignoring import Ignore, lines_in


class Exclude(NamedTuple):
    """Patterns of what is left out: ``lines`` count from a program's root.

    A folder of ``nested`` has patterns of its own in their place, which count from there; those of
    ``everywhere``, from the root, hold in it too.
    """

    lines: tuple[str, ...] = ()
    everywhere: tuple[str, ...] = ()
    nested: tuple[tuple[Path, tuple[str, ...]], ...] = ()

    def says(self, path: str, root: Path, *, is_folder: bool) -> bool:
        """Whether what stands at a path is left out; what it lies in is not asked about."""
        return any(ignore.says(path, is_folder=is_folder) for ignore in self.ignores(Path(path).parent, root))

    def ignores(self, folder: Path, root: Path) -> list[Ignore]:
        """The patterns for what stands in a folder."""
        nested = dict(self.nested)
        for above in (folder, *folder.parents) if nested else ():
            if above in nested:
                each = ((above, nested[above]), (root, self.everywhere))
                return [_exclude_of(str(start), lines) for start, lines in each if lines]
        return [_exclude_of(str(root), self.lines)] if self.lines else []


NOTHING_EXCLUDED = Exclude()


def matches(path: Path, root: Path, lines: Sequence[str]) -> bool:
    """Whether patterns of .gitignore, counted from a folder, match a file or a folder that it lies in."""
    patterns = _exclude_of(str(root), tuple(lines))
    return bool(patterns.says(str(path), is_folder=False)) or any(
        patterns.says(str(folder), is_folder=True) for folder in path.parents if root in folder.parents
    )


@lru_cache(maxsize=8)  # for the many files that pre-commit names
def _exclude_of(root: str, lines: tuple[str, ...]) -> Ignore:
    return Ignore(root, lines_in(lines))
