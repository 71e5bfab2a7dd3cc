"""What the walk through worker code leaves behind: events and visits, for the rules to look at."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dlint.source.module import Module
from dlint.values.frame import Frame, Point
from dlint.values.values import Function, Made
from dlint.values.worlds import World
from dlint.workers.reach import Link


class Event:
    """A call of a library in worker code.

    ``name`` is the callee's documented name; a method of a library's object is ``maker().method``, with
    ``owner`` the object. ``role`` tells the entry it was reached from: dataset, collate_fn or
    worker_init_fn.
    """

    __slots__ = ("link", "name", "node", "owner", "point", "role", "world")

    def __init__(
        self, name: str, owner: Made | None, node: ast.AST, point: Point, world: World, link: Link, role: str
    ) -> None:
        self.name = name
        self.owner = owner
        self.node = node
        self.point = point
        self.world = world
        self.link = link
        self.role = role

    @property
    def module(self) -> Module:
        return self.point.frame.module

    def places(self) -> Iterator[Point]:
        """Where it stands, then where the calls stand that led there."""
        yield self.point
        yield from self.link.callers()


class Visit:
    """A function of the program that workers execute, with the frame and the chain that led there."""

    __slots__ = ("frame", "function", "link", "role", "world")

    def __init__(self, function: Function, frame: Frame, world: World, link: Link, role: str) -> None:
        self.function = function
        self.frame = frame
        self.world = world
        self.link = link
        self.role = role
