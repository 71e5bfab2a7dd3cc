"""What a certain dataset has of what workers ask theirs for: ``get_worker_info().dataset.transform``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from dlint.knowledge.randomness import WORKER_INFO
from dlint.values.values import Made, Value

if TYPE_CHECKING:
    from dlint.calls.evaluator import Evaluator
    from dlint.values.outcomes import Outcome
    from dlint.values.worlds import World
    from dlint.workers.events import Event

WORKERS_DATASET: Final = f"{WORKER_INFO}().dataset"


def held_by(evaluator: Evaluator, event: Event, dataset: Value, world: World) -> list[Outcome]:
    """What stands behind what workers call of their dataset, where that is a certain one."""
    return [] if event.owner is None else below(evaluator, event.name, event.owner, dataset, world)


def below(evaluator: Evaluator, path: str, asked: Made, dataset: Value, world: World) -> list[Outcome]:
    """The same of a path, for which an object of the library is asked."""
    found = [(dataset, world)]
    for name in path[len(WORKERS_DATASET) + 1 :].split(".") if path != WORKERS_DATASET else ():
        found = [
            outcome
            for value, w in found
            for outcome in evaluator.attribute(value, name, asked.node, asked.point, w)
        ]
    return found
