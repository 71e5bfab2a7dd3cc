"""Functions that a library's trainer calls for every batch: methods that it knows by their names, and what it
is handed with the event."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from dlint.knowledge.trainers import ADDS_HANDLER, EACH_BATCH, EVERY_BATCH, HANDLES, STEPPED, is_batch_hook
from dlint.values.frame import Point
from dlint.values.values import External

if TYPE_CHECKING:
    from dlint.loaders.program import Program


def is_called_each_batch(program: Program, function: ast.FunctionDef, point: Point) -> bool:
    """Whether a trainer calls a function, which a point lies in, for every batch."""
    owner = point.frame.owner
    if owner is not None:
        return function.name in EACH_BATCH and any(
            is_batch_hook(library, function.name) for library in program.evaluator.classes.libraries(owner)
        )
    if not program.modules.index.mentioning("ignite"):
        return False
    around = point.frame.outer
    here = Point(around, function) if around is not None else None
    return (
        here is not None and any(_is_handled(program, each, here) for each in function.decorator_list)
    ) or _is_handed_over(program, function)


def _is_handled(program: Program, decorator: ast.expr, point: Point) -> bool:
    """Whether a decorator has a function handle an event of every batch."""
    match decorator:
        case ast.Call(func=ast.Attribute(attr=name), args=[event, *_]) if name == HANDLES:
            return _is_every_batch(program, event, point)
    return False


def _is_every_batch(program: Program, event: ast.expr, point: Point) -> bool:
    program.evaluator.start()
    return any(
        isinstance(value, External) and value.name in EVERY_BATCH
        for value, _ in program.evaluator.values(event, point)
    )


def _is_handed_over(program: Program, function: ast.FunctionDef) -> bool:
    """Whether a function is what an engine does with every batch, or is added for an event of every batch."""
    evaluator = program.evaluator
    for module in program.modules.naming(function.name):
        for trail in module.paths_to(function.name):
            call, said = (trail[-2], trail[-1]) if len(trail) > 1 else (None, None)
            if not isinstance(call, ast.Call) or not isinstance(said, ast.expr):
                continue
            evaluator.start()
            point = evaluator.sites.point_of(module, trail)
            match call:
                case ast.Call(func=ast.Attribute(attr=name), args=[event, handler, *_]) if (
                    name == ADDS_HANDLER and handler is said
                ):
                    handed = _is_every_batch(program, event, point)
                case ast.Call(args=[step, *_]) if step is said:
                    handed = any(
                        isinstance(value, External) and value.name in STEPPED
                        for value, _ in evaluator.values(call.func, point)
                    )
                case _:
                    continue
            if handed and any(
                getattr(value, "node", None) is function for value, _ in evaluator.values(said, point)
            ):
                return True
    return False
