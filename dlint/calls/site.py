"""Call sites, as data."""

from __future__ import annotations

import ast

from dlint.values.frame import Arguments, Point


class Site:
    """One call of a function of the program: the call, where it stands, and what it passes."""

    __slots__ = ("arguments", "call", "point")

    def __init__(self, call: ast.Call, point: Point, arguments: Arguments) -> None:
        self.call = call
        self.point = point
        self.arguments = arguments
