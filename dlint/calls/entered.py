"""Where calls lead that call a function one through the other: in its frames for these calls alone."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

from dlint.calls.site import Site
from dlint.source.statements import FunctionNode
from dlint.values.frame import Frame, Point, arguments_of
from dlint.values.values import Function, Instance

if TYPE_CHECKING:
    from dlint.calls.evaluator import Evaluator

# Calls from the outermost on, each with the function that it calls and the next call stands in.
Chain: TypeAlias = Sequence[tuple[Site, FunctionNode | ast.Lambda]]


def entered(evaluator: Evaluator, chain: Chain, statement: ast.stmt | None) -> list[Point]:
    """The points before a statement of the last function that some calls lead to; none where it is not known
    how one of them calls."""
    points = [chain[0][0].point] if chain else []
    for at, (site, function) in enumerate(chain):
        inside = chain[at + 1][0].point.statement if at + 1 < len(chain) else statement
        points = [
            Point(frame, inside)
            for point in points
            for frame in _frames(evaluator, site.call, function, point)
        ]
    return points


def _frames(
    evaluator: Evaluator, call: ast.Call, function: FunctionNode | ast.Lambda, point: Point
) -> list[Frame]:
    called = [value for value, _ in evaluator.values(call.func, point) if isinstance(value, Function)]
    if isinstance(function, FunctionNode) and not called:
        # What is called is an object, or a class that makes one.
        of, name = (call, "__init__") if function.name == "__init__" else (call.func, function.name)
        for value, _ in evaluator.values(of, point):
            if isinstance(value, Instance):
                called += evaluator.classes.methods(value, name)
    return [
        evaluator.calls.enter(each, arguments_of(call, point), call, point)
        for each in called
        if each.node is function
    ]
