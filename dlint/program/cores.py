"""Numbers of threads that are as many as there are cores."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.evaluation.library.library import answer_of
from dlint.evaluation.library.numbers import length_of
from dlint.knowledge.processes.native_threads import CORES, SET_OF_CORES
from dlint.source.statements import FunctionNode, self_name, statements_in
from dlint.values.facts import fits
from dlint.values.frame import Point, arguments_of
from dlint.values.places import spelled
from dlint.values.values import Const, Function, Instance, Value

if TYPE_CHECKING:
    from dlint.calls.evaluator import Evaluator
    from dlint.values.worlds import World

_LEAST, _MOST = "builtins.min", "builtins.max"
# So many threads are more than most machines have cores for one worker.
_MANY = 32
# So many are left to others: ``os.cpu_count() - 1``.
_SPARED = 2
_SEVERAL = Const(4)
# Attributes and functions behind which a number is looked for.
_FAR = 2


def is_number_of_cores(value: Value) -> bool:
    """Whether a value is what ``os.cpu_count()`` gives, or how many cores there are for the process."""
    # Keys are those of the program that is looked at.
    return any(value.key == each.key for each in _numbers())


def _numbers() -> list[Value]:
    return [*map(answer_of, CORES), length_of(answer_of(SET_OF_CORES))]


def are_all_cores(
    evaluator: Evaluator, number: ast.expr, point: Point, world: World, far: int = _FAR
) -> bool:
    """Whether a number is surely that of all cores, or about that, or more, on machines that do not have very
    many: ``os.cpu_count() or 1``, ``2 * os.cpu_count()``, ``min(32, os.cpu_count() + 4)``,
    ``max(1, os.cpu_count() - 1)``."""
    number = spelled(number, point)
    match number:
        case ast.BoolOp(op=ast.Or(), values=[first, *_]) if are_all_cores(
            evaluator, first, point, world, far
        ):
            return True
        case ast.BinOp(left=one, op=ast.Add() | ast.Mult(), right=other):
            for cores, beside in ((one, other), (other, one)):
                if are_all_cores(evaluator, cores, point, world, far):
                    return _is_at_least(evaluator, beside, 1, point, world)
            return False
        case ast.BinOp(left=cores, op=ast.Sub(), right=ast.Constant(value=int(spared))):
            return spared <= _SPARED and are_all_cores(evaluator, cores, point, world, far)
        case ast.IfExp(test=test, body=body, orelse=orelse):
            ways = [each for each in evaluator.truth(test, point, world) if _may_be_several(each[1])]
            return bool(ways) and all(
                are_all_cores(evaluator, body if result else orelse, point, w, far) for result, w in ways
            )
        case ast.Call(func=called, args=[_, _] as given, keywords=[]):
            names = {getattr(function, "name", "") for function, _ in evaluator.values(called, point, world)}
            if names and names <= {_LEAST, _MOST}:
                return any(are_all_cores(evaluator, each, point, world, far) for each in given) and (
                    names == {_MOST}
                    or any(_is_at_least(evaluator, each, _MANY, point, world) for each in given)
                )
    found = evaluator.values(number, point, world)
    # What is only taken where nobody can say how many there are does not count: ``os.cpu_count() or 1``.
    values = [value for value, w in found if _may_be_several(w)]
    if values and all(map(is_number_of_cores, values)):
        return True
    behind = list(_behind(evaluator, number, point, world)) if far else []
    return bool(behind) and all(are_all_cores(evaluator, each, at, w, far - 1) for each, at, w in behind)


def _may_be_several(world: World) -> bool:
    return all(fits(_SEVERAL, world.about(each.key)) for each in _numbers())


def _behind(
    evaluator: Evaluator, number: ast.expr, point: Point, world: World
) -> Iterator[tuple[ast.expr, Point, World]]:
    """What is stored in an attribute of the object itself as it is made, or what a function returns."""
    match number:
        case ast.Attribute(value=ast.Name(id=holder), attr=name):
            owner, scope = point.frame.receiver, point.frame.scope
            if not isinstance(owner, Instance) or not isinstance(scope, FunctionNode):
                return
            storing = evaluator.attributes.stored.storing(owner, name)
            if (
                holder != self_name(scope)
                or any(function.name != "__init__" for _, function in storing)
                or evaluator.attributes.is_set_from_outside(owner, name)
            ):
                return
            for _, _, at, w in evaluator.construction.stores(owner, world, (name,)):
                yield (at.statement.value if isinstance(at.statement, ast.Assign) else number), at, w
        case ast.Call(func=called):
            for callee, w in evaluator.values(called, point, world):
                if not isinstance(callee, Function) or not isinstance(callee.node, ast.FunctionDef):
                    yield number, point, w  # nobody can say
                    continue
                frame = evaluator.calls.enter(callee, arguments_of(number, point), number, point)
                for statement in statements_in(callee.node.body):
                    if isinstance(statement, ast.Return) and statement.value is not None:
                        yield statement.value, Point(frame, statement), w


def _is_at_least(evaluator: Evaluator, number: ast.expr, least: int, point: Point, world: World) -> bool:
    values = [
        value.value if isinstance(value, Const) else None
        for value, _ in evaluator.values(number, point, world)
    ]
    return bool(values) and all(isinstance(value, int) and value >= least for value in values)
