"""What loops go through, past ``enumerate``, ``zip`` and a dict's views, and what they count."""

from __future__ import annotations

import ast
from collections.abc import Iterator


def each_gone_through(target: ast.expr, through: ast.expr) -> Iterator[tuple[ast.expr, ast.expr]]:
    """What a loop goes through, past ``enumerate``, ``zip`` and a dict's views, each with its target."""
    match through, target:
        case ast.Call(func=ast.Attribute(value=of, attr="values")), _:
            yield target, of
        case (
            (
                ast.Call(func=ast.Attribute(value=of, attr="items"))
                | ast.Call(func=ast.Name(id="enumerate"), args=[of, *_])
            ),
            ast.Tuple(elts=[_, inner]),
        ):
            yield from each_gone_through(inner, of)
        case ast.Call(func=ast.Name(id="zip"), args=sources), ast.Tuple(elts=parts):
            if len(sources) == len(parts):
                yield from zip(parts, sources, strict=True)
        case _:
            yield target, through


def is_of_values(through: ast.expr) -> bool:
    """Whether a loop goes through the values of a dict, all of them."""
    while isinstance(through, ast.Call) and isinstance(through.func, ast.Name) and through.args:
        if through.func.id != "enumerate":
            return False
        through = through.args[0]
    match through:
        case ast.Call(func=ast.Attribute(attr="items" | "values"), args=[]):
            return True
    return False


def counted_by(loop: ast.For) -> set[str]:
    """The names that a loop gives to whole numbers: of ``range``, and what ``enumerate`` counts."""
    match loop.iter, loop.target:
        case ast.Call(func=ast.Name(id="range")), ast.Name(id=name):
            return {name}
        case ast.Call(func=ast.Name(id="enumerate")), ast.Tuple(elts=[ast.Name(id=name), _]):
            return {name}
    return set()
