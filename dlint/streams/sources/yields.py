"""What a generator gives: what the loops around each ``yield`` go over, and what a ``yield from`` does."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from dlint.source.statements import target_names
from dlint.streams.sources.counting import Counting, Part, kinds_of
from dlint.streams.sources.kinds import COUNT, DATA, RANGE, Kinds, together
from dlint.streams.sources.passages import Loop, Passage
from dlint.streams.sources.rounds import Rounds
from dlint.values.frame import Frame, Point
from dlint.values.values import Instance
from dlint.values.worlds import World

if TYPE_CHECKING:
    from dlint.streams.sources.kinds import Streams


class Yields:
    """Follows what a generator gives to its sources; ``beside`` are the objects that are gone through."""

    def __init__(
        self,
        streams: Streams,
        rounds: Rounds,
        counting: Counting,
        beside: list[tuple[Instance, World]],
    ) -> None:
        self._streams = streams
        self._rounds = rounds
        self._counting = counting
        self._beside = beside

    def of(self, passage: Passage, frame: Frame, world: World, far: int) -> Kinds:
        """What the loops around a ``yield`` go over, and what a ``yield from`` does."""
        before = len(self._beside)
        found = self._rounds.of_loops(passage.loops, frame, world, far)
        for at, loop in enumerate(passage.loops):
            if found[at] is None and isinstance(loop, ast.For):
                found[at] = self._of_counted_part(
                    loop.iter, Point(frame, loop), passage.loops[:at], found[:at], world
                )
        point = Point(frame, passage.statement)
        if isinstance(passage.node, ast.YieldFrom):
            kinds = self._streams.of_expression(passage.node.value, point, world, far)
            if kinds is None and self._rounds.records.is_made_of(
                passage.node.value, passage.loops, frame, world
            ):
                kinds = DATA
            if kinds is None:
                kinds = self._of_each_chained(passage, frame, world, far)
            if kinds is None and isinstance(getattr(passage.node.value, "slice", None), ast.Slice):
                kinds = self._of_counted_part(passage.node.value, point, passage.loops, found, world)
            found.append(kinds)
        leave_behind_shares(self._beside, found, before)
        if not isinstance(passage.node, ast.YieldFrom) and together(found) == RANGE:
            loops = [loop for loop in passage.loops if isinstance(loop, ast.For)]
            return kinds_of(self._counting.of_loops(loops, passage.node.value, point, world))
        kinds = together(found)
        return kinds - RANGE - COUNT if kinds is not None and "data" in kinds else kinds  # numbers only count

    def _of_each_chained(self, passage: Passage, frame: Frame, world: World, far: int) -> Kinds:
        """What is read by the streams that a loop takes from ``map``, to give what each has: ``yield from
        rows`` of ``for rows in map(read, files)``."""
        given = passage.node.value
        for loop in passage.loops:
            if (
                isinstance(loop, ast.For)
                and isinstance(given, ast.Name)
                and given.id in target_names(loop.target)
            ):
                named = isinstance(loop.target, ast.Name)
                return self._rounds.chained.of(loop.iter, Point(frame, loop), world, far) if named else None
        return None

    def _of_counted_part(
        self, node: ast.expr, point: Point, around: tuple[Loop, ...], read: list[Kinds], world: World
    ) -> Kinds:
        """What is gone through whose part a loop around it counts: ``rows[at : at + 512]``."""
        counts = [
            each
            for each, kinds in zip(around, read, strict=True)
            if kinds == RANGE and isinstance(each, ast.For)
        ]
        if not counts:
            return None
        part = self._counting.of_loops(counts, node, point, world)
        return DATA if part is Part.DATA else None


def leave_behind_shares(beside: list[tuple[Instance, World]], found: list[Kinds], before: int) -> None:
    """Forgets what is gone through for each thing that is some worker's alone: its own, too."""
    if any(each is not None and "share" in each for each in found[:-1]):
        del beside[before:]
