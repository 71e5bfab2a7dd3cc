"""Which assignments reach a place, and in which worlds control does, path by path.

The search goes backwards from a point through the statements before it. Where control may have come two
ways (a branch, a loop, a ``try``) it forks the world, assuming what the tests say; a way that contradicts
what is already assumed is not taken.
"""

from __future__ import annotations

import ast
from bisect import bisect_left
from collections.abc import Sequence
from typing import TYPE_CHECKING

from dlint.budget.budget import spend
from dlint.evaluation.paths.decisions import FORKS, branch, few, told
from dlint.evaluation.paths.search import Definition, Passing, Search
from dlint.source.layout import Guard, Layout
from dlint.source.statements import dotted
from dlint.values.frame import Frame, Point
from dlint.values.values import Key
from dlint.values.worlds import HERE, World

if TYPE_CHECKING:
    from dlint.evaluation.interface import Evaluator

_NONE: frozenset[int] = frozenset()


class Flow:
    """Backward search for definitions; ``evaluator`` answers what the tests on the way may be."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator
        # By frame and statement: the worlds in which control comes there with nothing assumed, None where
        # they are too many to go on with each: then what is assumed decides which are left.
        self._reached: dict[tuple[Key, int], list[World] | None] = {}

    def definitions(
        self,
        name: str,
        point: Point,
        world: World,
        *,
        anew: bool = False,
        passing: Passing | None = None,
        also: frozenset[int] = _NONE,
    ) -> list[Definition]:
        """The statements that may have bound or changed ``name`` last when control comes to ``point``;
        ``anew`` looks past those that only change it in place, and those that are for ``passing`` are passed
        over; ``also`` are the ids of statements, and of those around them, that bind it otherwise.

        Which of several statements it was counts as an assumption: two uses that the same statements reach
        are reached by the same one, also where the tests that tell were too many to be remembered.
        """
        at = point.statement
        found = self._found(name, point.frame, at, world, anew, passing, also)
        if len(found) < 2:
            return found
        choices = frozenset(id(statement) for statement, _ in found)
        if len(choices) < 2:
            return found
        # What a statement in a loop changes was left there by itself or not, whatever comes out in the end.
        changing = at is not None and (name in point.frame.layout.bound_by(at) or id(at) in also)
        mark = ("reached", point.frame.key, name, choices, id(at) if changing else None)
        return [
            (statement, w.assuming(mark, id(statement)))
            for statement, w in found
            if w.known(mark) in (None, id(statement))
        ]

    def assigned(
        self, name: str, point: Point, world: World, *, anew: bool = False
    ) -> tuple[ast.expr, Point] | None:
        """What the one assignment gives to a name, which may be dotted, that reaches a point, and where that
        stands; None where several do, or the name is bound otherwise."""
        match self.definitions(name, point, world, anew=anew):
            case [(ast.Assign(targets=[target], value=value) as statement, _)] if dotted(target) == name:
                return value, Point(point.frame, statement)
        return None

    def _found(
        self,
        name: str,
        frame: Frame,
        at: ast.stmt | None,
        world: World,
        anew: bool,
        passing: Passing | None,
        also: frozenset[int],
    ) -> list[Definition]:
        """What a search finds. Where no test and no decision lay on its way, that is the same in all frames
        of the scope and in all worlds, and is kept with the scope."""
        if passing is not None:
            return Search(self._evaluator, frame, name, anew, passing, also).run(at, world)
        kept = frame.layout.reached_by
        mark = (name, id(at) if at is not None else 0, anew, also)
        if mark in kept:
            reached = kept[mark]
            if reached is not None:
                spend(1)
                return [(statement, world) for statement in reached]
        search = Search(self._evaluator, frame, name, anew, passing, also)
        found = search.run(at, world)
        kept[mark] = tuple(statement for statement, _ in found) if search.straight else None
        return found

    def reaching(self, point: Point, world: World) -> list[World]:
        """The worlds in which control comes to a point, given the tests that guard it."""
        if point.statement is None:
            return [world]
        kept = point.frame.layout.guarding
        guards = kept.get(id(point.statement))
        if guards is None:
            guards = kept[id(point.statement)] = self._guards(point.statement, point.frame.layout)
        if not guards:
            return [world]
        if point.locals:
            return self._passing(guards, point, world)
        mark = (point.frame.key, id(point.statement))
        if mark not in self._reached:
            if not all(self._evaluator.is_decided(each.test, point) for each in guards):
                # What a test asks may depend on what has been asked; the one before may rule it out.
                return self._passing(guards, point, world)
            self._reached[mark] = self._apart(guards, point)
        reached = self._reached[mark]
        if reached is None:
            return self._passing(guards, point, world)
        if not world.facts:
            return [*reached]
        return [both for each in reached if (both := world.joined(each)) is not None]

    def _guards(self, statement: ast.stmt, layout: Layout) -> tuple[Guard, ...]:
        """The tests that decide whether control comes to a statement, the outermost first."""
        guards: list[Guard] = []
        at: ast.AST | None = statement
        while at is not None:
            place = layout.places.get(id(at))
            spend(1)
            if place is None:
                holder = layout.try_of.get(id(at))  # a handler or case: go on from its statement
                at = holder
                continue
            guarding = layout.guards(place.block)
            for guard in reversed(guarding[: bisect_left(guarding, place.at, key=lambda each: each.at)]):
                spend(1)
                guards.append(guard)
            owner = place.owner
            if isinstance(owner, ast.If):
                guards.append(Guard(place.at, owner.test, place.role == "body", owner))
            at = owner
        return tuple(reversed(guards))

    def falling(self, frame: Frame, world: World) -> list[World]:
        """The worlds in which control comes to the end of a scope, past what leaves it before."""
        guards = frame.layout.guards(frame.layout.body)
        return self._passing(guards, Point(frame, None), world)

    def _passing(self, guards: Sequence[Guard], point: Point, world: World) -> list[World]:
        """The worlds in which tests, the outermost first, let control through."""
        worlds = [world]
        for _, test, wanted, statement in guards:
            where = point.before(statement)
            forked = [after for w in worlds for after in self._evaluator.assume(test, wanted, where, w)]
            worlds = told(few(forked), branch(statement, point.frame), wanted) if forked else []
            if not worlds:
                return []
        return worlds

    def _apart(self, guards: Sequence[Guard], point: Point) -> list[World] | None:
        """The same with nothing assumed; None where they would be folded."""
        worlds = [HERE]
        for _, test, wanted, statement in guards:
            where = point.before(statement)
            forked = [after for w in worlds for after in self._evaluator.assume(test, wanted, where, w)]
            if len(forked) > FORKS:
                return None
            worlds = told(forked, branch(statement, point.frame), wanted)
        return worlds
