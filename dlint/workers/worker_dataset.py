"""What a worker's ``get_worker_info().dataset`` is: the dataset that its loader has sent it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from dlint.values.values import Class, External, Instance, Value
from dlint.workers.parts.of_dataset import WORKERS_DATASET, below

if TYPE_CHECKING:
    from dlint.calls.evaluator import Evaluator
    from dlint.workers.uses import WorkerUse


def may_be_of(evaluator: Evaluator, use: WorkerUse, holders: Iterable[Value], cls: Class | None) -> bool:
    """Whether one of some values, as code that asks for its worker's dataset knows them, may be an object of
    a class in the workers of a use. Yes where that is not known."""
    if cls is None:
        return True
    for holder in holders:
        found: list[Value] | None = (
            [holder] if isinstance(holder, Instance) else meant(evaluator, use, holder)
        )
        if found is None or any(
            not isinstance(each, Instance) or _related(evaluator, each, cls) for each in found
        ):
            return True
    return False


def meant(evaluator: Evaluator, use: WorkerUse, holder: Value) -> list[Value] | None:
    """What stands behind ``get_worker_info().dataset.transform``; None for what is nothing of the kind."""
    if not (isinstance(holder, External) and holder.owner is not None and use.dataset is not None):
        return None
    if holder.name != WORKERS_DATASET and not holder.name.startswith(f"{WORKERS_DATASET}."):
        return None
    found = below(evaluator, holder.name, holder.owner, use.dataset, use.world)
    return [value for value, _ in found] or None


def _related(evaluator: Evaluator, instance: Instance, cls: Class) -> bool:
    line = evaluator.classes.line
    return any(above.node is cls.node for above in line(instance.cls)) or any(
        above.node is instance.cls.node for above in line(cls)
    )
