"""Whether what is iterated over comes to an end, wherever it is from: also a list that is handed over."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from dlint.source.statements import parameters, statements_in
from dlint.values.frame import Point, arguments_of
from dlint.values.functions import is_generator
from dlint.values.places import tests_around
from dlint.values.values import External, Function
from dlint.values.worlds import World

if TYPE_CHECKING:
    from dlint.calls.evaluator import Evaluator
    from dlint.streams.sources.streams import Streams

# Functions, one inside another, whose results are looked at.
_FAR = 3
_FINITE = frozenset(
    f"builtins.{name}" for name in ("bytes", "dict", "frozenset", "list", "range", "set", "str", "tuple")
)


def comes_to_end(
    evaluator: Evaluator, streams: Streams, node: ast.expr, point: Point, world: World, far: int = 0
) -> bool:
    """Whether an expression is finite: a stream that is known, what a test before it says is a list, or what
    a function of the program gives whose results all are."""
    if streams.of_expression(node, point, world) is not None or _is_told_list(evaluator, node, point, world):
        return True
    if not isinstance(node, ast.Call) or far == _FAR:
        return False
    callees = evaluator.values(node.func, point, world)
    for callee, w in callees:
        if not isinstance(callee, Function) or not isinstance(callee.node, ast.FunctionDef):
            return False
        frame = evaluator.calls.enter(callee, arguments_of(node, point), node, point)
        given = [
            (statement.value, Point(frame, statement))
            for statement in statements_in(callee.node.body)
            if isinstance(statement, ast.Return) and statement.value is not None
        ]
        if not given or is_generator(callee.node) or callee.node.decorator_list:
            return False
        if not all(comes_to_end(evaluator, streams, value, at, w, far + 1) for value, at in given):
            return False
    return bool(callees)


def _is_told_list(evaluator: Evaluator, node: ast.expr, point: Point, world: World) -> bool:
    """Whether a parameter that nothing has replaced is used only where ``isinstance(it, list)``."""
    scope = point.frame.scope
    if not isinstance(node, ast.Name) or not isinstance(scope, ast.FunctionDef):
        return False
    if node.id not in {each.arg for each in parameters(scope)} or any(
        statement is not None for statement, _ in evaluator.flow.definitions(node.id, point, world)
    ):
        return False
    return any(
        _tells_list(evaluator, test, outcome, node.id, point, world)
        for test, outcome, _ in tests_around(point)
    )


def _tells_list(
    evaluator: Evaluator, test: ast.expr, outcome: bool, name: str, point: Point, world: World
) -> bool:
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=inner):
            return _tells_list(evaluator, inner, not outcome, name, point, world)
        case _ if not outcome:
            return False
        case ast.BoolOp(op=ast.And(), values=parts):
            return any(_tells_list(evaluator, part, True, name, point, world) for part in parts)
        case ast.Call(func=ast.Name(id="isinstance"), args=[ast.Name(id=asked), kinds]) if asked == name:
            named = kinds.elts if isinstance(kinds, ast.Tuple) else [kinds]
            return all(
                isinstance(value, External) and value.name in _FINITE
                for each in named
                for value, _ in evaluator.values(each, point, world)
            )
    return False
