"""What draws of chance give of what they draw from, and the generators that are made of seeds."""

from __future__ import annotations

import ast
from typing import Final

from dlint.evaluation.interface import Evaluator
from dlint.evaluation.library.arguments import Answers, first
from dlint.evaluation.library.iterables import next_of
from dlint.knowledge.randomness import CHECKED_STATES, MADE_OF_SEED
from dlint.values.frame import Arguments, Point
from dlint.values.outcomes import Outcome
from dlint.values.values import Const, Items, Made, Table, Unknown
from dlint.values.worlds import World

_PLAIN = (Const, Items, Table)


def _objects(
    evaluator: Evaluator, arguments: Arguments, node: ast.AST, point: Point, world: World
) -> list[Outcome]:
    """What a draw may give where it draws from objects. Numbers, texts and rows of a table lead to no
    other code, and would only fork worlds."""
    found = next_of(evaluator, arguments, node, point, world)
    if any(isinstance(item, _PLAIN) for item, _ in found):
        return []
    return [] if all(isinstance(item, Unknown) for item, _ in found) else found


def _drawn(
    evaluator: Evaluator, arguments: Arguments, node: ast.AST, point: Point, world: World
) -> list[Outcome]:
    """One of some objects."""
    if len(arguments.positional) != 1 or not set(arguments.keywords) <= {"p"}:
        return []
    return _objects(evaluator, arguments, node, point, world)


def _drawn_several(
    evaluator: Evaluator, arguments: Arguments, node: ast.AST, point: Point, world: World
) -> list[Outcome]:
    """A list of some objects."""
    items = {item.key: item for item, _ in _objects(evaluator, arguments, node, point, world)}
    return [(Items("list", tuple(items.values()), True), world)] if items else []


def _state(
    evaluator: Evaluator, arguments: Arguments, node: ast.AST, point: Point, world: World
) -> list[Outcome]:
    """What scikit-learn makes of a seed: a generator stays the same, for None there is NumPy's own."""
    return [
        (Made(MADE_OF_SEED, node, arguments, point), w)
        if isinstance(value, Const) and value.value is not None
        else (value if isinstance(value, Made) else Unknown(("state", id(node), value.key)), w)
        for value, w in first(evaluator, arguments, world)
    ]


DRAWS: Final[Answers] = {
    "random.choice": _drawn,
    "random.choices": _drawn_several,
    "random.sample": _drawn_several,
    "numpy.random.choice": _drawn,
    **dict.fromkeys(CHECKED_STATES, _state),
}
