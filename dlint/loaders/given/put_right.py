"""Dicts of options that functions change in place before a loader gets them, where nobody follows what that
leaves: ``fill_in(options)``, ``fill_in(self.options)``."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.evaluation.dicts.handed import is_changed_by
from dlint.source.statements import dotted, functions_in, statements_in, steps
from dlint.values.frame import Argument, Frame, Point

if TYPE_CHECKING:
    from dlint.calls.evaluator import Evaluator


def is_put_right(evaluator: Evaluator, options: Argument) -> bool:
    """Whether a dict of options is handed to a function that changes it."""
    point = options.point
    name = dotted(steps(options.expression)[0]) if options.expression is not None else None
    if name is None or point is None:
        return False
    return any(
        is_changed_by(evaluator, statement.value, name, Point(frame, statement))
        for frame in _scopes(evaluator, name, point.frame)
        if not isinstance(frame.scope, ast.Lambda)
        for statement in statements_in(frame.scope.body)
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call)
        # What is left of one that the scope itself writes out is known.
        if name not in frame.layout.handed.get(id(statement), ())
    )


def _scopes(evaluator: Evaluator, name: str, frame: Frame) -> Iterator[Frame]:
    """The scopes that may hand on what goes by a name in one: it and those around it, and the methods of the
    class where it is an attribute of their object."""
    around: Frame | None = frame
    while around is not None:
        yield around
        around = around.outer
    if "." in name and frame.owner is not None:
        for above in evaluator.classes.line(frame.owner):
            outer = Frame(above.module, above.node, above.frame)
            for method in functions_in(above.node.body):
                yield Frame(above.module, method, outer, receiver=frame.receiver, owner=above)
