"""Whether a block goes through a loader again and again: what was told before is the same for all passes."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Set
from typing import TYPE_CHECKING

from dlint.source.nodes import walk
from dlint.source.statements import blocks, dotted, expressions, parameters
from dlint.values.frame import Frame, Point, arguments_of
from dlint.values.functions import passed
from dlint.values.places import LOOPS, loops_around
from dlint.values.values import Function, Instance, Made

if TYPE_CHECKING:
    from dlint.calls.evaluator import Evaluator

_FAR = 2


def goes_round(evaluator: Evaluator, block: list[ast.stmt], point: Point, loaders: Set[int]) -> bool:
    """Whether a loop of a block, besides those around a point, goes through one of some loaders (the ids of
    their calls) in each of its rounds, itself or in the functions that it calls."""
    around = {id(loop) for loop in loops_around(point)}
    return bool(loaders) and _Look(evaluator, loaders, around).block(block, point.frame, None)


class _Look:
    def __init__(self, evaluator: Evaluator, loaders: Set[int], around: Set[int]) -> None:
        self._evaluator = evaluator
        self._loaders = loaders
        self._around = around

    def block(self, block: list[ast.stmt], frame: Frame, rounds: Set[str] | None, far: int = 0) -> bool:
        """Whether a block goes through a loader in the rounds of a loop: in those of one around the block,
        which bind some names, or of one in it (``rounds`` is None: there is none around it)."""
        for statement in block:
            inner = rounds
            if isinstance(statement, LOOPS) and id(statement) not in self._around:
                if rounds is not None and self._is_pass(statement, Point(frame, statement), rounds):
                    return True
                inner = frame.layout.bound_by(statement) | (rounds or set())
            if any(self._calls(call, Point(frame, statement), rounds, far) for call in _calls_in(statement)):
                return True
            if any(self.block(each, frame, inner, far) for _, each, _ in blocks(statement)):
                return True
        return False

    def _is_pass(self, loop: ast.stmt, point: Point, rounds: Set[str]) -> bool:
        """Whether a loop goes through a loader that is the same in all rounds of one around it."""
        head: list[ast.expr] = [loop.iter] if isinstance(loop, ast.For) else []
        for node in head:  # grows meanwhile
            if isinstance(node, ast.Call):
                head += node.args[:1]  # ``enumerate(loader)``
        return any(
            isinstance(value, Made | Instance) and id(value.node) in self._loaders
            for node in head
            if _is_same(node, rounds)
            for value, _ in self._evaluator.values(node, point)
        )

    def _calls(self, call: ast.Call, point: Point, rounds: Set[str] | None, far: int) -> bool:
        """Whether a function that is called does so."""
        if far >= _FAR:
            return False
        for callee, _ in self._evaluator.values(call.func, point):
            if isinstance(callee, Function) and isinstance(callee.node, ast.FunctionDef):
                frame = self._evaluator.calls.enter(callee, arguments_of(call, point), call, point)
                inner = None if rounds is None else _differing(callee, callee.node, call, rounds)
                if self.block(callee.node.body, frame, inner, far + 1):
                    return True
        return False


def _differing(callee: Function, function: ast.FunctionDef, call: ast.Call, rounds: Set[str]) -> Set[str]:
    """The parameters of a function that may be something else in another round of the loop that calls it."""
    found = {name for name, value in passed(callee, call).items() if not _is_same(value, rounds)}
    if callee.receiver is not None and not _is_same(call.func, rounds):
        found.update(each.arg for each in parameters(function)[:1])
    return found


def _calls_in(statement: ast.stmt) -> Iterator[ast.Call]:
    for expression in expressions(statement):
        yield from (node for node in walk(expression) if isinstance(node, ast.Call))


def _is_same(node: ast.expr, rounds: Set[str]) -> bool:
    """Whether an expression is a path of which a loop binds nothing."""
    path = dotted(node)
    return path is not None and not any(path == name or path.startswith(f"{name}.") for name in rounds)
