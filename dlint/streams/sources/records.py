"""Records: what is read one after the other, and what is made of that, whatever makes it."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from dlint.knowledge.iterables import PASSES_ON, gives_records
from dlint.source.nodes import names_in
from dlint.source.statements import changed_names, own_names, statements_in, target_names
from dlint.streams.sources.passages import Loop, passages
from dlint.streams.sources.while_loops import WhileLoops
from dlint.values.frame import Frame, Point, arguments_of
from dlint.values.values import External, Function, Instance, Made, Value
from dlint.values.worlds import World

if TYPE_CHECKING:
    from dlint.calls.evaluator import Evaluator

_FAR = 3


class Records:
    """Tells whether what is gone through are records, or made of them."""

    def __init__(self, whiles: WhileLoops, evaluator: Evaluator) -> None:
        self._whiles = whiles
        self._evaluator = evaluator

    def is_made_of(
        self, node: ast.expr, around: tuple[Loop, ...], frame: Frame, world: World, far: int = 0
    ) -> bool:
        """Whether an expression is made of the records that a loop around it reads, whatever makes it: what a
        tokenizer gives for a line, a buffer that is full."""
        read = names_in(node)
        for loop in around:
            source = self._records(loop, frame, world) if not read.isdisjoint(_bound(loop)) else None
            if source is not None and self.are_in(*source, world, far):
                return True
        return False

    def is_made_inside(
        self, node: ast.expr, around: list[ast.comprehension], inside: Point, world: World
    ) -> bool:
        """The same of what a comprehension goes through, for what it goes through before that."""
        read = names_in(node)
        return any(
            not read.isdisjoint(target_names(each.target)) and self.are_in(each.iter, inside, world, 0)
            for each in around
        )

    def are_in(self, source: ast.expr, point: Point, world: World, far: int) -> bool:
        """Whether what is gone through gives records, or hands on those that it reads."""
        bare, at = unwrapped(self._evaluator, source, point, world)
        values = [value for value, _ in self._evaluator.values(bare, at, world)]
        if values and all(map(_gives_records, values)):
            return True
        return far < _FAR and isinstance(bare, ast.Call) and self._yields_records(bare, at, world, far)

    def _yields_records(self, node: ast.Call, point: Point, world: World, far: int) -> bool:
        """Whether a call is one of a generator of the program that hands on the records which it reads."""
        callees = self._evaluator.values(node.func, point, world)
        for callee, w in callees:
            if not isinstance(callee, Function) or not isinstance(callee.node, ast.FunctionDef):
                return False
            frame = self._evaluator.calls.enter(callee, arguments_of(node, point), node, point)
            gives = list(passages(callee.node.body, ()))
            if not gives:
                return False
            for each in gives:
                given = each.node.value
                if given is None:
                    return False
                if isinstance(each.node, ast.YieldFrom):
                    bare, at = unwrapped(self._evaluator, given, Point(frame, each.statement), w)
                    values = [value for value, _ in self._evaluator.values(bare, at, w)]
                    if values and all(map(_gives_records, values)):
                        continue
                if not self.is_made_of(given, each.loops, frame, w, far + 1):
                    return False
        return bool(callees)

    def _records(self, loop: Loop, frame: Frame, world: World) -> tuple[ast.expr, Point] | None:
        """What a loop takes one after the other, and where that stands."""
        if isinstance(loop, ast.For):
            return loop.iter, Point(frame, loop)
        taken = self._whiles.taken_to_end(loop, frame, world) if isinstance(loop, ast.While) else None
        return taken[1:] if taken is not None else None


def unwrapped(evaluator: Evaluator, node: ast.expr, point: Point, world: World) -> tuple[ast.expr, Point]:
    """What ``enumerate``, ``sorted`` and the like pass on, and variables hold, and where it stands."""
    for _ in range(_FAR):
        match node:
            case ast.Call(args=[first, *_]):
                callees = evaluator.values(node.func, point, world)
                if not all(isinstance(v, External) and v.name in PASSES_ON for v, _ in callees):
                    break
                node = first
            case ast.Name(id=name) if name in point.frame.layout.binds and name not in point.locals:
                bound = evaluator.flow.assigned(name, point, world, anew=True)
                if bound is None:
                    break
                node, point = bound
            case _:
                break
    return node, point


def _bound(loop: Loop) -> set[str]:
    """The names that a loop sets, or fills, in each round."""
    found = set() if isinstance(loop, ast.While) else set(target_names(loop.target))
    for statement in statements_in(loop.body):
        found.update(own_names(statement))
        found.update(changed_names(statement))
    return found


def _gives_records(value: Value) -> bool:
    """Whether a source gives records, and not the names of what has them."""
    if isinstance(value, External):
        return value.name.endswith("]") and gives_records(value.name)
    return isinstance(value, Instance) or (isinstance(value, Made) and gives_records(value.name))
