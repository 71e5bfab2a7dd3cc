"""Whether a test holds: surely, surely not, or either way, with the fork remembered.

An unknown thing is assumed true in one world and false in another; whoever asks again in one of them gets
the same answer. ``x is None``, ``x == 0`` and ``x > 0`` are tied to the truth of ``x``.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from dlint.knowledge.names import is_constructor
from dlint.program.frame import Point
from dlint.program.values import Const, External, Items, Key, Made, Table, Unknown, Value, World

if TYPE_CHECKING:
    from dlint.program.evaluate import Evaluator

Result = tuple[bool, World]


class Truth:
    """Tests, path by path."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator

    def of(self, node: ast.expr, point: Point, world: World) -> list[Result]:
        """What a test may come out as, and in which worlds."""
        if isinstance(node, ast.BoolOp):
            return self._boolean(node, point, world)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return [(not result, w) for result, w in self.of(node.operand, point, world)]
        if isinstance(node, ast.Compare):
            if len(node.ops) == 1:
                return self._compare(node, node.left, node.ops[0], node.comparators[0], point, world)
            return self._either(("compare", id(node), point.frame.key), world)
        if isinstance(node, ast.Name) and node.id == "TYPE_CHECKING":
            return [(False, world)]
        return [
            result
            for value, w in self._evaluator.values(node, point, world)
            for result in self.of_value(value, w)
        ][:32]

    def of_value(self, value: Value, world: World) -> list[Result]:
        """The truth of a value."""
        match value:
            case Const():
                return [(bool(value.value), world)]
            case Items() | Table():
                if value.items:
                    return [(True, world)]
                return self._either(("truth", value.key), world) if value.open else [(False, world)]
            case Made() if not is_constructor(value.name):
                return self._unknown(value.key, world)
            case Unknown() | External():
                return self._unknown(value.key, world)
        return [(True, world)]

    def is_none(self, value: Value, world: World) -> list[Result]:
        """Whether a value is None."""
        if isinstance(value, Const):
            return [(value.value is None, world)]
        if isinstance(value, Unknown | External) or (
            isinstance(value, Made) and not is_constructor(value.name)
        ):
            if world.known(("truth", value.key)):
                return [(False, world)]
            same = world.known(("equal", value.key))
            if same is not None:
                return [(same.value is None, world)]
            return self._either(("none", value.key), world)
        return [(False, world)]

    def _unknown(self, key: Key, world: World) -> list[Result]:
        if world.known(("none", key)):
            return [(False, world)]
        same = world.known(("equal", key))
        if same is not None:
            return [(bool(same.value), world)]
        return self._either(("truth", key), world)

    def _either(self, key: Key, world: World) -> list[Result]:
        known = world.known(key)
        if known is not None:
            return [(known, world)]
        return [(True, world.assuming(key, True)), (False, world.assuming(key, False))]

    def _boolean(self, node: ast.BoolOp, point: Point, world: World) -> list[Result]:
        going = isinstance(node.op, ast.And)
        results: list[Result] = []
        worlds = [world]
        for operand in node.values:
            following = []
            for start in worlds:
                for result, w in self.of(operand, point, start):
                    if result is going:
                        following.append(w)
                    else:
                        results.append((result, w))
            worlds = following[:16]
        return results[:24] + [(going, w) for w in worlds]

    def _compare(
        self, node: ast.Compare, left: ast.expr, op: ast.cmpop, right: ast.expr, point: Point, world: World
    ) -> list[Result]:
        results: list[Result] = []
        for a, w in self._evaluator.values(left, point, world):
            for b, v in self._evaluator.values(right, point, w):
                results += self._pair(node, a, op, b, v)
        return results[:32]

    def _pair(self, node: ast.Compare, a: Value, op: ast.cmpop, b: Value, world: World) -> list[Result]:
        negated = isinstance(op, ast.IsNot | ast.NotEq | ast.NotIn)
        if isinstance(op, ast.Is | ast.IsNot | ast.Eq | ast.NotEq):
            found = self._same(a, b, world)
        elif isinstance(op, ast.In | ast.NotIn):
            found = self._contains(a, b, world)
        else:
            found = self._ordered(node, a, op, b, world)
        return [(result is not negated, w) for result, w in found]

    def _same(self, a: Value, b: Value, world: World) -> list[Result]:
        if isinstance(a, Const) and not isinstance(b, Const):
            a, b = b, a
        if isinstance(b, Const):
            if b.value is None:
                return self.is_none(a, world)
            if isinstance(a, Const):
                return [(a.value == b.value, world)]
            if not isinstance(a, Unknown | Made | External):
                return [(False, world)]
            if isinstance(b.value, bool):
                return [(result is b.value, w) for result, w in self._unknown(a.key, world)]
            if b.value == 0:
                return [(not result, w) for result, w in self._unknown(a.key, world)]
            return self._equal(a.key, b, world)
        if a.key == b.key:
            return [(True, world)]
        return self._either(("same", a.key, b.key), world)

    def _equal(self, key: Key, constant: Const, world: World) -> list[Result]:
        same = world.known(("equal", key))
        if same is not None:
            return [(same.value == constant.value, world)]
        ruled_out = world.known(("different", key)) or frozenset()
        if constant.key in ruled_out or world.known(("none", key)):
            return [(False, world)]
        if world.known(("truth", key)) is False and constant.value:
            return [(False, world)]
        return [
            (True, world.assuming(("equal", key), constant)),
            (False, world.assuming(("different", key), ruled_out | {constant.key})),
        ]

    def _contains(self, a: Value, b: Value, world: World) -> list[Result]:
        same = world.known(("equal", a.key))
        item = same if same is not None else a
        if isinstance(item, Const):
            if isinstance(b, Const) and isinstance(b.value, str) and isinstance(item.value, str):
                return [(item.value in b.value, world)]
            if isinstance(b, Items) and not b.open and all(isinstance(x, Const) for x in b.items):
                return [(any(x.key == item.key for x in b.items), world)]
            if isinstance(b, Table) and not b.open:
                return [(item.value in b.items, world)]
        return self._either(("in", a.key, b.key), world)

    def _ordered(self, node: ast.Compare, a: Value, op: ast.cmpop, b: Value, world: World) -> list[Result]:
        if isinstance(a, Const) and isinstance(b, Const):
            known = _order(op, a.value, b.value)
            if known is not None:
                return [(known, world)]
        if isinstance(b, Const) and b.value == 0 and isinstance(a, Unknown):
            # Counts are compared with nought: `n > 0` says that there are some.
            if isinstance(op, ast.Gt):
                return self._unknown(a.key, world)
            if isinstance(op, ast.LtE):
                return [(not result, w) for result, w in self._unknown(a.key, world)]
        return self._either(("order", type(op).__name__, a.key, b.key), world)


def _order(op: ast.cmpop, a: Any, b: Any) -> bool | None:
    try:
        match op:
            case ast.Lt():
                return bool(a < b)
            case ast.LtE():
                return bool(a <= b)
            case ast.Gt():
                return bool(a > b)
            case ast.GtE():
                return bool(a >= b)
    except TypeError:
        pass
    return None
