"""Operators that a class of the program defines: ``Lines(a) + Lines(b)`` is what its ``__add__`` gives."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from dlint.values.frame import Argument, Arguments, Point
from dlint.values.outcomes import Outcome
from dlint.values.values import Instance, Value
from dlint.values.worlds import World

if TYPE_CHECKING:
    from dlint.calls.interface import Evaluator

_METHODS: dict[type[ast.operator], str] = {
    ast.Add: "__add__",
    ast.BitAnd: "__and__",
    ast.BitOr: "__or__",
    ast.FloorDiv: "__floordiv__",
    ast.LShift: "__lshift__",
    ast.MatMult: "__matmul__",
    ast.Mod: "__mod__",
    ast.Mult: "__mul__",
    ast.RShift: "__rshift__",
    ast.Sub: "__sub__",
    ast.Div: "__truediv__",
}


def given_by_operator(
    evaluator: Evaluator, node: ast.BinOp, left: Value, point: Point, world: World
) -> list[Outcome] | None:
    """What the left side's own method makes of an operation; None where it has none."""
    if not isinstance(left, Instance):
        return None
    methods = evaluator.classes.methods(left, _METHODS.get(type(node.op), ""))
    if not methods:
        return None
    arguments = Arguments([Argument(node.right, point)])
    return [
        outcome
        for method in methods
        for outcome in evaluator.calls.returns(method, arguments, node, point, world)
    ]
