"""Which of the things that an object holds in lists and dicts a method may ask for items, and which it only
looks at: ``len(self.parts)``, ``self.parts[k].files``, ``for part in self.parts: len(part)``."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import Any

from dlint.source.nodes import children
from dlint.source.statements import parameters, self_name
from dlint.values.functions import function_body

_LOOKS = ("len", "type")
_Above = Mapping[int, ast.AST]


class Each:
    """Stands for the key of any entry."""


def asked(node: ast.AST) -> dict[str, set[Any]]:
    """The attributes of its object of which a method does more than to look at the entries, each with the
    keys of the entries that it gets: ``Each`` where these can be any."""
    found: dict[str, set[Any]] = {}
    if not isinstance(node, ast.FunctionDef) or not parameters(node):
        return found
    own = self_name(node)
    body = function_body(node)
    above: _Above = {id(child): each for each in (node, *body) for child in children(each)}
    for inner in body:
        match inner:
            case ast.Attribute(value=ast.Name(id=name), attr=attribute, ctx=ast.Load()) if name == own:
                if _is_looked_at(inner, above):
                    continue
                entries = list(_entries(inner, body, above))
                if entries and all(_is_looked_at(entry, above) for entry in entries):
                    continue
                match above.get(id(inner)):
                    case ast.Subscript(slice=ast.Constant(value=key)):
                        found.setdefault(attribute, set()).add(key)
                    case _:
                        found.setdefault(attribute, set()).add(Each)
    return found


def _is_looked_at(node: ast.AST, above: _Above) -> bool:
    """Whether what an expression gives is asked for its length, its class or an attribute, and no more."""
    match above.get(id(node)):
        case ast.Call(func=ast.Name(id=name)):
            return name in _LOOKS
        case ast.Attribute(ctx=ast.Load()) as attribute:
            outer = above.get(id(attribute))
            return not (isinstance(outer, ast.Call) and outer.func is attribute)
    return False


def _entries(held: ast.expr, body: tuple[ast.AST, ...], above: _Above) -> Iterator[ast.AST]:
    """The expressions that give single entries of a list or dict, where all of them are plain to see."""
    outer = above.get(id(held))
    at: int | None = None
    source: ast.AST = held
    match outer:
        case ast.Subscript(slice=ast.Slice()):
            return
        case ast.Subscript(value=value) if value is held:
            yield outer
            return
        case ast.Call(func=ast.Name(id="enumerate"), args=[first, *_]) if first is held:
            source, at = outer, 1
        case ast.Attribute(attr="values" | "items" as method):
            call = above.get(id(outer))
            if isinstance(call, ast.Call) and call.func is outer:
                source, at = call, 1 if method == "items" else None
    loop = above.get(id(source))
    if not isinstance(loop, ast.For | ast.comprehension) or loop.iter is not source:
        return
    target: ast.expr = loop.target
    if at is not None:
        if not isinstance(target, ast.Tuple) or len(target.elts) != 2:
            return
        target = target.elts[at]
    if isinstance(target, ast.Name):
        for node in body:
            if isinstance(node, ast.Name) and node.id == target.id and isinstance(node.ctx, ast.Load):
                yield node
