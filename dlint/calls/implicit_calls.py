"""Where a function runs though nobody writes a call of it: as a decorator, in what one puts around another
function, as a method that Python calls when an object is made or entered."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.source.desugaring.records import AFTER_INIT
from dlint.source.module import Module
from dlint.source.statements import FunctionNode
from dlint.values.frame import Frame, Point

if TYPE_CHECKING:
    from dlint.calls.evaluator import Evaluator

# Methods that run where an object of their class is made or, right there, entered.
_BY_MAKING = frozenset({"__new__", "__enter__", *AFTER_INIT})


class Running(NamedTuple):
    """Where a function runs: at a point, or whenever another one does that it is ``around``."""

    point: Point
    around: FunctionNode | None


def runs_of(evaluator: Evaluator, scope: FunctionNode, frame: Frame) -> Iterator[Running]:
    """The places where a function runs that is called by no name of its own; ``frame`` is one of its own."""
    for point, _ in _decorated(evaluator, scope):
        yield Running(point, None)
    outer = frame.outer
    while outer is not None and isinstance(outer.scope, FunctionNode):
        for point, around in _decorated(evaluator, outer.scope):
            yield Running(point, around)
        outer = outer.outer
    if frame.owner is not None and scope.name in _BY_MAKING:
        for module, trail in _mentions(evaluator, frame.owner.name):
            if isinstance(trail[-2], ast.Call) and trail[-2].func is trail[-1]:
                yield Running(evaluator.sites.point_of(module, trail), None)


def _decorated(evaluator: Evaluator, scope: FunctionNode) -> Iterator[tuple[Point, FunctionNode]]:
    """The functions that a function, or what it gives, decorates, and where they are defined."""
    for module, trail in _mentions(evaluator, scope.name):
        at = len(trail) - (3 if isinstance(trail[-2], ast.Call) and trail[-2].func is trail[-1] else 2)
        node = trail[at] if at >= 0 else None
        if isinstance(node, FunctionNode) and trail[at + 1] in node.decorator_list:
            yield evaluator.sites.point_of(module, trail[: at + 1]), node


def _mentions(evaluator: Evaluator, name: str) -> Iterator[tuple[Module, list[ast.AST]]]:
    for module in evaluator.modules.naming(name):
        for trail in module.paths_to(name):
            if len(trail) > 1:
                yield module, trail
