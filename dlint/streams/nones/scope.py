"""A function that is run for an item, and how it comes to give None."""

from __future__ import annotations

import ast
from functools import cached_property
from typing import NamedTuple

from dlint.source.layout import Place
from dlint.streams.items.names import read_from
from dlint.values.frame import Frame, Point
from dlint.values.places import places_around
from dlint.values.values import Instance
from dlint.values.worlds import World


class How(NamedTuple):
    """How a function comes to give None: what it says of it, and whether that is ``inside`` of an item which
    is not None itself."""

    said: str
    inside: bool = False


HERE = How("returns None here")


class Scope:
    """A function that is run for an item: ``indices`` are the names that are its number, ``given`` the
    parameters that hold what belongs to the item."""

    def __init__(
        self,
        node: ast.FunctionDef,
        frame: Frame,
        world: World,
        indices: frozenset[str],
        given: frozenset[str],
        far: int,
        dataset: Instance,
    ) -> None:
        self.node = node
        self.frame = frame
        self.world = world
        self.indices = indices
        self.given = given
        self.far = far
        self.dataset = dataset

    def with_given(self, names: frozenset[str]) -> Scope:
        """The same where these hold what belongs to the item, too."""
        given = self.given | names
        return Scope(self.node, self.frame, self.world, self.indices, given, self.far, self.dataset)

    @cached_property
    def read(self) -> frozenset[str]:
        """The variables that hold what belongs to the item."""
        return read_from(self.node, self.indices, self.given)


def inside(how: How) -> How:
    """The same as of a part of an item."""
    return how if how.inside else How(how.said.replace("returns ", "returns an item with ", 1), True)


def place_of(statement: ast.stmt, scope: Scope) -> Place | None:
    return next(iter(places_around(Point(scope.frame, statement))), None)
