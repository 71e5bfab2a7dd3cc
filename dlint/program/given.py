"""What the loader of a use gives to its workers itself.

The dataset of a use is the first one met of its shape, as the loader that got that one has it: its code is
that of all. What is stored in an object once it is made is stored in this very one, on the way to its loader.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from dlint.fork.shipped import Part, shipped
from dlint.knowledge.loading import is_dataset
from dlint.loaders.loaders import is_zero
from dlint.program.stored.set_options import is_options
from dlint.values.values import Function, Instance, Made

if TYPE_CHECKING:
    from dlint.program.program import Program
    from dlint.values.values import Key, Value
    from dlint.values.worlds import World
    from dlint.workers.uses import WorkerUse


def given_parts(program: Program, use: WorkerUse) -> list[Part]:
    """What goes to workers with the dataset of their very loader."""
    return [part for parts in _given(program, use) for part in parts]


def _may_be_set(part: Part) -> bool:
    """Whether a part is code, or one in which others may store something."""
    match part.value:
        case Instance() | Function():
            return True
        case Made(name=name):
            return is_options(name) or is_dataset(name)
    return False


def given_as(program: Program, use: WorkerUse, judged: Instance) -> Iterator[tuple[Instance, World]]:
    """The objects that a loader gives to its workers where another of their shape is judged."""
    shipped = _objects(program.shipped(use))
    for parts in _given(program, use):
        given = _objects(parts)
        same = [(each, world) for each, world in given if each.key == judged.key]
        if not same and [each.cls.key for each, _ in given] == [each.cls.key for each, _ in shipped]:
            alike = zip(given, shipped, strict=True)
            same = [found for found, (value, _) in alike if value.key == judged.key]
        yield from same


def _objects(parts: Iterable[Part]) -> list[tuple[Instance, World]]:
    return [(part.value, part.world) for part in parts if isinstance(part.value, Instance)]


def _given(program: Program, use: WorkerUse) -> list[tuple[Part, ...]]:
    """The parts of each dataset that a loader gives to such workers, on the first way to it. Where the one
    that is judged holds numbers, texts and arrays alone, so do those of its shape, and need not be looked
    into."""
    if use.loader is None or use.dataset is None:
        return [program.shipped(use)]
    mark = ("given", id(use))
    if mark not in program.answers:
        alike = _alike(program, use)
        first, *others = program.shipped(use)
        program.evaluator.start()
        if any(map(_may_be_set, others)):
            program.answers[mark] = [
                tuple(shipped(program.evaluator, value, "the dataset", world)) for value, world in alike
            ]
        else:
            program.answers[mark] = [(Part(value, first.place, world),) for value, world in alike]
    answer: list[tuple[Part, ...]] = program.answers[mark]
    return answer


def _alike(program: Program, use: WorkerUse) -> list[tuple[Value, World]]:
    """The datasets that a loader gives to such workers, each on the first way to it."""
    assert use.loader is not None and use.dataset is not None
    given: dict[Key, tuple[Value, World]] = {}
    for way, world in use.loader.ways("num_workers", "dataset"):
        value = way["dataset"]
        if value is not None and not is_zero(way["num_workers"]) and value.key not in given:
            like, as_seen = program.like(value, world)
            if like.key == use.dataset.key and as_seen is use.world:
                given[value.key] = value, world
    return list(given.values())
