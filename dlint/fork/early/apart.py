"""What no run of a scope comes to both: the arms of one ``if``, and places behind tests that contradict each
other; and what a loop around two places makes anew in each round, and so brings to none of the next."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING

from dlint.source.nodes import walk
from dlint.source.statements import own_names
from dlint.values.frame import Point
from dlint.values.places import path_to, places_around, tests_around
from dlint.values.worlds import HERE

if TYPE_CHECKING:
    from dlint.calls.evaluator import Evaluator

_At = tuple[int, int]


def are_apart(evaluator: Evaluator, node: ast.AST, point: Point, other: ast.AST, there: Point) -> bool:
    """Whether no run comes to two expressions of a scope, but by a loop around both or by another call."""
    ours, theirs = _arms(node, point), _arms(other, there)
    if any(theirs.get(mark, arm) != arm for mark, arm in ours.items()):
        return True
    if not (any(True for _ in tests_around(point)) and any(True for _ in tests_around(there))):
        return False
    here = evaluator.flow.reaching(point, HERE)
    return bool(here) and not any(
        world.agrees(each) for world in evaluator.flow.reaching(there, HERE) for each in here
    )


def _arms(node: ast.AST, point: Point) -> dict[int, object]:
    """The arms around an expression, of what has several and goes only one way."""
    found: dict[int, object] = {}
    for place in places_around(point):
        owner, role = place.owner, place.role
        if isinstance(owner, ast.If) or (isinstance(owner, ast.Try) and role == "orelse"):
            found[id(owner)] = role
        elif isinstance(owner, ast.match_case | ast.ExceptHandler):
            found[id(point.frame.layout.try_of.get(id(owner)))] = id(owner)
    path = [*path_to(point.statement, node), node]
    for at, inside in pairwise(path):
        if isinstance(at, ast.IfExp) and inside is not at.test:
            found[id(at)] = "body" if inside is at.body else "orelse"
    return found


def is_carried(read: ast.expr, loop: ast.For | ast.While, at: _At) -> bool:
    """Whether what a read speaks of is still there in the next round of a loop, where that comes to a place:
    nothing makes it anew on the way (``dataset = Tiles(path)``)."""
    names = set(_roots(read))
    here = (read.lineno, read.col_offset)
    return not any(
        isinstance(each, ast.Assign)
        and isinstance(each.value, ast.Call)
        and names.intersection(own_names(each))
        and not at < (each.lineno, each.col_offset) < here
        for each in loop.body
    )


def _roots(read: ast.expr) -> Iterator[str]:
    """The variables and paths that an expression speaks of, besides those of its indices."""
    waiting: list[ast.AST] = [read]
    for node in waiting:  # grows meanwhile
        match node:
            case ast.Subscript(value=value):
                waiting.append(value)
            case ast.Name(id=name):
                yield name
            case ast.Attribute(value=value):
                yield ast.unparse(node)
                waiting.append(value)
            case ast.expr():
                waiting += [each for each in walk(node) if isinstance(each, ast.Name | ast.Attribute)]
