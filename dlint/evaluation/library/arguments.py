"""What calls of libraries are given."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TypeAlias

from dlint.evaluation.dicts.own_dicts import ABSENT
from dlint.evaluation.interface import Evaluator
from dlint.values.frame import Argument, Arguments, Point
from dlint.values.outcomes import Outcome
from dlint.values.values import Const, Items, Value
from dlint.values.worlds import World

# What calls of some functions give, by the names of these.
Answers: TypeAlias = dict[str, Callable[[Evaluator, Arguments, ast.AST, Point, World], list[Outcome]]]


def first(evaluator: Evaluator, arguments: Arguments, world: World) -> list[Outcome]:
    """The first argument; nothing where there is none."""
    return evaluator.value_of(arguments.positional[0], world) if arguments.positional else []


def given_for(
    evaluator: Evaluator, arguments: Arguments, name: str, signature: tuple[str, ...], world: World
) -> tuple[list[Outcome], list[World]]:
    """What a call gives for a parameter, by its name, its place, ``*args`` or ``**kwargs``; and the worlds
    in which it gives nothing."""
    if name in arguments.keywords:
        return evaluator.value_of(arguments.keywords[name], world), []
    outcomes: list[Outcome] = []
    worlds = [world]
    if name in signature:
        place = signature.index(name) - len(arguments.positional)
        if place < 0:
            return evaluator.value_of(arguments.positional[place], world), []
        if arguments.spread:
            worlds = []
            for value, w in evaluator.value_of(arguments.spread[0], world):
                if isinstance(value, Items) and not value.open and place >= len(value.items):
                    worlds.append(w)
                else:
                    outcomes += [(item, w) for item in evaluator.containers.pick(value, Const(place))]
    for argument in arguments.splats:
        following: list[World] = []
        for start in worlds:
            for value, w in evaluator.entries.of_argument(argument, name, start):
                if value is ABSENT:
                    following.append(w)
                else:
                    outcomes.append((value, w))
        worlds = following
    return outcomes, worlds


def given_whole(value: Value) -> Arguments:
    """What makes settings of others, or of a dict."""
    return Arguments([Argument(None, None, value)])
