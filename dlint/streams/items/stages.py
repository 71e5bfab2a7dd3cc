"""The functions of the program that a call runs one after the other: of a transform, or of several."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from dlint.knowledge.callbacks import KEEPS_TRANSFORMS
from dlint.values.functions import is_generator
from dlint.values.values import Function, Instance, Items, Made, Value
from dlint.values.worlds import HERE

if TYPE_CHECKING:
    from dlint.calls.evaluator import Evaluator

_FAR = 6


def functions_run(evaluator: Evaluator, called: Value, far: int = 0) -> list[Function]:
    """The functions of the program that a call runs, one with what the one before gives; nothing where
    others may run, too."""
    match called:
        case Function(
            node=ast.FunctionDef(decorator_list=[], args=ast.arguments(vararg=None, kwarg=None)) as node
        ) if not is_generator(node):
            return [called]
        case Instance():
            methods = evaluator.classes.methods(called, "__call__")
            return functions_run(evaluator, methods[0]) if len(methods) == 1 else []
        case Made() if called.name.rpartition(".")[2] in KEEPS_TRANSFORMS and far < _FAR:
            parts = _transforms(evaluator, called)
            found = [functions_run(evaluator, part, far + 1) for part in parts]
            return [each for one in found for each in one] if all(found) else []
    return []


def _transforms(evaluator: Evaluator, made: Made) -> tuple[Value, ...]:
    """The transforms that one of a library surely is made of, where none is added to them."""
    argument = next(iter(made.arguments.positional), made.arguments.keywords.get("transforms"))
    if argument is None or any(path.endswith(".transforms") for path in made.point.frame.layout.binds):
        return ()
    match [value for value, _ in evaluator.value_of(argument, HERE)]:
        case [Items(items=parts, open=False)]:
            return parts
    return ()
