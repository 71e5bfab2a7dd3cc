"""What a function's decorators put around it: that runs in worker code whenever the function is called."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from dlint.calls.decorators import is_dispatched, registered
from dlint.knowledge.callbacks import CONTEXT_DECORATOR, MAKES_CONTEXTS
from dlint.source.statements import FunctionNode
from dlint.values.frame import Argument, Arguments, Frame, Point
from dlint.values.values import External, Function, Instance, Unknown
from dlint.values.worlds import HERE
from dlint.workers.summaries.meeting import DECORATED, Meeting

if TYPE_CHECKING:
    from dlint.calls.evaluator import Evaluator


def meet_wrappers(evaluator: Evaluator, meeting: Meeting, function: Function, frame: Frame) -> None:
    """Notes the calls of what the decorators of a function give in its place."""
    node = function.node
    if not isinstance(node, FunctionNode) or not node.decorator_list:
        return
    at = Point(function.frame, node)
    given = frame.arguments.behind(function.receiver) if frame.arguments is not None else None
    if is_dispatched(evaluator, node, function.frame):
        for other in registered(evaluator, function):
            meeting.called(other, frame.arguments, node, at, HERE)
        return
    for decorator in node.decorator_list:
        if _enters(evaluator, meeting, decorator, at):
            continue
        inside = Arguments([Argument(None, None, Unknown(DECORATED))])
        for value, world in evaluator.values(decorator, at):
            for wrapper, _ in evaluator.invoke(value, inside, decorator, at, world):
                meeting.called(wrapper, given, decorator, at, HERE)


def _enters(evaluator: Evaluator, meeting: Meeting, decorator: ast.expr, at: Point) -> bool:
    """Whether a decorator is a context, which each call of the function enters and leaves."""
    if isinstance(decorator, ast.Call) and any(
        isinstance(callee, Function) and _makes_context(evaluator, callee)
        for callee, _ in evaluator.values(decorator.func, at)
    ):
        meeting.call(decorator, at, HERE)
        return True
    contexts = [
        value
        for value, _ in evaluator.values(decorator, at)
        if isinstance(value, Instance) and CONTEXT_DECORATOR in evaluator.classes.libraries(value.cls)
    ]
    if contexts:
        meeting.context(decorator, at, HERE)
    return bool(contexts)


def _makes_context(evaluator: Evaluator, function: Function) -> bool:
    return any(
        isinstance(value, External) and value.name in MAKES_CONTEXTS
        for decorator in getattr(function.node, "decorator_list", ())
        for value, _ in evaluator.values(decorator, Point(function.frame, None))
    )
