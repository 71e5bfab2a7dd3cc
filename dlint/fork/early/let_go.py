"""What the parent lets go of again before workers start: by a ``with``, by closing it, or by a method."""

from __future__ import annotations

import ast

from dlint.fork.early.run_by import closed_by
from dlint.fork.early.starts import Start, is_in
from dlint.source.nodes import walk
from dlint.source.statements import dotted, own_names, statements_in
from dlint.values.frame import Point
from dlint.values.places import loops_around, places_around

_DROPS = frozenset({"close", "shutdown", "terminate", "release", "reset", "cleanup"})
_At = tuple[int, int]


def let_go(read: ast.expr, point: Point, start: Start, resets: frozenset[str] = frozenset()) -> bool:
    """Whether the parent drops what a read has made before workers start: ``dataset.close()``,
    ``dataset.file = None``, a method of those that ``resets`` names. In a later statement of the same block,
    or in one that stands before each place, in a block around it (``for epoch in range(9):
    dataset.reset()``)."""
    if is_shut(read, point, start):
        return True
    paths = _paths(read)
    place = point.frame.layout.places.get(id(point.statement))
    if not paths or place is None:
        return False
    here = (read.lineno, read.col_offset)
    for later in place.block[place.at + 1 :]:
        if any(here < at < (later.lineno, later.col_offset) for at in start.places or ()):
            break
        if _drops(later, paths, resets):
            return True
        if isinstance(later, ast.For | ast.While):
            break  # workers may start there
    scope = point.frame.scope
    body = [] if isinstance(scope, ast.Lambda) else scope.body
    drops = [each for each in statements_in(body) if _drops(each, paths, resets)]
    return is_dropped_in_rounds(here, point, start, drops)


def is_shut(node: ast.expr, point: Point, start: Start) -> bool:
    """Whether a ``with`` around an expression, and not around the loader, ends what it speaks of."""
    roots = {each.id for each in walk(node) if isinstance(each, ast.Name)}
    for place in places_around(point):
        match place.owner:
            case ast.With(items=items, end_lineno=end):
                held = {dotted(closed_by(item.context_expr)) for item in items} | set(own_names(place.owner))
                if held & roots and not any(at <= (end or 0, 0) for at in start.places or ()):
                    return True
    return False


def is_dropped_in_rounds(here: _At, point: Point, start: Start, drops: list[ast.stmt]) -> bool:
    """Whether one of some statements stands before each place where workers may start after a read, in the
    same round of the loops around both."""
    loops = [loop for loop in loops_around(point) if isinstance(loop, ast.For | ast.While)]
    places = [at for at in start.started if at > here or any(is_in(at, loop.body) for loop in loops)]
    layout = point.frame.layout
    return bool(places and drops) and all(
        any(
            is_in(at, place.block[place.at + 1 :])
            and not dropped < here < at
            and all(is_in(dropped, loop.body) for loop in loops if is_in(at, loop.body))
            for each in drops
            for place, dropped in [(layout.places[id(each)], (each.lineno, each.col_offset))]
        )
        for at in places
    )


def _paths(read: ast.expr) -> set[str]:
    """What a read speaks of: ``dataset``, also in ``look(dataset)`` and ``dataset.show()``."""
    held: list[ast.expr] = [read]
    if isinstance(read, ast.Call):
        held = [*read.args, *([read.func.value] if isinstance(read.func, ast.Attribute) else [])]
    return {path for each in held if (path := dotted(each))}


def _drops(statement: ast.stmt, paths: set[str], resets: frozenset[str]) -> bool:
    """Whether a statement lets go of what something that goes by one of some paths holds."""
    match statement:
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=held, attr=method))):
            on = f"{dotted(held)}."
            if method in _DROPS or method in resets:
                return any(on.startswith(f"{path}.") for path in paths) or (
                    method in resets and ".dataset." in on
                )
        case ast.Assign(targets=[ast.Attribute(value=held)], value=ast.Constant(value=None)):
            return dotted(held) in paths
    return False
