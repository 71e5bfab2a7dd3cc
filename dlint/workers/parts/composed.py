"""What an object of a library is made of: what its constructor was given, and the transforms that are added
to it where it is made (``train.transforms.append(Cutout(16))``), or later to the list that it was given."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.knowledge.callbacks import KEEPS_TRANSFORMS, keeps_its_list, lets_errors_out
from dlint.objects.elsewhere.put_later import grown_behind, put_later
from dlint.source.statements import statements_in
from dlint.values.frame import Point
from dlint.values.outcomes import Outcome
from dlint.values.values import Function, Instance, Items, Made

if TYPE_CHECKING:
    from dlint.calls.evaluator import Evaluator
    from dlint.values.worlds import World

_FAR = 4  # transforms made of others, one inside another


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
    for argument in made.arguments.all() if keeps_its_list(made.name) else ():
        for _, added, point in put_later(evaluator, argument, world):
            for reached in evaluator.flow.reaching(point, world):
                yield from evaluator.values(added.value, point, reached)


def is_added_to(made: Made) -> bool:
    """Whether transforms are added to an object of a library where it is made."""
    if made.name.rpartition(".")[2] not in KEEPS_TRANSFORMS:
        return False
    later = keeps_its_list(made.name) and any(map(grown_behind, made.arguments.all()))
    return later or any(True for _ in _added(made))


def lets_out(evaluator: Evaluator, made: Made, function: Function, world: World, far: int = 0) -> bool:
    """Whether an object of a library calls a function of the program, itself or through others that it is
    made of, so that an error comes out of it as it is."""
    if far == _FAR or not lets_errors_out(made.name):
        return False
    for value, w in made_of(evaluator, made, world):
        for part in value.items if isinstance(value, Items) else (value,):
            match part:
                case Made() if lets_out(evaluator, part, function, w, far + 1):
                    return True
                case Function(node=node) if node is function.node:
                    return True
                case Instance(key=key) if function.receiver is not None and function.receiver.key == key:
                    return True
    return False


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
