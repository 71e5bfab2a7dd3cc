"""Where a function runs though nobody writes a call of it: as a decorator, in what one puts around another
function, as a method that Python calls when an object is made, entered or called itself."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.calls.indirect.handed_on import Ways
from dlint.calls.indirect.starting import calls_through, names_for
from dlint.calls.site import Site
from dlint.source.desugaring.records import AFTER_INIT
from dlint.source.module import Module
from dlint.source.statements import FunctionNode
from dlint.values.frame import Frame, Point, arguments_of
from dlint.values.values import Class, Instance

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
    for _, point in calls_of_object(evaluator, scope, frame):
        yield Running(point, None)


def calls_of_object(
    evaluator: Evaluator, scope: FunctionNode, frame: Frame
) -> Iterator[tuple[ast.Call, Point]]:
    """Where an object is called whose ``__call__`` a function is, as far as it is called where it is made, or
    by a name that it gets there: ``Trainer()()``, ``train = Trainer()``. Others may call it elsewhere."""
    owner = frame.owner
    if owner is None or scope.name != "__call__":
        return
    for module, trail in _mentions(evaluator, owner.name):
        made = trail[-2]
        if not (isinstance(made, ast.Call) and made.func is trail[-1]):
            continue
        above = trail[-3] if len(trail) > 2 else None
        called = [trail[:-1]] if isinstance(above, ast.Call) and above.func is made else []
        for name in dict.fromkeys(names_for(trail[:-1])):
            called += [to_callee for _, to_callee in calls_through(module, name)]
        for to_callee in called:
            point, call = evaluator.sites.point_of(module, to_callee), to_callee[-2]
            assert isinstance(call, ast.Call)
            if any(
                isinstance(value, Instance)
                and any(method.node is scope for method in evaluator.classes.methods(value, scope.name))
                for value, _ in evaluator.values(call.func, point)
            ):
                yield call, point


def calls_of_held_object(evaluator: Evaluator, scope: FunctionNode, owner: Class) -> Iterator[Site]:
    """Where an object is called whose ``__call__`` a function is, whatever has it by then:
    ``self.draw = draw``, and then ``self.draw()``."""
    for module, trail in _mentions(evaluator, owner.name):
        if not (isinstance(trail[-2], ast.Call) and trail[-2].func is trail[-1]):
            continue
        for call, to_callee, there in Ways(evaluator, {}).calls(module, trail[:-1]):
            point = evaluator.sites.point_of(there, to_callee)
            if any(
                isinstance(value, Instance)
                and any(method.node is scope for method in evaluator.classes.methods(value, scope.name))
                for value, _ in evaluator.values(call.func, point)
            ):
                yield Site(call, point, arguments_of(call, point))


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
