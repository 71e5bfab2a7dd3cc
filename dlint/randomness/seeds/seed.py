"""A seed as what it is made of, and arithmetic on such seeds."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import NamedTuple

# What a seed can be made of.
FIXED = "fixed"  # a constant, a setting, the process's rank
WORKER = "worker"  # the worker's number
STATE = "state"  # the first word of NumPy's state
TORCH = "torch"  # the seed that torch gives a worker
CLOCK = "clock"  # in seconds
FRESH = "fresh"  # entropy, a finer clock, or drawn from a random state
EPOCH = "epoch"  # the epoch, or what the parent draws: a new number each time, and alike in all workers
UNKNOWN = "unknown"
# What is another number each time that it is asked for.
CHANGING = frozenset({CLOCK, FRESH})
# What is no number again that an earlier epoch had.
NEW = frozenset({FRESH, EPOCH})

# So many different seeds are told apart.
_MOST = 8
_WIDEST = 2**32  # NumPy's seeds lie below
_LARGEST_POWER = 256
_FINE = 1000  # a clock counted in thousandths of a second or less is another number for every item
_OPERATORS: dict[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.BitXor: operator.xor,
}
_KEEPS_WIDTH = (ast.Add, ast.Sub, ast.Mult, ast.BitOr, ast.BitXor, ast.LShift)


class Seed(NamedTuple):
    """One possible seed. ``kinds`` is what it is made of, ``number`` its value where that is known,
    ``wide`` whether it surely has more than 32 bits now and then, ``is_none`` whether it is the None of
    a function that gives other things as well, which seeds afresh."""

    kinds: frozenset[str]
    number: int | None = None
    wide: bool = False
    is_none: bool = False

    @property
    def repeats(self) -> bool:
        """Whether every epoch's workers get the same."""
        return self.kinds <= {FIXED, WORKER, STATE}


UNKNOWN_SEED = Seed(frozenset({UNKNOWN}))
FIXED_SEED = Seed(frozenset({FIXED}))
FRESH_SEED = Seed(frozenset({FRESH}))
NONE_SEED = Seed(frozenset({FRESH}), is_none=True)
EPOCH_SEED = Seed(frozenset({EPOCH}))
OWN_NUMBER = Seed(frozenset({WORKER}))


def operate(op: ast.operator, left: Seed, right: Seed) -> Seed:
    kinds = left.kinds | right.kinds
    if isinstance(op, ast.Mult) and CLOCK in kinds and max(left.number or 0, right.number or 0) >= _FINE:
        kinds = kinds - {CLOCK} | {FRESH}
    number = _number(op, left.number, right.number)
    if number is not None:
        return Seed(kinds, number)
    if isinstance(op, ast.Mod):
        return Seed(kinds, None, left.wide and right.number is not None and right.number > _WIDEST)
    if isinstance(op, ast.BitAnd):
        mask = left.number if left.number is not None else right.number
        return Seed(kinds, None, (left.wide or right.wide) and mask is not None and mask >= _WIDEST)
    return Seed(kinds, None, isinstance(op, _KEEPS_WIDTH) and (left.wide or right.wide))


def _number(op: ast.operator, left: int | None, right: int | None) -> int | None:
    if left is None or right is None:
        return None
    if isinstance(op, ast.Pow | ast.LShift):
        if not 0 <= right <= _LARGEST_POWER or abs(left) > _WIDEST:
            return None
        return int(left**right) if isinstance(op, ast.Pow) else left << right
    function = _OPERATORS.get(type(op))
    return function(left, right) if function is not None else None


def as_part(seeds: list[Seed]) -> list[Seed]:
    """What something else is made of: nothing is counted or reckoned with None, where it may be any other."""
    return [each for each in seeds if not each.is_none] or seeds


def few(seeds: list[Seed]) -> list[Seed]:
    """Different seeds, or one of which nothing is known where they are too many."""
    different = list(dict.fromkeys(seeds))
    return different if len(different) <= _MOST else [UNKNOWN_SEED]
