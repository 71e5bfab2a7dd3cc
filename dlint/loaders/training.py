"""Whether a pass over a loader trains, or only looks at what a model makes of the data."""

from __future__ import annotations

import ast

from dlint.knowledge.epochs import WITHOUT_GRADIENTS, speaks_of_training
from dlint.source.nodes import walk
from dlint.source.statements import dotted, statements_in
from dlint.values.frame import Point
from dlint.values.places import places_around

_SWITCH = "set_grad_enabled"


def is_without_gradients(point: Point) -> bool:
    """Whether no gradients are kept where a point stands: by a decorator or a ``with`` around it."""
    for place in places_around(point):
        if isinstance(place.owner, ast.With) and any(
            _turns_off(item.context_expr) for item in place.owner.items
        ):
            return True
    decorators = getattr(point.frame.scope, "decorator_list", [])
    return any(_turns_off(decorator) for decorator in decorators)


def _turns_off(node: ast.expr) -> bool:
    called = node.func if isinstance(node, ast.Call) else node
    name = (dotted(called) or "").rpartition(".")[2]
    given = node.args if isinstance(node, ast.Call) else []
    if name == _SWITCH:
        return bool(given) and isinstance(given[0], ast.Constant) and not given[0].value
    return name in WITHOUT_GRADIENTS


def evaluates(point: Point) -> bool:
    """Whether a loop at a point calls a model that the same function has put into evaluation mode, and the
    function does nothing that trains."""
    loop, scope = point.statement, point.frame.scope
    if not isinstance(loop, ast.For) or not isinstance(scope, ast.FunctionDef):
        return False
    calls = [node for node in point.frame.layout.nodes if isinstance(node, ast.Call)]
    models = {
        dotted(call.func.value)
        for call in calls
        if isinstance(call.func, ast.Attribute) and call.func.attr == "eval" and not call.args
    }
    if not models or speaks_of_training("\n".join(ast.unparse(call.func) + "(" for call in calls)):
        return False
    used = {
        dotted(node.func)
        for statement in statements_in(loop.body)
        for node in walk(statement)
        if isinstance(node, ast.Call)
    }
    return any(model is not None and model in used for model in models)
