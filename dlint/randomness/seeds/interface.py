"""What those who look at one kind of expression ask of whoever follows the seed back."""

from __future__ import annotations

import ast
from typing import Protocol

from dlint.randomness.seeds.seed import Seed
from dlint.values.frame import Frame, Point
from dlint.values.worlds import World


class Trace(Protocol):
    """One seed that is followed back."""

    def of(self, node: ast.expr, point: Point, world: World) -> list[Seed]:
        """The seeds that an expression may be, looked at from a point."""

    def by_functions(self, name: str, node: ast.expr, frame: Frame) -> list[Seed]:
        """What functions store in a name of their module."""
