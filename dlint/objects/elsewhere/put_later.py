"""What a function puts in a list after it has handed it by its name to what keeps it:
``steps = [Read()]``, ``clips = Clips(steps)``, ``steps.append(Crop())``."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.objects.elsewhere.additions import Added, growths
from dlint.source.statements import statements_in
from dlint.values.frame import Argument, Point, given_to
from dlint.values.values import Instance, Items
from dlint.values.worlds import World

if TYPE_CHECKING:
    from dlint.objects.interface import Evaluator

# Functions that hand a list on to one another.
_FAR = 4


def put_later(evaluator: Evaluator, given: Argument, world: World) -> Iterator[tuple[ast.Name, Added, Point]]:
    """What the function that hands on a list by its name puts in the same list after that, each with the
    name that it does it by."""
    at, there = given.point, frozenset[int]()
    for held, added in grown_behind(given):
        if at is not None:
            there = there or _bound_by(evaluator, held.id, at, world)
            later = at.before(added.statement)
            if _bound_by(evaluator, held.id, later, world) == there and (
                not isinstance(added.statement, ast.AugAssign) or _is_list(evaluator, held, later, world)
            ):
                yield held, added, later


def grown_behind(given: Argument) -> list[tuple[ast.Name, Added]]:
    """What is put, behind the statement that hands on a list by its name, in a list of that name."""
    node, at = given.expression, given.point
    if not isinstance(node, ast.Name) or at is None or at.statement is None or node.id in at.locals:
        return []
    layout, scope = at.frame.layout, at.frame.scope
    if isinstance(scope, ast.Lambda) or not (
        node.id in layout.changes or any(isinstance(each, ast.AugAssign) for each in layout.binders(node.id))
    ):
        return []
    return [
        (held, added)
        for statement in statements_in(scope.body)
        if statement.lineno > at.statement.lineno
        for held, added in growths(statement)
        if isinstance(held, ast.Name) and held.id == node.id and not added.keyed
    ]


def _is_list(evaluator: Evaluator, held: ast.Name, point: Point, world: World) -> bool:
    """Whether a name stands for a list, to which ``+=`` adds: of a tuple it makes another one."""
    return all(
        isinstance(value, Items) and value.kind == "list" for value, _ in evaluator.values(held, point, world)
    )


def _bound_by(evaluator: Evaluator, name: str, point: Point, world: World) -> frozenset[int]:
    """The statements that may have bound a name last."""
    bound = evaluator.flow.definitions(name, point, world, anew=True)
    return frozenset(id(statement) for statement, _ in bound)


def put_in_kept(
    evaluator: Evaluator, instance: Instance, name: str, world: World
) -> Iterator[tuple[ast.Name, Added, Point]]:
    """The same of a list that an object keeps under a name as its constructor has it, or was given it, by
    whichever function had it first."""
    for kept, point, w in evaluator.construction.kept(instance, name, world):
        given: Argument | None = Argument(kept, point)
        for _ in range(_FAR):
            if given is None or given.point is None or not isinstance(given.expression, ast.Name):
                break
            yield from put_later(evaluator, given, w)
            frame, held = given.point.frame, given.expression.id
            given = given_to(frame, held) if held not in frame.layout.binds else None
