"""Numbers, and truth: what ``len``, ``int``, ``bool``, ``min`` and ``max`` give."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any, Final

from dlint.evaluation.interface import Evaluator
from dlint.evaluation.library.arguments import Answers, first
from dlint.values.facts import Cut, beyond, is_above
from dlint.values.frame import Arguments, Point
from dlint.values.outcomes import Outcome
from dlint.values.values import Const, External, Items, Made, Unknown, Value
from dlint.values.worlds import World

# Just below one.
_ONE: Cut = (1, False)


def length_of(value: Value) -> Unknown:
    """What ``len`` gives of something of which nobody knows how long it is."""
    return Unknown(("length", value.key))


def _length(
    evaluator: Evaluator, arguments: Arguments, node: ast.AST, point: Point, world: World
) -> list[Outcome]:
    return [
        (Const(len(value.items)), w) if isinstance(value, Items) and not value.open else (length_of(value), w)
        for value, w in first(evaluator, arguments, world)
    ]


def _number(
    evaluator: Evaluator, arguments: Arguments, node: ast.AST, point: Point, world: World
) -> list[Outcome]:
    found: list[Outcome] = []
    for value, w in first(evaluator, arguments, world):
        if isinstance(value, Const):
            try:
                found.append((Const(int(value.value)), w))
                continue
            except (TypeError, ValueError, OverflowError):
                pass
        found.append((evaluator.options.beside.as_number(value), w))
    return found


def _bool(
    evaluator: Evaluator, arguments: Arguments, node: ast.AST, point: Point, world: World
) -> list[Outcome]:
    return [
        (Const(result), v)
        for value, w in first(evaluator, arguments, world)
        for result, v in evaluator.truths.of_value(value, w)
    ]


def _least(
    evaluator: Evaluator, arguments: Arguments, node: ast.AST, point: Point, world: World
) -> list[Outcome]:
    return _extreme(evaluator, min, arguments, node, point, world)


def _greatest(
    evaluator: Evaluator, arguments: Arguments, node: ast.AST, point: Point, world: World
) -> list[Outcome]:
    return _extreme(evaluator, max, arguments, node, point, world)


def _extreme(
    evaluator: Evaluator,
    function: Callable[[Any], Any],
    arguments: Arguments,
    node: ast.AST,
    point: Point,
    world: World,
) -> list[Outcome]:
    values = [evaluator.value_of(argument, world) for argument in arguments.positional]
    constants = [
        outcomes[0][0].value
        for outcomes in values
        if len(outcomes) == 1 and isinstance(outcomes[0][0], Const)
    ]
    numbers = [value for value in constants if isinstance(value, int | float)]
    if numbers and len(numbers) == len(values):
        return [(Const(function(numbers)), world)]
    if function is min and 0 in numbers and len(values) > 1:
        return [(Const(0), world)]
    others = [outcomes for outcomes in values if [value for value, _ in outcomes] != [Const(1)]]
    if function is min and len(values) == 2 and len(others) == 1:
        return _at_most_one(others[0], node, point)
    return [(Unknown((function.__name__, id(node), point.frame.key)), world)]


def _at_most_one(numbers: list[Outcome], node: ast.AST, point: Point) -> list[Outcome]:
    """What ``min(n, 1)`` gives: 1, or ``n`` where that is less. Of a larger bound no rule asks on which side
    of it a number lies."""
    found: list[Outcome] = []
    for value, world in numbers:
        if isinstance(value, Const) and isinstance(value.value, int | float):
            found.append((Const(min(value.value, 1)), world))
        elif isinstance(value, Unknown | Made | External):
            about = world.about(value.key)
            known = is_above(about, _ONE)
            for above in (True, False) if known is None else (known,):
                least = Const(1) if above else value
                at = world if known is not None else world.with_about(value.key, beyond(about, _ONE, above))
                found.append((least, at))
        else:
            found.append((Unknown(("min", id(node), point.frame.key)), world))
    return found


NUMBERS: Final[Answers] = {
    "builtins.len": _length,
    "builtins.int": _number,
    "builtins.bool": _bool,
    "builtins.min": _least,
    "builtins.max": _greatest,
}
