"""Comprehensions: what is inside them, and what they make, round by round where they go through a few known
things (``{split: Photos(split) for split in ("train", "val")}``)."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from dlint.evaluation.contents.contents import ANY
from dlint.evaluation.contents.unpacked import unpacked
from dlint.source.nodes import Comprehension
from dlint.values.frame import Argument, Point
from dlint.values.outcomes import OUTCOMES, Outcome
from dlint.values.values import Class, Const, Items, Key, Table, Value
from dlint.values.worlds import World

if TYPE_CHECKING:
    from dlint.evaluation.interface import Evaluator

_MOST_ROUNDS = 6
# Of classes it matters which goes under which name.
_MOST_OF_CLASSES = 24


class Comprehensions:
    """Questions about comprehensions."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator
        # The points inside: one each, so that what is known there is found again.
        self._insides: dict[Key, Point] = {}

    def values(self, node: Comprehension, point: Point, world: World) -> list[Outcome]:
        """What a comprehension makes."""
        rounds = self._rounds(node, point, world)
        if rounds is not None:
            return self._round_by_round(node, rounds, world)
        inner = self.inside(node, point)
        if isinstance(node, ast.DictComp):
            made = [value for value, _ in self._evaluator.values(node.value, inner, world)]
            return [(Table({ANY: value}, open=True), world) for value in made]
        values = {value.key: value for value, _ in self._evaluator.values(node.elt, inner, world)}
        return [(Items(_kind(node), tuple(values.values()), open=True), world)]

    def inside(self, node: Comprehension, point: Point) -> Point:
        """The point inside a comprehension: its variables are elements of what it goes through."""
        mark = (id(node), point.key, id(point.locals))
        inner = self._insides.get(mark)
        if inner is None:
            inner = point
            for generator in node.generators:
                source = Argument(generator.iter, inner, element=True)
                inner = inner.binding(unpacked(self._evaluator, generator.target, source))
            self._insides[mark] = inner
        return inner

    def _rounds(self, node: Comprehension, point: Point, world: World) -> list[Point] | None:
        """The points inside, one a round that adds something; None where it is not known what the rounds are
        about, or which do."""
        if len(node.generators) > 1:
            return None
        generator = node.generators[0]
        sources = self._evaluator.values(generator.iter, point, world)
        items = self._evaluator.containers.all_of(sources[0][0]) if len(sources) == 1 else None
        if items is None:
            return None
        most = _MOST_OF_CLASSES if all(isinstance(each, Class) for each in items) else _MOST_ROUNDS
        if len(items) > most:
            return None
        found: list[Point] = []
        for which, item in enumerate(items):
            mark = (id(node), point.key, id(point.locals), which, item.key)
            inner = self._insides.get(mark)
            if inner is None:
                given = unpacked(self._evaluator, generator.target, Argument(None, None, item))
                inner = self._insides[mark] = point.round(given, (id(node), which))
            adds = self._adds(generator.ifs, inner, world)
            if adds is None:
                return None
            if adds:
                found.append(inner)
        return found

    def _adds(self, tests: list[ast.expr], inner: Point, world: World) -> bool | None:
        """Whether a round comes through all tests; None where that is in doubt."""
        for test in tests:
            holds = bool(self._evaluator.assume(test, True, inner, world))
            if holds is bool(self._evaluator.assume(test, False, inner, world)):
                return None
            if not holds:
                return False
        return True

    def _round_by_round(self, node: Comprehension, rounds: list[Point], world: World) -> list[Outcome]:
        results: list[tuple[list[tuple[object, Value]], World]] = [([], world)]
        for inner in rounds:
            results = [
                ([*made, entry], v) for made, w in results for entry, v in self._entries(node, inner, w)
            ][:OUTCOMES]
        if isinstance(node, ast.DictComp):
            return [(Table(dict(made), any(key is ANY for key, _ in made)), w) for made, w in results]
        return [(Items(_kind(node), tuple(value for _, value in made)), w) for made, w in results]

    def _entries(
        self, node: Comprehension, inner: Point, world: World
    ) -> list[tuple[tuple[object, Value], World]]:
        """What one round may add, under its key in a dict."""
        if not isinstance(node, ast.DictComp):
            return [((None, value), w) for value, w in self._evaluator.values(node.elt, inner, world)]
        return [
            ((key.value if isinstance(key, Const) else ANY, value), v)
            for key, w in self._evaluator.values(node.key, inner, world)
            for value, v in self._evaluator.values(node.value, inner, w)
        ]


def _kind(node: Comprehension) -> str:
    return "set" if isinstance(node, ast.SetComp) else "list"
