"""What an object of a library is made of: what its constructor was given, and the transforms that are added
to it where it is made (``train.transforms.append(Cutout(16))``)."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.knowledge.callbacks import KEEPS_TRANSFORMS
from dlint.source.statements import statements_in
from dlint.values.frame import Point
from dlint.values.outcomes import Outcome

if TYPE_CHECKING:
    from dlint.calls.evaluator import Evaluator
    from dlint.values.values import Made
    from dlint.values.worlds import World


def made_of(evaluator: Evaluator, made: Made, world: World) -> Iterator[Outcome]:
    """The values that an object of a library is made of."""
    for argument in made.arguments.all():
        yield from evaluator.value_of(argument, world)
    if made.name.rpartition(".")[2] in KEEPS_TRANSFORMS:
        for node, point, name in _added(made):
            for reached in evaluator.flow.reaching(point, world):
                for definition, w in evaluator.flow.definitions(name, point, reached):
                    if definition is made.point.statement:
                        yield from evaluator.values(node, point, w)


def _added(made: Made) -> Iterator[tuple[ast.expr, Point, str]]:
    """What the scope that makes the object adds to its transforms, on a condition or not."""
    frame = made.point.frame
    match made.point.statement:
        case ast.Assign(targets=[ast.Name(id=name)], value=value) if value is made.node:
            path = f"{name}.transforms"
        case _:
            return
    if path not in frame.layout.binds or isinstance(frame.scope, ast.Lambda):
        return
    for statement in statements_in(frame.scope.body):
        match statement:
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=held, attr=method), args=[*_, added])) if (
                method in ("append", "insert", "extend") and ast.unparse(held) == path
            ):
                yield added, Point(frame, statement), name
            case ast.AugAssign(target=held, value=added) if ast.unparse(held) == path:
                yield added, Point(frame, statement), name
