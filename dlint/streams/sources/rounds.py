"""Rounds: what the loops around a ``yield`` go over, one inside the other."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from dlint.knowledge.iterables import gives_all
from dlint.source.statements import target_names
from dlint.streams.sources.calls_inside import calls_of
from dlint.streams.sources.chained import Chained
from dlint.streams.sources.file_names import FileNames
from dlint.streams.sources.kinds import DATA, Kinds
from dlint.streams.sources.passages import Loop
from dlint.streams.sources.records import Records, unwrapped
from dlint.streams.sources.turns import Turns
from dlint.streams.sources.while_loops import WhileLoops
from dlint.values.frame import Frame, Point
from dlint.values.values import Made
from dlint.values.worlds import World

if TYPE_CHECKING:
    from dlint.calls.evaluator import Evaluator
    from dlint.streams.sources.kinds import Streams


class Rounds:
    """Follows the loops of a generator."""

    def __init__(self, streams: Streams, evaluator: Evaluator) -> None:
        self._evaluator = evaluator
        self._whiles = WhileLoops(streams, Turns(self._of_chained, evaluator), evaluator)
        self.records = Records(self._whiles, evaluator)
        self._names = FileNames(streams, evaluator)
        self.chained = Chained(streams, self._names, self.records, evaluator)

    def _of_chained(self, node: ast.expr, point: Point, world: World, far: int) -> Kinds:
        return self.chained.of(node, point, world, far)

    def of_loops(self, loops: tuple[Loop, ...], frame: Frame, world: World, far: int) -> list[Kinds]:
        """What each of some loops goes over, the outermost first."""
        return [
            self._of_for(loop, loops[:at], frame, world, far)
            if isinstance(loop, ast.For)
            else self._whiles.of(loop, loops[:at], loops[at + 1 :], frame, world)
            if isinstance(loop, ast.While)
            else None
            for at, loop in enumerate(loops)
        ]

    def _of_for(self, loop: ast.For, around: tuple[Loop, ...], frame: Frame, world: World, far: int) -> Kinds:
        names = set(target_names(loop.target))
        calls = calls_of(loop.body, frame)
        kinds = self._names.of(loop.iter, names, calls, Point(frame, loop), world, far)
        if kinds is None and (
            any(self._goes_through_element(loop, outer, frame, world) for outer in around)
            or self.records.is_made_of(loop.iter, around, frame, world)
        ):
            return DATA
        return kinds

    def _goes_through_element(self, loop: ast.For, outer: Loop, frame: Frame, world: World) -> bool:
        """Whether a loop goes through what one around it reads: rows of a chunk, words of a line."""
        root = loop.iter
        while not isinstance(root, ast.Name):
            if isinstance(root, ast.Attribute | ast.Subscript):
                root = root.value
            elif isinstance(root, ast.Call) and isinstance(root.func, ast.Attribute):
                root = root.func
            else:
                return False
        if not isinstance(outer, ast.For) or root.id not in target_names(outer.target):
            return False
        point = Point(frame, outer)
        source, at = unwrapped(self._evaluator, outer.iter, point, world)
        return all(
            isinstance(value, Made) and gives_all(value.name)
            for value, _ in self._evaluator.values(source, at, world)
        )
