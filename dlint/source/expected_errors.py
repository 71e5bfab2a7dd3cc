"""Expected errors: what a test says must raise, what a program catches."""

from __future__ import annotations

import ast

from dlint.knowledge.testing import EXPECTS_ERROR
from dlint.source.layout import Place
from dlint.source.statements import dotted


def expects_error(node: ast.AST | None) -> bool:
    """Whether a node is a ``with pytest.raises(...):`` or the like."""
    return isinstance(node, ast.With) and any(
        isinstance(item.context_expr, ast.Call)
        and (dotted(item.context_expr.func) or "").rpartition(".")[2] in EXPECTS_ERROR
        for item in node.items
    )


_CAUGHT = frozenset({"ValueError", "AssertionError", "Exception", "BaseException"})


def is_caught(place: Place) -> bool:
    """Whether a place is one where a ``try`` goes on after a constructor has refused its arguments."""
    if not isinstance(place.owner, ast.Try) or place.role != "body":
        return False
    return any(
        handler.type is None
        or any(
            (dotted(each) or "").rpartition(".")[2] in _CAUGHT
            for each in (handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type])
        )
        for handler in place.owner.handlers
    )
