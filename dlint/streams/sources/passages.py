"""What a generator gives, and in which loops."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple, TypeAlias

from dlint.source.statements import blocks, own_nodes

Loop: TypeAlias = ast.For | ast.AsyncFor | ast.While


class Passage(NamedTuple):
    """A ``yield`` of a generator, its statement, and the loops around it, the outermost first."""

    node: ast.Yield | ast.YieldFrom
    statement: ast.stmt
    loops: tuple[Loop, ...]


def passages(block: list[ast.stmt], around: tuple[Loop, ...]) -> Iterator[Passage]:
    """Each ``yield`` of a generator, with the loops around it."""
    for statement in block:
        for node in own_nodes(statement):
            if isinstance(node, ast.Yield | ast.YieldFrom):
                yield Passage(node, statement, around)
        inside = (*around, statement) if isinstance(statement, ast.For | ast.While | ast.AsyncFor) else around
        for role, inner, _ in blocks(statement):
            yield from passages(inner, inside if role == "body" else around)
