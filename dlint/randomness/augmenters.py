"""Augmenters: objects of a library that draw from a generator of the library's own, or of their own.

albumentations' transforms have one each (see :mod:`dlint.knowledge.augmentation.albumentations`).

An imgaug augmenter takes the generator that imgaug makes when it is imported, or one that it is given;
neither knows of workers. Measured with imgaug 0.4.0 on torch 2.13, two forked workers, two epochs: both draw
the same numbers, in both epochs (12 distinct of 48), be the augmenter made before the workers start or in
them, and be ``np.random`` seeded in each worker or not; after ``imgaug.seed`` with the worker's seed they do
not (43 of 48). What is given a seed of its own is not reached by ``imgaug.seed`` (10 of 48).
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from dlint.knowledge.augmentation import albumentations
from dlint.knowledge.augmentation.augmenters import choose, go_through, is_augmenter, is_fixed
from dlint.source.nodes import walk
from dlint.values.values import Const, Items, Made, Table, Value
from dlint.values.worlds import HERE

if TYPE_CHECKING:
    from dlint.calls.evaluator import Evaluator

_DEEPEST = 5
_STATES = ("seed", "random_state")


def draws_numbers(evaluator: Evaluator, made: Made, depth: int = 0) -> bool:
    """Whether an augmenter does something else each time, as far as its arguments show."""
    if depth > _DEEPEST:
        return False
    if albumentations.is_transform(made.name):
        return _transform_draws(evaluator, made, depth)
    if not is_augmenter(made.name):
        return False
    given = [value for argument in made.arguments.all() for value, _ in evaluator.value_of(argument, HERE)]
    if go_through(made.name):
        order = made.arguments.keywords.get("random_order")
        if order is not None and any(
            isinstance(value, Const) and value.value is True for value, _ in evaluator.value_of(order, HERE)
        ):
            return True
        return any(
            isinstance(part, Made) and draws_numbers(evaluator, part, depth + 1)
            for value in given
            for part in _parts(value)
        )
    if choose(made.name) or not is_fixed(made.name):
        return True
    return any(_is_range(value) for value in given)


def _transform_draws(evaluator: Evaluator, made: Made, depth: int) -> bool:
    """The same of a transform of albumentations."""
    chances = [
        value.value if isinstance(value, Const) else made.name
        for argument in [made.arguments.keywords.get("p")]
        if argument is not None
        for value, _ in evaluator.value_of(argument, HERE)
    ]
    if not albumentations.is_compose(made.name) and not albumentations.chooses(made.name):
        return all(albumentations.draws(made.name, chance) for chance in chances or [None])
    return any(
        isinstance(part, Made)
        and albumentations.is_transform(part.name)
        and (albumentations.chooses(made.name) or draws_numbers(evaluator, part, depth + 1))
        for argument in made.arguments.all()[:1]
        for value, _ in evaluator.value_of(argument, HERE)
        for part in _parts(value)
    )


def _parts(value: Value) -> tuple[Value, ...]:
    return value.items if isinstance(value, Items) else (value,)


def _is_range(value: Value) -> bool:
    """Whether an argument is a range or a list to choose from, or a chance."""
    match value:
        case Items():
            return True
        case Table(items=items):
            return any(isinstance(each, Items) for each in items.values())
        case Const(value=float(chance)):
            return 0 < chance < 1
    return isinstance(value, Made)  # a parameter of the library: iap.Normal(0, 1)


def has_own_state(made: Made) -> bool:
    """Whether an augmenter, or one that it is made of, is told what to draw from."""
    return any(isinstance(node, ast.keyword) and node.arg in _STATES for node in walk(made.node))
