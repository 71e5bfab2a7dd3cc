"""Points: where a node of a tree stands.

It is asked from the text: the node is found first, and its frame is then one without arguments, not bound to
a certain call of the function around it.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from dlint.source.module import Module
from dlint.values.frame import Frame, Point
from dlint.values.values import Class

if TYPE_CHECKING:
    from dlint.calls.interface import Evaluator


class Points:
    """The frames and points of nodes."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator

    def frame_of(self, module: Module, trail: list[ast.AST]) -> Frame:
        """The frame, not bound to a certain call, of the scope around the last node of a trail."""
        frame = self._evaluator.modules.frame(module)
        owner: Class | None = None
        for node in trail[1:-1]:
            if isinstance(node, ast.ClassDef):
                owner = Class(node, frame)
                frame = Frame(module, node, frame)
            elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                frame = Frame(module, node, frame, owner=owner)
                owner = None
            elif isinstance(node, ast.Lambda):
                frame = Frame(module, node, frame)
                owner = None
        return frame

    def point_of(self, module: Module, trail: list[ast.AST]) -> Point:
        """The point, in such a frame, of the last node of a trail.

        A decorator, a default and a base belong to the scope outside; they are looked at as inside, which
        changes nothing for what is asked of them.
        """
        frame = self.frame_of(module, trail)
        start = max(
            (i for i, node in enumerate(trail[:-1]) if node is frame.scope),
            default=0,
        )
        statement: ast.stmt | None = None
        point = Point(frame, None)
        for node in trail[start + 1 :]:
            if isinstance(node, ast.stmt):
                statement = node
                point = Point(frame, statement)
            elif isinstance(node, ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp):
                point = self._evaluator.inside(node, point)
        return point
