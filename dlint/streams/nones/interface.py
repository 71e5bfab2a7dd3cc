"""What those who look at variables ask of whoever looks at expressions."""

from __future__ import annotations

import ast
from typing import Protocol

from dlint.streams.nones.scope import How, Scope
from dlint.values.frame import Point
from dlint.values.worlds import World


class Expressions(Protocol):
    """Tells how an expression comes to be None."""

    def of_expression(self, node: ast.expr, point: Point, world: World, scope: Scope) -> How | None:
        """How an expression that is returned comes to be None, or to have a None in it."""

    def is_record(self, callee: ast.expr, point: Point, world: World) -> bool:
        """Whether a call makes a named tuple of what it is given, each part of which torch collates."""

    def of_part(
        self, call: ast.Call, at: int, count: int, point: Point, world: World, scope: Scope
    ) -> How | None:
        """How one of so many things that a call gives together comes to be None."""
