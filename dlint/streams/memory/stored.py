"""What statements store in entries and attributes, or take out of them: ``batch["x"] = y``, ``batch.y = y``,
``batch.pop("x")``."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from dlint.knowledge.tensors import tells_tensor
from dlint.source.nodes import is_text
from dlint.source.statements import own_nodes

# Some part: any of them may be meant.
ANY = ...


class Field(NamedTuple):
    """The part of an object that is an attribute of this name."""

    name: str


# Some attributes of an object: it may have been told to store in them.
TOLD = Field("")


class Stored(NamedTuple):
    """Something that is stored under a key; ``is_entry`` where a tensor has no such keys."""

    held: ast.expr
    key: ast.expr
    value: ast.expr
    is_entry: bool


def stores(statement: ast.stmt) -> Iterator[Stored]:
    """What a statement by itself stores under keys: ``batch["x"] = y``, ``batch.update(x=y)``."""
    match statement:
        case ast.Assign(targets=targets, value=value):
            for target in targets:
                yield from _stored(target, value)
        case ast.Expr(
            value=ast.Call(func=ast.Attribute(value=held, attr="update"), args=args, keywords=keywords)
        ):
            for keyword in keywords:
                yield Stored(held, ast.Constant(keyword.arg or ANY), keyword.value, True)
            for arg in args:
                if isinstance(arg, ast.Dict):
                    for key, each in zip(arg.keys, arg.values, strict=True):
                        yield Stored(held, key or ast.Constant(ANY), each, True)
                else:
                    yield Stored(held, ast.Constant(ANY), arg, True)
        case ast.Expr(value=ast.Call(func=ast.Name(id="setattr"), args=[held, _, value])):
            yield Stored(held, ast.Constant(ANY), value, True)


def taken_out(statement: ast.stmt) -> Iterator[tuple[ast.expr, str]]:
    """What a statement by itself takes out of a dict: ``batch.pop("x")``, ``del batch["x"]``."""
    for node in own_nodes(statement):
        match node:
            case (
                ast.Call(func=ast.Attribute(value=held, attr="pop"), args=[ast.Constant(value=str(key)), *_])
                | ast.Subscript(value=held, slice=ast.Constant(value=str(key)), ctx=ast.Del())
            ):
                yield held, key


def _stored(target: ast.expr, value: ast.expr) -> Iterator[Stored]:
    match target:
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            values = value.elts if isinstance(value, ast.Tuple | ast.List) else []
            for at, part in enumerate(parts):
                yield from _stored(part, values[at] if len(values) == len(parts) else value)
        case ast.Subscript(value=held, slice=ast.Name() | ast.Constant() | ast.UnaryOp() as key):
            yield Stored(held, key, value, is_text(key))
        case ast.Attribute(value=held, attr=name):
            yield Stored(held, target, value, not tells_tensor(name))


def key_of(key: ast.expr) -> object:
    if isinstance(key, ast.Attribute):
        return Field(key.attr)
    return key.value if isinstance(key, ast.Constant) else ANY


def written_keys(loop: ast.For) -> Iterator[tuple[str, list[object]]]:
    """The name with which a loop goes through keys that are written out, and these."""
    match loop:
        case ast.For(target=ast.Name(id=name), iter=ast.Tuple(elts=parts) | ast.List(elts=parts)):
            yield name, [part.value if isinstance(part, ast.Constant) else ANY for part in parts]
