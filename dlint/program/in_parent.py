"""Datasets that loaders without workers read in the main process itself."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.loaders.loaders import is_zero
from dlint.values.values import Instance
from dlint.workers.uses import WorkerUse

if TYPE_CHECKING:
    from dlint.program.program import Program


def read_in_parent(program: Program, words: re.Pattern[str]) -> Iterator[WorkerUse]:
    """What the main process executes to read the items of its loaders without workers, as uses; of datasets
    in whose files some words stand."""
    index, known = program.modules.index, set[object]()
    for loader in program.loaders:
        if index.is_test(loader.module.relative):
            continue
        for way, world in loader.ways("num_workers", "dataset"):
            dataset, workers = way["dataset"], way["num_workers"]
            if not isinstance(dataset, Instance) or (workers is not None and not is_zero(workers)):
                continue
            line = program.evaluator.classes.line(dataset.cls)
            if dataset.key not in known and any(words.search(cls.module.text) for cls in line):
                known.add(dataset.key)
                yield WorkerUse(program.evaluator, loader, dataset, world, program.code_of(dataset))
