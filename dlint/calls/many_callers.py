"""Of many callers: which are asked first, and what is kept of what they pass."""

from __future__ import annotations

import ast
from collections import Counter

from dlint.calls.site import Site
from dlint.knowledge.testing import is_test
from dlint.values.frame import Argument, Arguments
from dlint.values.outcomes import OUTCOMES, Outcome
from dlint.values.values import Key, Unknown
from dlint.values.worlds import World

# With more outcomes equal ones would be folded into one, which no longer tells who passed it.
_MOST_OUTCOMES = OUTCOMES - 1
# With more it no longer matters on which of its ways a caller passes what it passes on several.
_EACH_WAY = 8


def few(found: list[list[Outcome]]) -> tuple[list[Outcome], bool]:
    """What callers pass, in so few outcomes that each still tells who passed it, and whether some were left
    out: of many outcomes equal ones of one caller are one, and of all those that differ and are known come
    first."""
    if len(found) < 2 or sum(map(len, found)) <= _EACH_WAY:
        return [each for passed in found for each in passed], False
    news: list[Outcome] = []
    others: list[Outcome] = []
    seen: set[Key] = set()
    for passed in found:
        worlds: dict[Key, list[World]] = {}
        for value, w in passed:
            worlds.setdefault(value.key, []).append(w)
        for value in {value.key: value for value, _ in passed}.values():
            first, *more = worlds[value.key]
            known = value.key in seen or isinstance(value, Unknown)
            (others if known else news).append((value, first.shared(more)))
            seen.add(value.key)
    kept = [*news, *others]
    return kept[:_MOST_OUTCOMES], len(kept) > _MOST_OUTCOMES


def different_first(sites: list[tuple[int, Site]]) -> list[tuple[int, Site]]:
    """Calls in the order in which they are asked: first one of each kind, by how it is written."""
    seen: Counter[tuple[object, ...]] = Counter()
    order: dict[int, tuple[bool, bool, int, int]] = {}
    in_tests = {index: is_test(site.point.frame.module.relative) for index, site in sites}
    for index, site in sorted(sites, key=lambda each: in_tests[each[0]]):
        look = _look(site.arguments)
        order[index] = (seen[look] > 0, in_tests[index], seen[look], index)
        seen[look] += 1
    return sorted(sites, key=lambda each: order[each[0]])


def _look(arguments: Arguments) -> tuple[object, ...]:
    """How the arguments of a call are written: constants as they are, of all else what kind it is."""
    return (
        tuple(map(_looks, arguments.positional)),
        tuple((name, _looks(given)) for name, given in sorted(arguments.keywords.items())),
        len(arguments.spread),
        len(arguments.splats),
    )


def _looks(given: Argument) -> object:
    written = given.expression
    return repr(written.value) if isinstance(written, ast.Constant) else type(written).__name__
