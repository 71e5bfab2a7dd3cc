"""What the walk through worker code leaves behind: events and visits, for the rules to look at."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dlint.source.layout import FunctionNode
from dlint.source.module import Module
from dlint.values.frame import Frame, Point, layout_of
from dlint.values.values import Function, Made, World
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


def function_body(node: FunctionNode | ast.Lambda) -> tuple[ast.AST, ...]:
    """All nodes of a function, those of functions inside it left aside."""
    return layout_of(node).nodes


def is_generator(node: FunctionNode) -> bool:
    """Whether calling a function gives a generator."""
    return any(isinstance(inner, ast.Yield | ast.YieldFrom) for inner in function_body(node))


def display_name(function: Function) -> str:
    """What a reader calls a function: ``VOCDataset.__getitem__``, ``load_image``."""
    name = getattr(function.node, "name", "lambda")
    if function.owner is not None:
        return f"{function.owner.name}.{name}"
    return name
