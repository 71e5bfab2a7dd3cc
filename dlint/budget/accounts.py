"""Things of which each belongs to a file, and what is done with each booked to its file.

Not compiled: an account is closed when what goes through the things is let go of, which ends a generator of
Python's, and none of mypyc's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Generic, TypeVar, overload

from dlint.budget.budget import BUDGET

Item = TypeVar("Item")


class Shared(Sequence[Item], Generic[Item]):
    """Things of which each belongs to a file. To go through them is to work on their files' accounts, one
    after the other; those of a file that is left aside are left out."""

    def __init__(self, items: Iterable[Item], file_of: Callable[[Item], str | None]) -> None:
        self._items = tuple(items)
        self._file_of = file_of

    def __len__(self) -> int:
        return len(self._items)

    @overload
    def __getitem__(self, index: int) -> Item: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Item]: ...
    def __getitem__(self, index: int | slice) -> Item | Sequence[Item]:
        return self._items[index]

    def __iter__(self) -> Iterator[Item]:
        return by_file(self._items, self._file_of)


def by_file(items: Iterable[Item], file_of: Callable[[Item], str | None]) -> Iterator[Item]:
    """The items one by one, what is done with each booked to its file; see `Shared`."""
    for each in items:
        file = file_of(each)
        if file in BUDGET.left_aside:
            continue
        if file is not None and file == BUDGET.file:
            yield each
            continue
        token = BUDGET.enter(file)
        try:
            yield each
        finally:
            BUDGET.leave(token)
