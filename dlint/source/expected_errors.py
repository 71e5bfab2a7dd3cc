"""Expected errors: what a test says must raise, what a program catches."""

from __future__ import annotations

import ast

from dlint.knowledge.testing import EXPECTS_ERROR
from dlint.source.layout import Place
from dlint.source.statements import last_name, own_names, statements_in


def expects_error(node: ast.AST | None) -> bool:
    """Whether a node is a ``with pytest.raises(...):`` or the like."""
    return isinstance(node, ast.With) and any(
        isinstance(item.context_expr, ast.Call) and last_name(item.context_expr.func) in EXPECTS_ERROR
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
            last_name(each) in _CAUGHT
            for each in (handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type])
        )
        for handler in place.owner.handlers
    )


def only_stores(attempt: ast.Try, scope: list[ast.stmt]) -> bool:
    """Whether the body of a ``try`` does nothing but store under keys of dicts that its scope writes out,
    which cannot fail: ``options["workers"] = 2``."""
    names: set[str] = set()
    for statement in attempt.body:
        match statement:
            case ast.Assign(
                targets=[ast.Subscript(value=ast.Name(id=name), slice=ast.Constant())],
                value=ast.Constant() | ast.Name(),
            ):
                names.add(name)
            case _:
                return False
    return all(_is_written_out(name, scope) for name in names)


def _is_written_out(name: str, scope: list[ast.stmt]) -> bool:
    """Whether a name is given one dict that is written out, and nothing else."""
    match [each for each in statements_in(scope) if name in own_names(each)]:
        case [ast.Assign(value=ast.Dict())]:
            return True
        case [ast.Assign(value=ast.Call(func=ast.Name(id="dict")))]:
            return True
    return False
