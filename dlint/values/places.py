"""What stands around a point, within its scope: blocks, loops, and the tests that lead there."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dlint.source.layout import Guard, Place
from dlint.source.nodes import COMPREHENSIONS, children
from dlint.values.frame import Point

LOOPS = (ast.For, ast.AsyncFor, ast.While)


def places_around(point: Point) -> Iterator[Place]:
    """The place of a point's statement and those of the statements around it, innermost first, within its
    scope."""
    layout = point.frame.layout
    at: ast.AST | None = point.statement
    while at is not None:
        place = layout.places.get(id(at))
        if place is None:  # the handler of a try
            at = layout.try_of.get(id(at))
            continue
        yield place
        at = place.owner


def is_with_around(point: Point, inside: Point) -> bool:
    """Whether a place is the ``with`` that another of the same function stands in."""
    return isinstance(point.statement, ast.With) and any(
        place.owner is point.statement for place in places_around(inside)
    )


def guards_around(point: Point) -> Iterator[Guard]:
    """The tests, within its scope, that decide whether control comes to a point."""
    layout = point.frame.layout
    for place in places_around(point):
        yield from (guard for guard in layout.guards(place.block) if guard.at < place.at)
        if isinstance(place.owner, ast.If):
            yield Guard(0, place.owner.test, place.role == "body", place.owner)


def loops_around(point: Point) -> Iterator[ast.stmt]:
    """The loops, innermost first, in whose bodies a point stands, within its scope."""
    for place in places_around(point):
        if isinstance(place.owner, LOOPS) and place.role == "body":
            yield place.owner


def loops_that_repeat(point: Point) -> Iterator[ast.stmt]:
    """Those of these loops that come to the point again: one that is always left after it, in the same round,
    does not, such as an attempt that is made again only after an error."""
    leaves = False
    for place in places_around(point):
        after = place.block[place.at :]
        if isinstance(place.owner, ast.Try) and place.role == "body":
            after = [*after, *place.owner.orelse]
        if any(isinstance(each, ast.Return) for each in after):
            return
        leaves = leaves or any(isinstance(each, ast.Break) for each in after)
        if isinstance(place.owner, LOOPS) and place.role == "body":
            if not leaves:
                yield place.owner
            leaves = False


def is_repeated(node: ast.AST, point: Point) -> bool:
    """Whether a loop or a comprehension, within its scope, may come to a part of a statement again."""
    return any(True for _ in loops_around(point)) or any(
        isinstance(each, COMPREHENSIONS) for each in path_to(point.statement, node)
    )


def tests_around(point: Point) -> Iterator[tuple[ast.expr, bool, list[ast.stmt]]]:
    """The tests that decide, within its scope, whether control comes to a point: each with the outcome
    that leads there and the block that it guards."""
    for place in places_around(point):
        for test, outcome, _ in tests_at(place):
            yield spelled(test, point), outcome, place.block


def tests_at(place: Place) -> Iterator[tuple[ast.expr, bool, bool]]:
    """The tests that a block makes before a place in it, and the one that leads to the block: each with the
    outcome that leads on, and whether any other leaves what the block is in."""
    for before in place.block[: place.at]:
        if isinstance(before, ast.If) and isinstance(before.body[-1], ast.Return | ast.Raise | ast.Continue):
            yield before.test, False, True
    if isinstance(place.owner, ast.If):
        yield place.owner.test, place.role == "body", False


def spelled(test: ast.expr, point: Point) -> ast.expr:
    """A test; for a variable that the scope sets once (``fresh = self.pool is None``), what it is set to."""
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=ast.Name() as operand):
            return ast.UnaryOp(op=ast.Not(), operand=spelled(operand, point))
        case ast.Name(id=name) if name in point.frame.layout.binds:
            match point.frame.layout.binders(name):
                case [ast.Assign(targets=[ast.Name()], value=value)]:
                    return value
    return test


def path_to(statement: ast.stmt | None, node: ast.AST) -> list[ast.AST]:
    """The nodes between a statement and a node inside it."""
    return (_way_down(statement, node) or []) if statement is not None else []


def _way_down(at: ast.AST, node: ast.AST) -> list[ast.AST] | None:
    if at is node:
        return []
    for child in children(at):
        if child is node or not isinstance(child, ast.stmt):
            below = _way_down(child, node)
            if below is not None:
                return [at, *below]
    return None
