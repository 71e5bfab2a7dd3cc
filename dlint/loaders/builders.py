"""Loaders that functions of libraries build, with a function of the program that makes the items in the
workers: ``build_detection_train_loader(dataset, mapper=...)``."""

from __future__ import annotations

from dlint.knowledge.trainers import DATASET, MAPPER
from dlint.loaders.loaders import Loader
from dlint.values.outcomes import Outcome, told_apart
from dlint.values.values import Unknown, Value, is_none
from dlint.values.worlds import World

_Given = list[tuple[Value | None, World]]


class BuiltLoader(Loader):
    """A loader of which the program has only the call that a library builds it by."""

    def word_for(self, name: str) -> str:
        return MAPPER if name == "dataset" and self.may_get(MAPPER) else name

    def _argument(self, name: str, world: World) -> _Given:
        if name == "dataset":
            return self._read(world)
        if name == "num_workers" and not (self.may_get(name) or DATASET in self.arguments.keywords):
            return [(Unknown(("workers of a configuration", id(self.call))), world)]
        return super()._argument(name, world)

    def _read(self, world: World) -> _Given:
        """What makes the items in workers: what is asked for the records, and what is called with each."""
        found: list[Outcome] = []
        for name in (MAPPER, DATASET):
            for value, w in super()._argument(name, world):
                if value is not None and not is_none(value):
                    found.append((value, w))
        return list(told_apart(found, ("read by a loader", id(self.call)))) or [(None, world)]
