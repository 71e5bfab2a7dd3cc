"""Order: what the parent comes to before it makes a loader."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.values.frame import Point
from dlint.values.places import places_around

if TYPE_CHECKING:
    from dlint.calls.evaluator import Evaluator
    from dlint.workers.uses import WorkerUse

_MOST_FUNCTIONS = 30


def comes_before(evaluator: Evaluator, point: Point, use: WorkerUse) -> bool:
    """Whether the parent comes to a point before the loader of a use is there: in what makes the dataset, or
    on the way to the loader, there or in what is called first."""
    if use.loader is None:
        return False
    ends: dict[int, list[Point]] = {}
    for end in _ways_up(evaluator, use.loader.point):
        ends.setdefault(id(end.frame.scope), []).append(end)
    return any(
        id(at.frame.scope) in use.makers
        or any(_precedes(at, end) for end in ends.get(id(at.frame.scope), ()))
        for at in _ways_up(evaluator, point)
    )


def _ways_up(evaluator: Evaluator, point: Point) -> Iterator[Point]:
    """A point, the calls of the function that it stands in, the calls of the functions around these."""
    waiting = [point]
    seen: set[int] = set()
    for at in waiting:  # grows meanwhile
        yield at
        scope = at.frame.scope
        if not isinstance(scope, ast.FunctionDef | ast.AsyncFunctionDef) or id(scope) in seen:
            continue
        if len(seen) < _MOST_FUNCTIONS:
            seen.add(id(scope))
            waiting += [site.point for site in evaluator.sites.of(scope, at.frame)]


def _precedes(at: Point, end: Point) -> bool:
    """Whether one point of a scope stands before another, in a block that holds both."""
    places = {id(place.block): place.at for place in places_around(end)}
    return any(place.at < places.get(id(place.block), 0) for place in places_around(at))
