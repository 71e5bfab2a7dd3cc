"""What the walk through worker code leaves behind: events and visits, for the rules to look at."""

from __future__ import annotations

import ast
from collections import deque
from collections.abc import Iterator
from typing import TypeAlias

from dlint.evaluation.paths.decisions import few
from dlint.finding import ReachStep
from dlint.source.module import Module
from dlint.values.frame import Frame, Point
from dlint.values.functions import display_name
from dlint.values.values import Function, Made
from dlint.values.worlds import World
from dlint.workers.reach import Link

# Of the chains of calls that lead to a place so many are looked at, found in so many steps.
_MOST_WAYS = 4
_MOST_STEPS = 400


class Met:
    """In which worlds some calls of a function happen: all that stand in the same worlds of the function have
    one. Of most of them nobody asks, so that what its callers assume is joined with these only then."""

    __slots__ = ("_inside", "_joined", "_ways", "_world")

    def __init__(self, inside: list[World]) -> None:
        self._inside = inside
        self._ways: list[list[World]] = []  # the worlds in which the function was come to, each time
        self._joined = 0  # so many of these are in the world
        self._world: World | None = None

    def come_to(self, worlds: list[World]) -> None:
        """The function is come to in some more worlds."""
        self._ways.append(worlds)

    @property
    def world(self) -> World:
        """What all the ways there assume."""
        for worlds in self._ways[self._joined :]:
            first, *more = joined(worlds, self._inside)
            known = self._world
            self._world = (
                first.shared(more, ways=False) if known is None else known.shared([first, *more], ways=False)
            )
        assert self._world is not None
        if self._joined < len(self._ways):
            self._world.keep()
            self._joined = len(self._ways)
        return self._world


def joined(worlds: list[World], inside: list[World]) -> list[World]:
    """The worlds of a function's callers together with those of a step in it."""
    both = [each for world in worlds for own in inside if (each := world.joined(own)) is not None]
    return few(both, ways=False)  # which of many ways it was is asked of arguments alone


class Event:
    """A call of a library in worker code.

    ``name`` is the callee's documented name; a method of a library's object is ``maker().method``, with
    ``owner`` the object. ``role`` tells the entry it was reached from: dataset, collate_fn or
    worker_init_fn.
    """

    __slots__ = ("_world", "link", "name", "node", "owner", "point", "role")

    def __init__(
        self,
        name: str,
        owner: Made | None,
        node: ast.AST,
        point: Point,
        world: World | Met,
        link: Link,
        role: str,
    ) -> None:
        self.name = name
        self.owner = owner
        self.node = node
        self.point = point
        self._world = world
        self.link = link
        self.role = role

    @property
    def world(self) -> World:
        """What all the ways assume that lead there."""
        world = self._world
        return world.world if isinstance(world, Met) else world

    @property
    def module(self) -> Module:
        return self.point.frame.module

    def reach(self) -> tuple[ReachStep, ...]:
        """The chain of calls that led there, as data, with the call itself at its end."""
        return self.link.steps(self.name, self.module, self.node)

    def places(self) -> Iterator[Point]:
        """Where it stands, then where the calls stand that led there."""
        yield from (point for _, point in self.calls())

    def calls(self) -> Iterator[tuple[ast.AST | None, Point]]:
        """What stands at these places: the call of the library, then those that led there."""
        yield self.node, self.point
        yield from self.link.calls()

    def by(self, link: Link) -> Event:
        """The same at the end of another chain of calls."""
        return Event(self.name, self.owner, self.node, self.point, self._world, link, self.role)


class Visit:
    """A function of the program that workers execute, with the frame and the shortest chain that led there.

    ``callers`` are all the calls that lead there: what the call stands in, and its node; and where that is.
    ``worlds`` are those in which it is come to.
    """

    __slots__ = ("_world", "callers", "frame", "function", "link", "role", "worlds")

    def __init__(self, function: Function, frame: Frame, world: World, link: Link, role: str) -> None:
        self.function = function
        self.frame = frame
        self.worlds: list[World] = []
        self._world: World | None = world
        self.link = link
        self.role = role
        self.callers: dict[tuple[Above, ast.AST | None], Point | None] = {}

    def come_to(self, worlds: list[World]) -> None:
        """The function is come to in some more worlds."""
        self.worlds += worlds
        self._world = None

    @property
    def world(self) -> World:
        """What all the ways assume that lead there."""
        if self._world is None:
            self._world = self.worlds[0].shared(self.worlds[1:], ways=False)
            self._world.keep()
        return self._world


# What a call stands in: a function that workers execute, or what a loader was given.
Above: TypeAlias = Visit | Link | None


def linked(function: Function, at: Point | None, node: ast.AST | None, above: Above) -> Link:
    """The step of a reach that comes to a function by a call."""
    line = getattr(function.node, "lineno", 1)
    held = above.link if isinstance(above, Visit) else above
    return Link(held, display_name(function), function.module, line, at, node, function)


def ways(visit: Visit) -> list[Link]:
    """The chains of calls that lead to a function, the shortest first; of many the first."""
    found: list[Link] = []
    waiting: deque[tuple[Visit, ...]] = deque([(visit,)])
    looked_at = 0
    while waiting and len(found) < _MOST_WAYS and looked_at < _MOST_STEPS:
        looked_at += 1
        chain = waiting.popleft()
        for above, _ in chain[0].callers:
            if not isinstance(above, Visit):
                found += _links(chain, above)
            elif above not in chain:
                waiting.append((above, *chain))
    return list({id(link): link for link in [visit.link, *found]}.values())[:_MOST_WAYS]


def _links(chain: tuple[Visit, ...], start: Link | None) -> list[Link]:
    """The reaches along a chain, which may call a function in several places."""
    found: list[tuple[Above, Link | None]] = [(start, start)]
    for visit in chain:
        longer: list[tuple[Above, Link | None]] = [
            (visit, visit.link if _is_own(visit, link, node) else _stepped(visit, link, at, node))
            for before, link in found
            for (above, node), at in visit.callers.items()
            if above is before
        ]
        found = longer[:_MOST_WAYS]
    return [link for _, link in found if link is not None]


def _is_own(visit: Visit, link: Link | None, node: ast.AST | None) -> bool:
    return visit.link.above is link and visit.link.site is node


def _stepped(visit: Visit, link: Link | None, at: Point | None, node: ast.AST | None) -> Link:
    own = visit.link
    return Link(link, own.name, own.module, own.line, at, node, visit.function)
