"""Kinds of streams: what an iteration is known to read."""

from __future__ import annotations

import ast
from typing import Protocol, TypeAlias

from dlint.values.frame import Frame, Point
from dlint.values.values import Function, Value
from dlint.values.worlds import World

# What a stream is read from: "range", numbers that are its items; "count", numbers that only count what comes
# from elsewhere; "data"; "share", what gives each worker its own part, where that is asked. None where that
# is not known.
Kinds: TypeAlias = frozenset[str] | None

NOTHING: frozenset[str] = frozenset()
RANGE = frozenset({"range"})
COUNT = frozenset({"count"})
DATA = frozenset({"data"})
SHARE = frozenset({"share"})


def together(found: list[Kinds]) -> Kinds:
    """What several sources read together: not known as soon as one is not."""
    kinds = NOTHING
    for each in found:
        if each is None:
            return None
        kinds |= each
    return kinds


def known_together(found: list[Kinds]) -> Kinds:
    """The same; not known, either, where there is no source."""
    return together(found) or None


class Streams(Protocol):
    """Who tells what an iteration reads: what those who follow loops and parts ask in turn.

    ``passed`` are the functions that it has come through.
    """

    passed: list[tuple[ast.AST, Frame]]

    def of_function(self, function: Function, frame: Frame, world: World, far: int = 0) -> Kinds: ...

    def of_expression(self, node: ast.expr, point: Point, world: World, far: int = 0) -> Kinds: ...

    def keeps(self, node: ast.expr, point: Point, world: World) -> bool: ...

    def of_value(self, value: Value, world: World, far: int) -> Kinds: ...

    def too_far(self) -> Kinds: ...
