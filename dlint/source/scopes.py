"""What stands around a place: the names of its classes and functions."""

from __future__ import annotations

import ast

from dlint.source.statements import blocks

_NAMED = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def scope_at(tree: ast.Module, line: int) -> str:
    """``Photos.__getitem__``: the definitions around a line, empty in the module's body. A definition's own
    first lines, its decorators among them, belong to what is around it."""
    names: list[str] = []
    block: list[ast.stmt] = tree.body
    while block:
        inside = next((each for each in block if each.lineno <= line <= (each.end_lineno or 0)), None)
        if inside is None:
            break
        if isinstance(inside, _NAMED):
            if line < inside.body[0].lineno:
                break
            names.append(inside.name)
            block = inside.body
        else:
            block = [each for _, inner, _ in blocks(inside) for each in inner]
    return ".".join(names)
