"""What transforms of libraries give: a tensor, as far as these themselves show."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from dlint.evaluation.library.arguments import first
from dlint.knowledge.augmentation.torchvision import (
    TO_TENSOR,
    applies,
    applies_all,
    gives_tensor,
    keeps_form,
    keeps_kind,
    takes_several,
)
from dlint.knowledge.tensors import makes_tensors
from dlint.values.frame import Arguments, Point
from dlint.values.outcomes import OUTCOMES, Outcome
from dlint.values.values import Items, Key, Made, Table, Unknown, Value
from dlint.values.worlds import World

if TYPE_CHECKING:
    from dlint.evaluation.interface import Evaluator

_FAR = 3  # one made of others, inside another


def gives_tensor_of(evaluator: Evaluator, transform: Made, given: Arguments, world: World) -> bool:
    """Whether a call of a transform surely gives a tensor. Those of v2 give several things where they are
    given some, be it as a tuple or dict."""
    if len(given.positional) != 1 or given.keywords or given.spread or given.splats:
        return False
    if not surely_gives_tensor(evaluator, transform, world):
        return False
    return not takes_several(transform.name) or all(
        isinstance(value, Made) for value, _ in first(evaluator, given, world)
    )


def given_back(
    evaluator: Evaluator, transform: Made, given: Arguments, node: ast.AST, point: Point, world: World
) -> list[Outcome]:
    """What a transform of v2 makes of what it is given: the one thing, or all in their order, each in the
    form that it had. Empty where that is not known."""
    if given.keywords or given.spread or given.splats or not given.positional:
        return []
    if not takes_several(transform.name) or not _keeps_form(evaluator, transform, world):
        return []
    results: list[tuple[tuple[Value, ...], World]] = [((), world)]
    for argument in given.positional:
        results = [
            ((*items, value), v) for items, w in results for value, v in evaluator.value_of(argument, w)
        ]
        if len(results) > OUTCOMES:
            return []
    makes = surely_gives_tensor(evaluator, transform, world)
    done = [
        (tuple(_transformed(v, node, given, point, (at,), makes) for at, v in enumerate(items)), w)
        for items, w in results
    ]
    return [(items[0] if len(items) == 1 else Items("tuple", items), w) for items, w in done]


def _keeps_form(evaluator: Evaluator, transform: Value, world: World, far: int = 0) -> bool:
    """Whether what a transform gives surely has the form of what it is given."""
    if not isinstance(transform, Made):
        return False
    if not applies(transform.name) or far == _FAR:
        return keeps_form(transform.name)
    steps = first(evaluator, transform.arguments, world)
    return bool(steps) and all(
        isinstance(held, Items) and all(_keeps_form(evaluator, each, w, far + 1) for each in held.items)
        for held, w in steps
    )


def _transformed(
    value: Value, node: ast.AST, given: Arguments, point: Point, place: tuple[Key, ...], makes: bool
) -> Value:
    """What such a transform makes of a thing that is found at a place of what it is given; ``makes``: of
    images it makes tensors."""
    match value:
        case Items(kind="tuple" | "list", items=parts):
            inside = [
                _transformed(part, node, given, point, (*place, at), makes) for at, part in enumerate(parts)
            ]
            return Items(value.kind, tuple(inside), value.open)
        case Table(items=items):
            found = {
                key: _transformed(part, node, given, point, (*place, key), makes)
                for key, part in items.items()
            }
            return Table(found, value.open)
        case Made(name=name) if makes_tensors(name) or (makes and name.startswith("PIL.")):
            return Made(TO_TENSOR, node, given, point, ("transformed", id(node), point.key, place))
        case Made() | Unknown():
            return Unknown(("transformed", value.key, id(node), point.key))
    return value


def surely_gives_tensor(evaluator: Evaluator, transform: Value, world: World, far: int = 0) -> bool:
    """Whether what a transform gives surely is a tensor: of several the last that does not leave a tensor one
    and an image one tells. Nobody knows the order of those that are added to a list on the way."""
    if not isinstance(transform, Made):
        return False
    if not applies_all(transform.name) or far == _FAR:
        return gives_tensor(transform.name)
    given = first(evaluator, transform.arguments, world)
    return bool(given) and all(
        isinstance(steps, Items) and _last_gives_tensor(evaluator, steps, w, far) for steps, w in given
    )


def _last_gives_tensor(evaluator: Evaluator, steps: Items, world: World, far: int) -> bool:
    gives = False
    for step in reversed(steps.items):
        if surely_gives_tensor(evaluator, step, world, far + 1):
            if not steps.open:
                return True
            gives = True
        elif not (isinstance(step, Made) and keeps_kind(step.name)):
            return False
    return gives
