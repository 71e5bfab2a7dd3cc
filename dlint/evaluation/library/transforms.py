"""What transforms of libraries give: a tensor, as far as these themselves show."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dlint.evaluation.library.arguments import first
from dlint.knowledge.augmentation.torchvision import (
    applies_all,
    gives_tensor,
    keeps_kind,
    takes_several,
)
from dlint.values.frame import Arguments
from dlint.values.values import Items, Made, Value
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
