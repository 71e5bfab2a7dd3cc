"""The work that one run may do: counted, not timed, so that the same input always gets the same answer.

A unit is about a microsecond of one processor: one step from an expression to what it stands for, one
comparison of two sets of assumptions, one node of a tree that is looked at. All that can multiply is counted,
and nothing refills what is spent.

The whole is in proportion to the program. What a file's loaders and datasets cost is booked to that file: a
part of the whole is kept for every file that has some, so that what one file eats is not taken from another,
and no file gets more than its part and a share of the rest.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Final, NamedTuple

# Units for any program, and for every line of it. Of 44 real programs 43 need less than a twentieth of it,
# and the hungriest a third.
_BASE = 6_000_000
_PER_LINE = 5_000
# The whole is divided into what is kept for each file, and what any may use; of that, one file this part.
_KEPT = 4
_MOST_OF_COMMON = 4
# So many units are booked at a time.
_PART = 50_000


class Place(NamedTuple):
    """A function, or the body of a module or class: the file, a line (from 1), and what a reader calls it."""

    path: str
    line: int
    name: str


class Exhausted(Exception):
    """A file has used up what there is for it; ``file`` is None where no file's own things were looked at."""

    def __init__(self, file: str | None) -> None:
        super().__init__(f"the work that there is for {file or 'the program'} is done")
        self.file = file


class Budget:
    """What may still be spent, in all and on each file."""

    def __init__(self) -> None:
        self.left = _PART
        self.at: Callable[[], Place] | None = None  # tells what is looked at
        self._booked = _PART
        self._stack: list[tuple[object, str | None]] = []
        self._spent: dict[str | None, int] = {}
        self._eaters: dict[str | None, Counter[Place]] = {}
        self._total = 0
        # The account that was closed first since anything was spent, and what had been spent then.
        self._closed: tuple[str | None, int] | None = None
        self._common = 0
        self._kept = 0
        self._most = 0
        self.left_aside: frozenset[str] = frozenset()
        self.begin(0, 1)

    def begin(self, lines: int, files: int) -> None:
        """A new program, of so many lines in all, with so many files that may have loaders or datasets."""
        whole = _BASE + _PER_LINE * lines
        self._kept = whole // _KEPT // max(files, 1)
        self._common = whole - whole // _KEPT
        self._most = self._common // _MOST_OF_COMMON
        self._total = self._booked = self.left = 0
        self._spent.clear()
        self._eaters.clear()
        self.left_aside = frozenset()
        self.restart()

    def restart(self) -> None:
        """Nothing is looked at; what was spent is spent."""
        self._book()
        self._stack.clear()
        self._closed = None
        self.at = None
        self._open()

    @property
    def file(self) -> str | None:
        """The file whose loaders, datasets or calls are looked at."""
        return self._stack[-1][1] if self._stack else None

    @property
    def file_at_fault(self) -> str | None:
        """The file that was looked at when an exception was raised that has just been caught: on its way it
        has closed the accounts that were open, the innermost first."""
        self._book()
        self._open()
        return self._closed[0] if self._closed is not None and self._closed[1] == self._total else self.file

    @property
    def spent(self) -> int:
        """Units spent so far, in all."""
        return self._total + self._booked - self.left

    @property
    def files(self) -> dict[str | None, int]:
        """Units spent so far on each file."""
        self._book()
        self._open()
        return dict(self._spent)

    def enter(self, file: str | None) -> object:
        """What is spent from here on is booked to a file, until `leave` is called with what this gives."""
        self._book()
        token = object()
        self._closed = None
        self._stack.append((token, file))
        self._open()
        return token

    def leave(self, token: object) -> None:
        """Ends what `enter` began. One that was forgotten by `restart` is no matter."""
        if any(each is token for each, _ in self._stack):
            self._book()
            if self._closed is None or self._closed[1] != self._total:
                self._closed = (self.file, self._total)
            while self._stack.pop()[0] is not token:
                pass
            self._open()

    def part_is_spent(self) -> None:
        """Books what was spent. Raises Exhausted where there is no more for this file."""
        self._book()
        if self._allowed() <= 0:
            raise Exhausted(self.file)
        self._open()

    def eater_of(self, file: str | None) -> Place | None:
        """The function that took most of what was spent on a file, None where nobody can tell."""
        eaters = self._eaters.get(file)
        return min(eaters.items(), key=lambda each: (-each[1], each[0]))[0] if eaters else None

    def _book(self) -> None:
        spent = self._booked - self.left
        if spent > 0:
            file = self.file
            self._total += spent
            if self.at is not None:
                self._eaters.setdefault(file, Counter())[self.at()] += spent
            before = self._spent.get(file, 0)
            self._spent[file] = before + spent
            self._common -= max(before + spent - self._kept, 0) - max(before - self._kept, 0)
        self._booked = self.left = 0

    def _open(self) -> None:
        self._booked = self.left = min(_PART, max(self._allowed(), 0))

    def _allowed(self) -> int:
        """What may still be spent on the present file."""
        beyond = self._spent.get(self.file, 0) - self._kept
        return min(self._most - max(beyond, 0), self._common) - min(beyond, 0)


BUDGET: Final = Budget()


def spend(units: int) -> None:
    """Counts work. Raises Exhausted where no more is to be done."""
    BUDGET.left -= units
    if BUDGET.left < 0:
        BUDGET.part_is_spent()
