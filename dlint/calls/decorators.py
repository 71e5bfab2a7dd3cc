"""Decorators that give a function arguments which its callers do not write: from a configuration."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from dlint.knowledge.callbacks import FILLS_ARGUMENTS
from dlint.source.layout import FunctionNode, parameters
from dlint.source.nodes import walk
from dlint.values.frame import Frame, Point
from dlint.values.values import External, Function

if TYPE_CHECKING:
    from dlint.calls.interface import Evaluator


def fills_arguments(evaluator: Evaluator, scope: FunctionNode, outer: Frame) -> bool:
    """Whether a decorator of a function may call it with more than its callers pass."""
    return any(
        _fills(value.node)
        if isinstance(value, Function)
        else isinstance(value, External) and value.name in FILLS_ARGUMENTS
        for decorator in scope.decorator_list
        for value, _ in evaluator.values(
            decorator.func if isinstance(decorator, ast.Call) else decorator, Point(outer, None)
        )
    )


def _fills(decorator: FunctionNode | ast.Lambda) -> bool:
    """Whether a function inside a decorator calls what is decorated with a ``**`` that is not its own."""
    if isinstance(decorator, ast.Lambda):
        return False
    functions = [node for node in walk(decorator) if isinstance(node, ast.FunctionDef)]
    given = {parameter.arg for function in functions for parameter in parameters(function)}
    own = {function.args.kwarg.arg for function in functions if function.args.kwarg is not None}
    return any(
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in given
        and any(
            k.arg is None and isinstance(k.value, ast.Name) and k.value.id not in own for k in node.keywords
        )
        for node in walk(decorator)
    )
