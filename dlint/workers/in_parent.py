"""Datasets that loaders without workers read in the main process itself."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from dlint.loaders.loaders import Loader, is_zero
from dlint.values.values import Instance, Value
from dlint.workers.uses import WorkerUse
from dlint.workers.worker import WorkerCode

if TYPE_CHECKING:
    from dlint.calls.evaluator import Evaluator


def read_in_parent(
    evaluator: Evaluator,
    loaders: Iterable[Loader],
    code_of: Callable[[Value], WorkerCode],
    words: re.Pattern[str],
) -> Iterator[WorkerUse]:
    """What the main process executes to read the items of loaders without workers, as uses; of datasets in
    whose files some words stand."""
    known: set[object] = set()
    for loader in loaders:
        for way, world in loader.ways("num_workers", "dataset"):
            dataset, workers = way["dataset"], way["num_workers"]
            if not isinstance(dataset, Instance) or (workers is not None and not is_zero(workers)):
                continue
            line = evaluator.classes.line(dataset.cls)
            if dataset.key not in known and any(words.search(cls.module.text) for cls in line):
                known.add(dataset.key)
                yield WorkerUse(evaluator, loader, dataset, world, code_of(dataset))
