"""Whether what is iterated over comes to an end, wherever it is from: a stream, a list that is handed over,
an iterator over something finite."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from dlint.knowledge.iterables import COLLECTS, ENDS_WITH_ALL, ENDS_WITH_ANY, PASSES_ON
from dlint.knowledge.randomness import SHUFFLES_IN_PLACE
from dlint.knowledge.tensors import makes_tensors
from dlint.source.statements import dotted, own_names, parameters, statements_in
from dlint.streams.ends.loaders import are_ending_loaders
from dlint.values.frame import Point, arguments_of
from dlint.values.functions import is_generator
from dlint.values.places import tests_around
from dlint.values.values import GENERATOR, External, Function, Items, Made
from dlint.values.worlds import World

if TYPE_CHECKING:
    from dlint.calls.evaluator import Evaluator
    from dlint.streams.sources.streams import Streams

# Functions, or iterators, one inside another, whose results are looked at.
_FAR = 3
_FINITE = frozenset(
    f"builtins.{name}" for name in ("bytes", "dict", "frozenset", "list", "range", "set", "str", "tuple")
)


def comes_to_end(
    evaluator: Evaluator, streams: Streams, node: ast.expr, point: Point, world: World, far: int = 0
) -> bool:
    """Whether an expression is finite: a stream that is known, what a test before it says is a list, what has
    been put in another order where it is, or what a function of the program gives whose results all are."""
    if streams.of_expression(node, point, world) is not None or _is_told_list(evaluator, node, point, world):
        return True
    if _is_ordered_before(evaluator, node, point):
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


def _is_ordered_before(evaluator: Evaluator, node: ast.expr, point: Point) -> bool:
    """Whether a statement before has put what a name stands for in another order, as can be done with lists
    and arrays alone: ``random.shuffle(files)``, ``files.sort()``."""
    path, at = dotted(node), point.statement
    if path is None or at is None:
        return False
    before = [each for each in statements_in(point.frame.layout.body) if each.lineno < at.lineno]
    for each in reversed(before):
        if path in own_names(each):
            return False
        match each:
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=value, attr="sort"))):
                if dotted(value) == path:
                    return True
            case ast.Expr(value=ast.Call(func=func, args=[given, *_])) if dotted(given) == path:
                if _called(evaluator, func, Point(point.frame, each)) in SHUFFLES_IN_PLACE:
                    return True
    return False


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


def is_finite_iterator(
    evaluator: Evaluator, streams: Streams, node: ast.expr, point: Point, world: World, far: int = 0
) -> bool:
    """Whether an expression makes an iterator, and one over something that comes to an end."""
    match node:
        case ast.Call(func=func, args=given):
            name = _called(evaluator, func, point)
            if name in COLLECTS:
                return False  # no iterator at all
            if name == "builtins.iter" and len(given) == 1:
                return _has_end(evaluator, streams, given[0], point, world, far)
            if name in ENDS_WITH_ALL | ENDS_WITH_ANY and far < _FAR:
                sources = given[PASSES_ON[name]] if name is not None else []
                if sources and not any(isinstance(each, ast.Starred) for each in sources):
                    ends = [_has_end(evaluator, streams, each, point, world, far + 1) for each in sources]
                    if all(ends) or (name in ENDS_WITH_ANY and any(ends)):
                        return True
            return streams.of_expression(node, point, world) is not None
        case ast.GeneratorExp():
            return streams.of_expression(node, point, world) is not None
        case ast.IfExp(test=test, body=body, orelse=orelse):
            ways = evaluator.truth(test, point, world)
            return bool(ways) and all(
                is_finite_iterator(evaluator, streams, body if result else orelse, point, w, far)
                for result, w in ways
            )
    return False


def _has_end(
    evaluator: Evaluator, streams: Streams, node: ast.expr, point: Point, world: World, far: int
) -> bool:
    """Whether what is gone through comes to an end: what was collected, lists, loaders, iterators that do."""
    if isinstance(node, ast.Call) and _called(evaluator, node.func, point) in COLLECTS:
        return True
    return (
        _are_lists(evaluator, node, point, world)
        or comes_to_end(evaluator, streams, node, point, world)
        or are_ending_loaders(evaluator, node, point, world)
        or (isinstance(node, ast.Call) and is_finite_iterator(evaluator, streams, node, point, world, far))
    )


def _are_lists(evaluator: Evaluator, node: ast.expr, point: Point, world: World) -> bool:
    """Whether something is a list or the like, whatever is in it (``extra = list(torch.randn(2))``), or a
    tensor."""
    values = [value for value, _ in evaluator.values(node, point, world)]
    return bool(values) and all(
        (isinstance(value, Items) and value.kind != GENERATOR)
        or (isinstance(value, Made) and makes_tensors(value.name))
        for value in values
    )


def _called(evaluator: Evaluator, func: ast.expr, point: Point) -> str | None:
    values = [value for value, _ in evaluator.values(func, point)]
    return values[0].name if len(values) == 1 and isinstance(values[0], External) else None
