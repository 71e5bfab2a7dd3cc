"""The names of a function that stand for an item: its number, and what was read for it."""

from __future__ import annotations

import ast
from collections.abc import Set

from dlint.module.layout import own_names, parameters, statements_in

_NUMERIC = frozenset({"int", "len", "max", "min", "divmod"})


def concerns(test: ast.expr, index: frozenset[str], read: frozenset[str]) -> bool:
    """Whether a test is about what was read for the item; comparing the index with the length is not."""
    for node in ast.walk(test):
        if isinstance(node, ast.Name) and node.id in read:
            return True
        if isinstance(node, ast.Call | ast.Subscript) and mentions(node, index):
            return True
    return False


def mentions(node: ast.AST, names: Set[str]) -> bool:
    """Whether an expression has one of some names in it."""
    return any(isinstance(inner, ast.Name) and inner.id in names for inner in ast.walk(node))


def is_index(node: ast.AST, index: Set[str]) -> bool:
    """Whether an expression is the item's number, or only counts with it."""
    return mentions(node, index) and all(
        isinstance(inner.func, ast.Name) and inner.func.id in _NUMERIC
        if isinstance(inner, ast.Call)
        else not isinstance(inner, ast.Subscript)
        for inner in ast.walk(node)
    )


def index_names(function: ast.FunctionDef) -> frozenset[str]:
    """The parameters of a ``__getitem__`` and the variables that are worked out from them alone."""
    found = {parameter.arg for parameter in parameters(function)[1:]}
    for statement in statements_in(function.body):
        if isinstance(statement, ast.Assign) and is_index(statement.value, found):
            found |= set(own_names(statement))
    return frozenset(found)


def read_from(function: ast.FunctionDef, index: frozenset[str], read: frozenset[str]) -> frozenset[str]:
    """The variables of a function that hold what belongs to the item."""
    found = set(read)
    for _ in range(2):  # a loop may use what its end has set
        for statement in statements_in(function.body):
            names = set(own_names(statement))
            if names and isinstance(
                statement, ast.Assign | ast.AnnAssign | ast.AugAssign | ast.For | ast.With
            ):
                sources = [
                    child
                    for child in ast.iter_child_nodes(statement)
                    if not isinstance(child, ast.stmt) and not isinstance(getattr(child, "ctx", 0), ast.Store)
                ]
                for source in sources:
                    value = source.context_expr if isinstance(source, ast.withitem) else source
                    if mentions(value, index | found) and not is_index(value, index):
                        found |= names
    return frozenset(found - index)
