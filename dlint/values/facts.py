"""What a world assumes of one unknown thing, and whether two such assumptions can be true together.

A number lies between two *cuts*. The cut ``(n, False)`` lies just below n, ``(n, True)`` just above it:
``x >= n`` says that x lies above the first, ``x > n`` that it lies above the second, ``<`` and ``<=`` say the
opposite. Cuts are ordered as tuples are.
"""

from __future__ import annotations

from math import ceil, floor
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from dlint.values.values import Const, Key

Cut: TypeAlias = tuple[float, bool]
# The cut that a thing lies above, the one that it lies below, and the constants of which it is one.
Range: TypeAlias = "tuple[Cut | None, Cut | None, frozenset[Const] | None]"
# A thing's truth, whether it is None, the constant it equals, the keys of the constants that it does not
# equal, and its range.
About: TypeAlias = "tuple[bool | None, bool | None, Const | None, frozenset[Key], Range | None]"

NOTHING: About = (None, None, None, frozenset(), None)
ANYWHERE: Range = (None, None, None)
# The cuts around nought.
_BELOW: Cut = (0, False)
_ABOVE: Cut = (0, True)
# The numbers that stand for "none" and for "only one": ranks and counts have no other below them.
_LEAST = (-1, 1)


def is_number(value: Any) -> bool:
    """Whether a constant is a number that has its place among the cuts."""
    return type(value) in (int, float) and value == value


def lies_above(value: float, cut: Cut) -> bool:
    """Whether a number lies above a cut."""
    return cut <= (value, False)


def is_above(about: About, cut: Cut) -> bool | None:
    """Whether a thing lies above a cut, as far as that is known."""
    truth, none, equal, _, _ = about
    if equal is not None:
        return lies_above(equal.value, cut) if is_number(equal.value) else None
    if none or truth is False:
        # Compared with numbers, it is nought; None would raise.
        return lies_above(0, cut)
    if truth and cut == _ABOVE and true_by_range(about) is not True:
        return True  # counts are compared with nought: there are some
    low, high, _ = about[4] or ANYWHERE
    if low is not None and cut <= low:
        return True
    if high is not None and high <= cut:
        return False
    sides = {lies_above(each.value, cut) for each in candidates(about) or () if is_number(each.value)}
    return sides.pop() if len(sides) == 1 else None


def beyond(about: About, cut: Cut, above: bool) -> About:
    """The same thing, now known to lie above or below a cut."""
    low, high, among = about[4] or ANYWHERE
    if above:
        low = cut if low is None else max(low, cut)
    else:
        high = cut if high is None else min(high, cut)
    held: About = (*about[:4], (low, high, among))
    truth = true_by_range(held)
    return (truth, *held[1:]) if truth and about[0] is None else held


def true_by_range(about: About) -> bool | None:
    """What a thing's range says of its truth. A count that is not above nought is nought."""
    low, high, _ = about[4] or ANYWHERE
    if (low is not None and low >= _ABOVE) or (high is not None and high <= _BELOW):
        return True
    if high == _ABOVE:
        return False
    held = {bool(each.value) for each in candidates(about) or ()}
    return held.pop() if len(held) == 1 else None


def candidates(about: About) -> list[Const] | None:
    """The constants of which a thing is one, None where such are not known."""
    if about[2] is not None:
        return [about[2]]
    if about[4] is None or about[4][2] is None:
        return None
    return [each for each in about[4][2] if fits(each, about)]


def fits(constant: Const, about: About) -> bool:
    """Whether a thing may equal a constant."""
    truth, none, equal, different, span = about
    value = constant.value
    if equal is not None:
        return bool(equal.value == value)
    if constant.key in different or (none is not None and none is not (value is None)):
        return False
    if truth is not None and truth is not bool(value):
        return False
    if span is None:
        return True
    low, high, among = span
    if among is not None and constant not in among:
        return False
    if not is_number(value):
        return True
    return (low is None or lies_above(value, low)) and (high is None or not lies_above(value, high))


def both(one: About, other: About) -> About | None:
    """All that is known of a thing, None where one contradicts the other."""
    truth, none, equal, different, span = one
    other_truth, other_none, other_equal, other_different, other_span = other
    if truth is None:
        truth = other_truth
    elif other_truth is not None and other_truth is not truth:
        return None
    if none is None:
        none = other_none
    elif other_none is not None and other_none is not none:
        return None
    if truth and none:
        return None
    if equal is None:
        equal = other_equal
    elif other_equal is not None and other_equal != equal:
        return None
    if other_different:
        different = different | other_different
    if span is None:
        span = other_span
    elif other_span is not None and other_span != span:
        span = _common(span, other_span)
        if span is None:
            return None
    held: About = (truth, none, None, different, span)
    if equal is not None:
        return (truth, none, equal, different, span) if fits(equal, held) else None
    if span is not None:
        if truth is not None and truth is not _truth(span, truth):
            return None
        if span[2] is not None and not candidates(held):
            return None
    return held


def _truth(span: Range, otherwise: bool) -> bool:
    """The truth of a thing in a range."""
    known = true_by_range((None, None, None, frozenset(), span))
    return otherwise if known is None else known


def _common(one: Range, other: Range) -> Range | None:
    low = one[0] if other[0] is None else other[0] if one[0] is None else max(one[0], other[0])
    high = one[1] if other[1] is None else other[1] if one[1] is None else min(one[1], other[1])
    among = one[2] if other[2] is None else other[2] if one[2] is None else one[2] & other[2]
    if low is not None and high is not None and high <= low:
        return None
    return (low, high, among)


def alike(one: About, other: About) -> About | None:
    """What two worlds know alike of a thing, None where that is nothing."""
    same: About = (
        one[0] if one[0] is other[0] else None,
        one[1] if one[1] is other[1] else None,
        one[2] if one[2] == other[2] else None,
        one[3] if one[3] == other[3] else frozenset(),
        one[4] if one[4] == other[4] else None,
    )
    return None if same == NOTHING else same


def is_unlikely(about: About) -> bool:
    """Whether a thing is what counts and ranks hardly are: a number between two neighbouring whole ones, or
    less than the least that the program asks for by name (``n <= 1`` and not 1, ``rank < 0`` and not -1)."""
    low, high, _ = about[4] or ANYWHERE
    if high is None:
        return False
    greatest = floor(high[0]) if high[1] or high[0] % 1 else high[0] - 1
    if low is not None and greatest < (ceil(low[0]) if not low[1] or low[0] % 1 else low[0] + 1):
        return True
    return greatest in _LEAST and ("const", "int", greatest) in about[3]
