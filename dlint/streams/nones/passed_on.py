"""Nones that a function only passes on: ``if image is None: return None``, where it may be given that."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.knowledge.parts import MAY_GIVE_NONE
from dlint.source.statements import FunctionNode, own_names, parameters, statements_in
from dlint.values.frame import Argument, Point, given_to
from dlint.values.places import loops_around
from dlint.values.values import Const, Made, Value, is_none
from dlint.values.worlds import World

if TYPE_CHECKING:
    from dlint.calls.evaluator import Evaluator


def is_never_passed(
    evaluator: Evaluator, test: ast.expr, function: FunctionNode, point: Point, world: World
) -> bool:
    """Whether a test asks only whether parameters of a function are None, and nobody is seen to pass that."""
    given = _only_given(function)
    asked = _asked(test)
    if not asked or any(name.id not in given for name in asked):
        return False
    evaluator.start()
    return not any(may_be_none(value) for name in asked for value in _given(evaluator, name, point, world))


def is_passed_none(
    evaluator: Evaluator, value: ast.expr | None, function: FunctionNode, point: Point, world: World
) -> bool:
    """Whether what a statement returns is a parameter that this caller gives None, or nothing where that is
    the default: ``except OSError: return default``."""
    if not isinstance(value, ast.Name) or value.id not in _only_given(function):
        return False
    evaluator.start()
    values = [each for each, _ in evaluator.values(value, point, world)]
    return bool(values) and all(map(is_none, values))


def _only_given(function: FunctionNode) -> set[str]:
    """The parameters of a function that it does not bind anew."""
    bound = {name for statement in statements_in(function.body) for name in own_names(statement)}
    return {argument.arg for argument in parameters(function)} - bound


def _given(evaluator: Evaluator, name: ast.Name, point: Point, world: World) -> Iterator[Value]:
    """What a parameter is. Of a step that a loop calls with what the one before it gave (``data =
    step(data)``), what the first one gets: each step is asked what it gives itself."""
    argument = given_to(point.frame, name.id)
    match argument:
        case Argument(
            expression=ast.Name(id=handed) as expression, point=Point(statement=ast.stmt() as call) as at
        ) if handed in own_names(call):
            loop = next(loops_around(at), None)
            definitions = evaluator.flow.definitions(handed, at.before(loop), world) if loop else []
            for statement, w in definitions:
                if statement is None:
                    yield from _given(evaluator, expression, at, w)
                elif isinstance(statement, ast.Assign):
                    before = at.before(statement)
                    yield from (value for value, _ in evaluator.values(statement.value, before, w))
            if definitions:
                return
    given = evaluator.values(name, point, world) if argument is None else evaluator.value_of(argument, world)
    yield from (value for value, _ in given)


def may_be_none(value: Value) -> bool:
    """Whether a value is None, or of a library's call that gives that where it fails."""
    if isinstance(value, Const):
        return value.value is None
    return isinstance(value, Made) and value.name in MAY_GIVE_NONE


def _asked(test: ast.expr) -> list[ast.Name]:
    """The variables that a test compares with None; nothing where it asks anything else."""
    match test:
        case ast.Compare(
            left=ast.Name() as name, ops=[ast.Is() | ast.IsNot()], comparators=[ast.Constant(value=None)]
        ):
            return [name]
        case ast.BoolOp(values=tests):
            parts = [_asked(each) for each in tests]
            return [name for part in parts for name in part] if all(parts) else []
    return []
