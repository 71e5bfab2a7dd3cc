"""Calls that read alike: told the same things, they give the same answer.

What a call is told is compared as it is written, without asking what it stands for.
"""

from __future__ import annotations

import ast

from dlint.source.statements import dotted
from dlint.values.frame import Argument, Arguments, Point
from dlint.values.values import Key


def told(arguments: Arguments, name: str) -> Key | None:
    """What a call of a function or method of this name is told: equal where two calls surely are told the
    same. None where that cannot be said."""
    if arguments.spread or arguments.splats:
        return None
    positional = arguments.positional
    if name.rpartition(".")[2] == "get" and len(positional) == 2 and _is_nothing(positional[1]):
        positional = positional[:1]  # `get("a")` and `get("a", False)` are true together
    keys = [_given(each) for each in (*positional, *arguments.keywords.values())]
    return None if None in keys else (*keys, *arguments.keywords)


def _is_nothing(argument: Argument) -> bool:
    return isinstance(argument.expression, ast.Constant) and not argument.expression.value


def _given(argument: Argument) -> Key | None:
    if argument.value is not None:
        return argument.value.key
    if argument.expression is None or argument.point is None or argument.element:
        return None
    return _read(argument.expression, argument.point)


def _read(node: ast.expr, point: Point) -> Key | None:
    """What an expression says, where it says the same wherever it stands in its frame."""
    parts: list[ast.expr]
    match node:
        case ast.Constant():
            return ("const", type(node.value).__name__, node.value)
        case ast.Name() | ast.Attribute():
            path = dotted(node)
            return ("read", point.frame.key, path) if path is not None and _stays(path, point) else None
        case ast.Subscript():
            parts = [node.value, node.slice]
        case ast.List() | ast.Tuple():
            parts = node.elts
        case _:
            return None
    keys = [_read(part, point) for part in parts]
    return None if None in keys else (type(node).__name__, *keys)


def _stays(path: str, point: Point) -> bool:
    """Whether a name is bound at most once in its scope, and not in a loop or a branch."""
    layout = point.frame.layout
    root = path.partition(".")[0]
    if root in point.locals or (path != root and path in layout.binds):
        return False
    if root not in layout.binds:
        return True
    places = layout.binding(layout.body)[root]
    return len(places) == 1 and isinstance(layout.body[places[0]], ast.Assign)
