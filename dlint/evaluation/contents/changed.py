"""What statements leave of the container that a name holds: they store in it, take out of it, or change it in
place, be it a container in another.
"""

from __future__ import annotations

import ast
from functools import partial
from typing import TYPE_CHECKING

from dlint.source.statements import dotted, steps, taken
from dlint.values.frame import Argument, Point
from dlint.values.outcomes import Outcome, widened
from dlint.values.values import Instance, Items, Table, Unknown, Value
from dlint.values.worlds import World

if TYPE_CHECKING:
    from dlint.evaluation.interface import Evaluator

# So many changes, one before the other, are gone through at once.
_CHANGES = 40


class Changed:
    """What names hold behind statements that change it."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator
        # Statements whose earlier state is being asked for: how deep, and whether they met themselves.
        self._changing: dict[tuple[int, str, object], list[int]] = {}

    def before(self, name: str, before: Point, world: World) -> list[Outcome]:
        """The values that a name, or the attribute that a dotted name is, had before a statement that
        changes it. In a loop that may be what the same statement left the time before: containers are
        then open, other values unknown."""
        mark = (id(before.statement), name, before.frame.key)
        if mark in self._changing:
            self._changing[mark][1] = 1
            self._evaluator.cut(self._changing[mark][0])
            return [(Unknown(("changed", *mark)), world)]
        if len(self._changing) > _CHANGES:
            self._evaluator.cut()
            return [(Unknown(("changed", *mark)), world)]
        return self._evaluator.answer(("before", *mark), world, lambda w: self._held(name, before, mark, w))

    def _held(self, name: str, before: Point, mark: tuple[int, str, object], world: World) -> list[Outcome]:
        state = self._changing[mark] = [self._evaluator.depth, 0]
        try:
            if "." not in name:
                outcomes = self._evaluator.names.lookup(name, before, world)
            else:
                expression = ast.parse(name, mode="eval").body
                outcomes = self._evaluator.values(expression, before, world)
        finally:
            del self._changing[mark]
        if state[1]:
            itself = Unknown(("changed", *mark)).key
            known = [(self._opened(value, name, before), w) for value, w in outcomes if value.key != itself]
            outcomes = known or outcomes
        return widened(outcomes)

    def _opened(self, value: Value, name: str, before: Point) -> Value:
        """A value after any number of rounds of a loop that changes it."""
        if isinstance(value, Items | Table):
            return self._evaluator.containers.opened(value, _keys(before.statement, name), before)
        if isinstance(value, Instance) and not isinstance(before.statement, ast.AugAssign):
            return value  # an object of the program stays that, whatever its ``update`` does
        mark = (id(before.statement), name, before.frame.key)
        return value if isinstance(value, Unknown) else Unknown(("rounds", mark))

    def left(self, name: str, before: Point, world: World) -> list[Outcome]:
        """A container after a statement that takes entries out of it."""
        keys = _keys(before.statement, name)
        return [
            outcome
            for held, w in self.before(name, before, world)
            for outcome in self._evaluator.containers.without(held, keys, before, w)
        ]

    def stored(
        self, target: ast.Subscript, source: Argument, name: str, before: Point, world: World
    ) -> list[Outcome]:
        """A container after ``name[key] = source``."""
        return [
            (changed, v)
            for held, w in self.left(name, before, world)
            for value, v in self._evaluator.value_of(source, w)
            for changed in self._evaluator.containers.stored(held, target, value, before, v)
        ]

    def inside(self, statement: ast.stmt, name: str, before: Point, world: World) -> list[Outcome] | None:
        """A container after a statement that changes one in it (``cfg["loader"]["workers"] = 0``); None where
        it does something else."""
        match statement:
            case (
                ast.Assign(targets=[ast.Subscript(value=ast.Subscript() | ast.Call() as held)])
                | ast.AugAssign(target=ast.Subscript(value=ast.Subscript() | ast.Call() as held))
                | ast.Delete(targets=[ast.Subscript(value=ast.Subscript() | ast.Call() as held)])
                | ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Subscript() | ast.Call() as held)))
            ):
                root, keys = steps(held)
            case _:
                return None
        if not keys or dotted(root) != name:
            return None
        change = partial(self._changed_inside, statement, before)
        return [
            outcome
            for whole, w in self.before(name, before, world)
            for outcome in self._evaluator.containers.within(whole, keys, change, before, w)
        ]

    def _changed_inside(
        self, statement: ast.stmt, before: Point, inner: Value, world: World
    ) -> list[Outcome]:
        """What such a statement leaves of the container that it changes."""
        containers = self._evaluator.containers
        match statement:
            case ast.Assign(targets=[ast.Subscript() as target], value=value):
                return [
                    (changed, w)
                    for stored, w in self._evaluator.values(value, before, world)
                    for changed in containers.stored(inner, target, stored, before, w)
                ]
            case ast.Delete(targets=[ast.Subscript(slice=key)]):
                return containers.without(inner, [key], before, world)
            case ast.Expr(value=ast.Call(func=ast.Attribute(attr="pop"), args=[key, *_])):
                return containers.without(inner, [key], before, world)
            case ast.Expr(value=ast.Call() as call):
                return containers.mutated(inner, call, before, world)
        return [(containers.forgotten(inner, before), world)]


def _keys(statement: ast.stmt | None, name: str) -> list[ast.expr]:
    """The keys of what a statement takes out of a container."""
    return [key for path, key in taken(statement) if path == name] if statement is not None else []
