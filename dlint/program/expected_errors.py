"""Expected errors: what a test says must raise."""

from __future__ import annotations

import ast

from dlint.knowledge.testing import EXPECTS_ERROR
from dlint.module.layout import dotted


def expects_error(node: ast.AST | None) -> bool:
    """Whether a node is a ``with pytest.raises(...):`` or the like."""
    return isinstance(node, ast.With) and any(
        isinstance(item.context_expr, ast.Call)
        and (dotted(item.context_expr.func) or "").rpartition(".")[2] in EXPECTS_ERROR
        for item in node.items
    )
