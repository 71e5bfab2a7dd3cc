"""The calls that are written in a block, or in a function, each with the point that it is made at."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dlint.source.nodes import walk
from dlint.source.statements import own_nodes, statements_in
from dlint.values.frame import Frame, Point
from dlint.values.values import Function


def calls_of(block: list[ast.stmt], frame: Frame) -> Iterator[tuple[ast.Call, Point]]:
    """Those of a block, with all that stands inside it."""
    for statement in statements_in(block):
        for node in own_nodes(statement):
            if isinstance(node, ast.Call):
                yield node, Point(frame, statement)


def calls_in(function: Function, frame: Frame) -> Iterator[tuple[ast.Call, Point]]:
    """Those of a function."""
    if isinstance(function.node, ast.Lambda):
        for node in walk(function.node.body):
            if isinstance(node, ast.Call):
                yield node, Point(frame, None)
    else:
        yield from calls_of(function.node.body, frame)
