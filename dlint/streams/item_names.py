"""The names of a function that stand for an item: its number, and what was read for it."""

from __future__ import annotations

import ast
from collections.abc import Set

from dlint.source.layout import own_names, parameters, statements_in
from dlint.source.nodes import children, walk
from dlint.values.frame import Arguments, Frame

_NUMERIC = frozenset({"int", "len", "max", "min", "divmod"})
_ABOUT_NUMBERS = _NUMERIC | {"isinstance", "type"}


def concerns(test: ast.expr, index: frozenset[str], read: frozenset[str]) -> bool:
    """Whether a test is about what was read for the item; comparing the index with the length is not."""
    for node in walk(test):
        if isinstance(node, ast.Name) and node.id in read:
            return True
        if (
            isinstance(node, ast.Call | ast.Subscript)
            and mentions(node, index)
            and not _is_about_number(node)
        ):
            return True
    return False


def _is_about_number(node: ast.Call | ast.Subscript) -> bool:
    """Whether a call asks about the number that it is given, and not about the item."""
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _ABOUT_NUMBERS


def settled(function: ast.FunctionDef) -> frozenset[str]:
    """The variables that are the item's number, lengths and settings, or are worked out from them alone."""
    bindings: dict[str, list[ast.stmt]] = {}
    for statement in statements_in(function.body):
        for name in own_names(statement):
            bindings.setdefault(name, []).append(statement)
    found = set(bindings)
    while True:
        others = bindings.keys() - found
        gone = {
            name
            for name in found
            if not all(isinstance(s, ast.Assign) and _is_setting(s.value, others) for s in bindings[name])
        }
        if not gone:
            return frozenset(found)
        found -= gone


def _is_setting(value: ast.expr, others: Set[str]) -> bool:
    return not mentions(value, others) and all(
        isinstance(node.func, ast.Name) and node.func.id in _NUMERIC | {"getattr"}
        if isinstance(node, ast.Call)
        else not isinstance(node, ast.Subscript)
        for node in walk(value)
    )


def mentions(node: ast.AST, names: Set[str]) -> bool:
    """Whether an expression has one of some names in it."""
    return any(isinstance(inner, ast.Name) and inner.id in names for inner in walk(node))


def is_index(node: ast.AST, index: Set[str]) -> bool:
    """Whether an expression is the item's number, or only counts with it."""
    return mentions(node, index) and all(
        isinstance(inner.func, ast.Name) and inner.func.id in _NUMERIC
        if isinstance(inner, ast.Call)
        else not isinstance(inner, ast.Subscript)
        for inner in walk(node)
    )


def index_names(function: ast.FunctionDef) -> frozenset[str]:
    """The parameters of a ``__getitem__`` and the variables that are worked out from them alone."""
    return _worked_out(function, {parameter.arg for parameter in parameters(function)[1:]})


def index_names_in(frame: Frame, entries: tuple[str, ...]) -> frozenset[str]:
    """The same of any function that one of the ``entries`` of a dataset leads to: the parameters that are
    given such numbers, and what is worked out from these."""
    function = frame.scope
    if not isinstance(function, ast.FunctionDef):
        return frozenset()
    if function.name in entries:
        return index_names(function)
    names = [parameter.arg for parameter in parameters(function)][frame.receiver is not None :]
    arguments = frame.arguments or Arguments()
    given = [*zip(names, arguments.positional, strict=False), *arguments.keywords.items()]
    return _worked_out(
        function,
        {
            name
            for name, argument in given
            if argument.expression is not None
            and argument.point is not None
            and argument.point.frame is not frame
            and is_index(argument.expression, index_names_in(argument.point.frame, entries))
        },
    )


def _worked_out(function: ast.FunctionDef, found: set[str]) -> frozenset[str]:
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
            if names and isinstance(statement, ast.Assign | ast.AugAssign | ast.For | ast.With):
                sources = [
                    child
                    for child in children(statement)
                    if not isinstance(child, ast.stmt) and not isinstance(getattr(child, "ctx", 0), ast.Store)
                ]
                for source in sources:
                    value = source.context_expr if isinstance(source, ast.withitem) else source
                    if mentions(value, index | found) and not is_index(value, index):
                        found |= names
    return frozenset(found - index)
