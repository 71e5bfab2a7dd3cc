"""What calls of libraries are given."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dlint.evaluation.interface import Evaluator
from dlint.values.frame import Argument, Arguments
from dlint.values.values import Value
from dlint.values.worlds import World

if TYPE_CHECKING:
    from dlint.values.outcomes import Outcome


def first(evaluator: Evaluator, arguments: Arguments, world: World) -> list[Outcome]:
    """The first argument; nothing where there is none."""
    return evaluator.value_of(arguments.positional[0], world) if arguments.positional else []


def given_whole(value: Value) -> Arguments:
    """What makes settings of others, or of a dict."""
    return Arguments([Argument(None, None, value)])
