"""What a loader gets where nobody is seen to give anything: the default of a parameter that leads to it."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from dlint.calls.parameters.written import default_of
from dlint.source.statements import FunctionNode
from dlint.values.frame import Arguments, Point
from dlint.values.values import Const, Instance, Unknown, Value
from dlint.values.worlds import HERE

if TYPE_CHECKING:
    from dlint.calls.evaluator import Evaluator


def keeps_by_default(evaluator: Evaluator, arguments: Arguments, values: Sequence[Value | None]) -> bool:
    """Whether a loader keeps its workers for whoever says nothing of it, and nobody is seen to say that it
    does not: ``def build(dataset, persistent_workers=True)``. ``values`` are what it may be told of that."""
    given = arguments.keywords.get("persistent_workers")
    if given is None or given.expression is None or given.point is None:
        return False
    if not all(isinstance(each, Unknown) or each == Const(True) for each in values):
        return False
    defaults = [_default(*each) for each in _parameters(evaluator, given.expression, given.point)]
    return bool(defaults) and all(isinstance(each, ast.Constant) and each.value is True for each in defaults)


def _parameters(evaluator: Evaluator, node: ast.expr, point: Point) -> Iterator[tuple[str, Point]]:
    """The parameters that an expression is, or that the constructor of its object keeps under its name."""
    match node:
        case ast.Name(id=name):
            yield name, point
        case ast.Attribute(value=held, attr=name):
            for holder, world in evaluator.values(held, point, HERE):
                if isinstance(holder, Instance):
                    for kept, at, _ in evaluator.construction.kept(holder, name, world):
                        yield kept.id, at


def _default(name: str, point: Point) -> ast.expr | None:
    """What a parameter is by default, which its function leaves as it is given."""
    scope = point.frame.scope
    if not isinstance(scope, FunctionNode) or name in point.frame.layout.binds:
        return None
    return default_of(name, scope)
