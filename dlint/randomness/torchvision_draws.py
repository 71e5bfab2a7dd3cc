"""Which of torchvision's transforms draw from torch's global state, as they are made."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dlint.knowledge.augmentation import torchvision
from dlint.knowledge.randomness import draws_from
from dlint.values.values import Const, Items, Made, Value
from dlint.values.worlds import HERE

if TYPE_CHECKING:
    from dlint.calls.evaluator import Evaluator
    from dlint.workers.events import Event

_DEEPEST = 5


def is_drawn_by(evaluator: Evaluator, event: Event, library: str) -> bool:
    """Whether a call draws from the global state of a library; torchvision's transforms do from torch's."""
    if draws_from(event.name, library):
        return True
    if library != "torch" or event.owner is None or not event.name.endswith("().__call__"):
        return False
    return draws_from_torch(evaluator, event.owner)


def draws_from_torch(evaluator: Evaluator, value: Value, depth: int = 0) -> bool:
    """Whether a transform surely does something else each time, or one that it goes through."""
    if not isinstance(value, Made) or depth > _DEEPEST:
        return False
    if torchvision.goes_through(value.name):
        given = value.arguments.keywords.get("transforms") or next(iter(value.arguments.positional), None)
        lists = evaluator.value_of(given, HERE) if given is not None else []
        return bool(lists) and all(
            isinstance(parts, Items)
            and any(draws_from_torch(evaluator, each, depth + 1) for each in parts.items)
            for parts, _ in lists
        )
    place = torchvision.place_of_chance(value.name)
    if place is None:
        return torchvision.always_draws(value.name)
    positional = value.arguments.positional
    chance = value.arguments.keywords.get("p") or (positional[place] if place < len(positional) else None)
    if chance is None:
        return True
    return all(
        isinstance(given, Const) and isinstance(given.value, float) and 0 < given.value < 1
        for given, _ in evaluator.value_of(chance, HERE)
    )
