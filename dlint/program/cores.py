"""Numbers of threads that are as many as there are cores."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from dlint.evaluation.library.library import answer_of
from dlint.knowledge.processes.native_threads import CORES
from dlint.values.places import spelled
from dlint.values.values import Const, External, Value

if TYPE_CHECKING:
    from dlint.calls.evaluator import Evaluator
    from dlint.values.frame import Point
    from dlint.values.worlds import World

_LEAST = "builtins.min"
# So many threads are more than most machines have cores for one worker.
_MANY = 32


def is_number_of_cores(value: Value) -> bool:
    """Whether a value is what ``os.cpu_count()`` gives."""
    # Keys are those of the program that is looked at.
    return any(value.key == answer_of(name).key for name in CORES)


def are_all_cores(evaluator: Evaluator, number: ast.expr, point: Point, world: World) -> bool:
    """Whether a number is surely that of all cores, or more, on machines that do not have very many:
    ``os.cpu_count() or 1``, ``2 * os.cpu_count()``, ``min(32, os.cpu_count() + 4)``."""
    number = spelled(number, point)
    match number:
        case ast.BoolOp(op=ast.Or(), values=[first, *_]):
            return are_all_cores(evaluator, first, point, world)
        case ast.BinOp(left=one, op=ast.Add() | ast.Mult(), right=other):
            for cores, beside in ((one, other), (other, one)):
                if are_all_cores(evaluator, cores, point, world):
                    return _is_at_least(evaluator, beside, 1, point, world)
            return False
        case ast.Call(func=called, args=[_, _] as given, keywords=[]):
            functions = evaluator.values(called, point, world)
            if functions and all(isinstance(f, External) and f.name == _LEAST for f, _ in functions):
                return any(are_all_cores(evaluator, each, point, world) for each in given) and any(
                    _is_at_least(evaluator, each, _MANY, point, world) for each in given
                )
    values = evaluator.values(number, point, world)
    return bool(values) and all(is_number_of_cores(value) for value, _ in values)


def _is_at_least(evaluator: Evaluator, number: ast.expr, least: int, point: Point, world: World) -> bool:
    values = [
        value.value if isinstance(value, Const) else None
        for value, _ in evaluator.values(number, point, world)
    ]
    return bool(values) and all(isinstance(value, int) and value >= least for value in values)
