"""Draws that choose another item for one that cannot be used: they run only where there is such an item."""

from __future__ import annotations

import ast

from dlint.source.nodes import walk
from dlint.source.statements import own_names, parameters
from dlint.values.places import loops_around, places_around
from dlint.workers.events import Event

# The condition under which such a draw is made.
REPLACING = "an item cannot be used and another is drawn"


def replaces_item(event: Event) -> bool:
    """Whether a draw chooses another item for one that cannot be used: after an exception, as the index that
    ``__getitem__`` is asked for once more, or as the index with which its loop goes round again."""
    if any(
        isinstance(around.owner, ast.ExceptHandler)
        for point in event.places()
        for around in places_around(point)
    ):
        return True
    scope, statement = event.point.frame.scope, event.point.statement
    if statement is None:
        return False
    if isinstance(scope, ast.FunctionDef) and scope.name == "__getitem__" and any(loops_around(event.point)):
        index = {each.arg for each in parameters(scope)[1:2]}
        if isinstance(statement, ast.Assign) and index & set(own_names(statement)):
            return True
    return any(
        any(inner is event.node for inner in walk(node))
        for node in walk(statement)
        if (isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "__getitem__")
        or (isinstance(node, ast.Subscript) and getattr(node.value, "id", "") == "self")
    )
