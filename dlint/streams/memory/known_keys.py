"""Tests about keys that are written out, in the round of a loop in which a name stands for one of them."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from dlint.source.nodes import walk

Known = Mapping[str, str | int]


def speaks_of(test: ast.expr, known: Known) -> bool:
    """Whether a test is about such a key."""
    return any(isinstance(each, ast.Name) and each.id in known for each in walk(test))


def comes_out(test: ast.expr, known: Known) -> bool | None:
    """How a test about such a key comes out; None where nobody can tell."""
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=inner):
            outcome = comes_out(inner, known)
            return None if outcome is None else not outcome
        case ast.Compare(left=ast.Name(id=name), ops=[ast.Eq() | ast.NotEq() as operator], comparators=[key]):
            keys = [key]
        case ast.Compare(
            left=ast.Name(id=name),
            ops=[ast.In() | ast.NotIn() as operator],
            comparators=[ast.Tuple(elts=keys) | ast.List(elts=keys) | ast.Set(elts=keys)],
        ):
            pass
        case _:
            return None
    among = [each.value for each in keys if isinstance(each, ast.Constant)]
    if name not in known or len(among) != len(keys):
        return None
    return (known[name] in among) is isinstance(operator, ast.Eq | ast.In)
