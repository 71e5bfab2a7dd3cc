"""Where in a batch something is, and what is known there of what has its memory."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from enum import Enum
from typing import NamedTuple

from dlint.streams.memory.stored import ANY

# Where in a batch something is: () for all of it, (0,) for its first part.
Place = tuple[object, ...]


class Values(Enum):
    """Parts that a loop over a dict's values comes by: each of them, one after another, or some, where a test
    decides which."""

    EACH = "each"
    SOME = "some"


class Named(NamedTuple):
    """What a name stands for: its place in a batch, None where that is not known; whether what it was given
    to shows that it is a tensor, or was; whether it is NumPy's array by now, None where it is on some ways;
    how many dimensions less it has than what is at that place; whether it was taken out of an array, which
    gives a number, a copy, where the array has no further dimension; whether it surely lies in memory in the
    order of its dimensions; and the types that its numbers have to have, or it was made a copy of."""

    place: Place | None
    is_tensor: bool = False
    is_array: bool | None = False
    taken: int = 0
    is_row: bool = False
    in_order: bool = True
    casts: frozenset[str] = frozenset()

    @property
    def is_one(self) -> bool:
        """Whether it is known to be a tensor, or may be an array: others may be tuples or dicts."""
        return self.is_tensor or self.is_array is not False

    def rows(self) -> Named:
        """The same, as what each of its rows is."""
        return self._replace(taken=self.taken + 1, is_row=self.is_row or self.is_array is not False)


class View(NamedTuple):
    """An expression that has a batch's memory, with what is known of it as of a name; what a library's
    function was given to make it of (``numpy.asarray``), which takes lists as well, and copies them; the keys
    of it under which something else is, or nothing, by now; of the name that it begins with, whether that is
    an array; and whether it is a list of such things."""

    node: ast.expr
    known: Named
    given: ast.expr | None = None
    without: frozenset[str] = frozenset()
    from_array: bool | None = False
    is_list: bool = False

    def rows(self) -> View:
        """The same, as what each of its rows is."""
        return self._replace(known=self.known.rows())


def named(target: ast.expr, whole: Named) -> Iterator[tuple[str, Named]]:
    """The names that a target gives to a thing and its parts, with what they stand for."""
    match target:
        case ast.Name(id=name):
            yield name, whole
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            # What stands behind a star is counted from the end: ``*_, labels = batch``.
            star = next((at for at, part in enumerate(parts) if isinstance(part, ast.Starred)), len(parts))
            place, is_row = whole.place, whole.is_row or whole.is_array is not False
            # What is known to be a tensor or an array has rows, what is at a place may be a tuple.
            is_one = place is None or whole.is_one
            part_of = whole._replace(taken=whole.taken + is_one, is_row=is_row)
            for at, part in enumerate(parts):
                at -= len(parts) if at > star else 0
                inner = None if place is None else place if is_one else (*place, at)
                yield from named(part, part_of._replace(place=inner))


def either(one: Named, other: Named) -> Named:
    """What a name stands for that comes by two ways from the same place."""
    return Named(
        one.place,
        one.is_tensor and other.is_tensor,
        one.is_array if one.is_array == other.is_array else None,
        max(one.taken, other.taken),
        one.is_row or other.is_row,
        one.in_order and other.in_order,
        one.casts | other.casts,
    )


def may_be(one: Place, other: Place) -> bool:
    """Whether two places may be the same one."""
    return len(one) == len(other) and all(map(_may_be_step, one, other))


def _may_be_step(one: object, other: object) -> bool:
    """Whether two steps may lead to the same part, be one counted from the end."""
    if isinstance(one, int) and isinstance(other, int) and (one < 0) != (other < 0):
        return True
    return one == other or is_open(one) or is_open(other)


def is_open(key: object) -> bool:
    """Whether a step of a place may be one of several."""
    return key is ANY or isinstance(key, Values)
