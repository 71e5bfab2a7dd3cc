"""Where things stand in a syntax tree: lists of statements, and the slots of expressions."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from random import Random
from typing import Any, NamedTuple

Body = list[ast.stmt]

# A tree that grows beyond this is not made larger: mutations are small programs, bombs are another matter.
_MOST_NODES = 4_000


class Around(NamedTuple):
    """What a change may use: its choices, another program to take from, and modules to import."""

    random: Random
    other: str
    modules: tuple[str, ...]


# Where things stand ----------------------------------------------------------------------------------


def bodies(tree: ast.AST) -> list[Body]:
    """Every list of statements, the module's first."""
    return [
        value
        for node in ast.walk(tree)
        for _, value in ast.iter_fields(node)
        if isinstance(value, list) and value and isinstance(value[0], ast.stmt)
    ]


def slots(tree: ast.AST) -> Iterator[tuple[Any, Any]]:
    """The places of expressions that are read: (node, field) or (list, index)."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.JoinedStr, ast.MatchValue)):
            continue
        for field, value in ast.iter_fields(node):
            if isinstance(value, ast.expr) and _is_read(value):
                yield node, field
            elif isinstance(value, list):
                for index, each in enumerate(value):
                    if isinstance(each, ast.expr) and _is_read(each):
                        yield value, index


def _is_read(node: ast.expr) -> bool:
    return isinstance(getattr(node, "ctx", None) or ast.Load(), ast.Load)


def get(slot: tuple[Any, Any]) -> ast.expr:
    holder, key = slot
    found = holder[key] if isinstance(holder, list) else getattr(holder, key)
    assert isinstance(found, ast.expr)
    return found


def put(slot: tuple[Any, Any], value: ast.expr) -> None:
    holder, key = slot
    if isinstance(holder, list):
        holder[key] = value
    else:
        setattr(holder, key, value)


def slot_of(tree: ast.AST, random: Random) -> tuple[Any, Any] | None:
    found = list(slots(tree))
    return random.choice(found) if found else None


def place(body: Body, random: Random) -> int:
    return random.randrange(len(body))


def small(tree: ast.Module) -> bool:
    return sum(1 for _ in ast.walk(tree)) < _MOST_NODES


def taken(body: Body, index: int) -> ast.stmt:
    """A statement out of its body, which is not left empty."""
    statement = body.pop(index)
    if not body:
        body.append(ast.Pass())
    return statement
