"""What functions return, and one of several things that an expression gives together: where it is written, in
the worlds in which control comes there."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from dlint.evaluation.paths.decisions import few
from dlint.source.statements import statements_in
from dlint.values.frame import Point, arguments_of
from dlint.values.functions import is_generator
from dlint.values.places import path_to, tests_around
from dlint.values.values import Function, Value
from dlint.values.worlds import World

if TYPE_CHECKING:
    from dlint.calls.evaluator import Evaluator

# Functions that one call may be of, and calls inside calls, beyond which something is made of all.
_MOST = 8
_FAR = 4


class Part(NamedTuple):
    """One of several things that come together; ``is_whole``: all of them, as they are not written out."""

    node: ast.expr
    point: Point
    world: World
    is_whole: bool


def returned(
    evaluator: Evaluator, function: Function, call: ast.Call, point: Point, world: World
) -> Iterator[tuple[ast.expr, Point, World]]:
    """What a call of a function gives."""
    frame = evaluator.calls.enter(function, arguments_of(call, point), call, point)
    if isinstance(function.node, ast.Lambda):
        yield function.node.body, Point(frame, None), world
        return
    for statement in statements_in(function.node.body):
        if isinstance(statement, ast.Return) and statement.value is not None:
            at = Point(frame, statement)
            yield from ((statement.value, at, w) for w in coming_to(evaluator, at, world))


def parts(
    evaluator: Evaluator, value: ast.expr, at: int, many: int, point: Point, world: World, far: int = 0
) -> Iterator[Part]:
    """One of so ``many`` things that an expression gives together, itself or by the functions that it
    calls."""
    match value:
        case ast.Tuple(elts=held) | ast.List(elts=held) if len(held) == many and not any(
            isinstance(each, ast.Starred) for each in held
        ):
            yield Part(held[at], point, world, False)
        case ast.IfExp(test=test, body=one, orelse=other):
            for result, w in evaluator.truth(test, point, world):
                yield from parts(evaluator, one if result else other, at, many, point, w, far)
        case ast.Call(func=func) if far < _FAR:
            callees = evaluator.values(func, point, world)
            if len(callees) > _MOST or not all(
                map(_gives_what_it_returns, (callee for callee, _ in callees))
            ):
                yield Part(value, point, world, True)
                return
            for callee, w in callees:
                assert isinstance(callee, Function)
                for node, there, v in returned(evaluator, callee, value, point, w):
                    yield from parts(evaluator, node, at, many, there, v, far + 1)
        case _:
            yield Part(value, point, world, True)


def coming_to(evaluator: Evaluator, point: Point, world: World, part: ast.expr | None = None) -> list[World]:
    """The worlds in which control comes to a place of a function, or to a part of its statement, by the
    tests around it."""
    tests = [(test, outcome) for test, outcome, _ in tests_around(point)]
    around = [*path_to(point.statement, part), part] if part is not None else []
    for outer, inner in pairwise(around):
        if isinstance(outer, ast.IfExp) and inner is not outer.test:
            tests.append((outer.test, inner is outer.body))
    worlds = [world]
    for test, outcome in tests:
        worlds = few(
            [w for each in worlds for result, w in evaluator.truth(test, point, each) if result is outcome]
        )
    return worlds


def _gives_what_it_returns(callee: Value) -> bool:
    """Whether a call surely gives what stands behind ``return`` in a function: no decorator may give another
    thing for it, and it is no generator."""
    if not isinstance(callee, Function):
        return False
    node = callee.node
    return isinstance(node, ast.Lambda) or (
        isinstance(node, ast.FunctionDef) and not node.decorator_list and not is_generator(node)
    )
