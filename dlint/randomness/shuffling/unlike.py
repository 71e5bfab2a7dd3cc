"""Whether the workers of a loader surely draw other numbers than each other."""

from __future__ import annotations

from dlint.calls.evaluator import Evaluator
from dlint.knowledge.randomness import SEEDS, STATE_CALLS
from dlint.project.releases.releases import Releases
from dlint.randomness.seeds.seed import FRESH, TORCH, WORKER
from dlint.randomness.seeds.seeds import seeds_of
from dlint.randomness.shuffling.shuffles import given_generator
from dlint.values.values import Made, Value
from dlint.workers.events import Event
from dlint.workers.uses import WorkerUse
from dlint.workers.worker import WorkerCode

# From here on workers have other numbers of NumPy than their parent and each other.
_SEEDS_NUMPY = (1, 9)
# What gives generators their seeds.
_SEEDED = frozenset(
    {
        *("numpy.random.RandomState", "numpy.random.RandomState().seed", "numpy.random.default_rng"),
        *("random.Random", "random.Random().seed", "torch.Generator().manual_seed", "torch.Generator().seed"),
    }
)


def is_unlike(evaluator: Evaluator, code: WorkerCode, event: Event) -> bool:
    """Whether a generator is one that worker code makes, of a seed that no two workers have: the number of
    the worker or torch's seed, or nothing at all; torch's own begin all alike, until they are told one."""
    given = given_generator(event)
    evaluator.start()
    values: list[Value | None] = [event.owner]
    if given is not None:
        values = [value for value, _ in evaluator.values(given, event.point, event.world)]
    seeding = [
        each
        for value in values
        if isinstance(value, Made)
        for each in code.events
        if each.node is value.node or (each.owner is not None and each.owner.node is value.node)
        if each.name in _SEEDED
    ]
    return bool(seeding) and all(
        len(seed.kinds & {WORKER, TORCH, FRESH}) == 1
        for each in seeding
        for seed in seeds_of(evaluator, code, each)
    )


def differs(evaluator: Evaluator, use: WorkerUse, library: str, releases: Releases) -> bool:
    """Whether workers surely have other random numbers than each other: as torch seeds them, and as what they
    execute does."""
    seeded = False
    for code in filter(None, (use.code, use.beside)):
        for event in code.events:
            if any(event.name.endswith(f".{name}") for name in STATE_CALLS[library]):
                return False
            if library in SEEDS.get(event.name, ""):
                seeded = True
                # The seed of torch less the worker's number is one that all workers have.
                if any(
                    len(seed.kinds & {WORKER, TORCH, FRESH}) != 1 for seed in seeds_of(evaluator, code, event)
                ):
                    return False
    return seeded or library != "NumPy" or not _is_older(releases)


def _is_older(releases: Releases) -> bool:
    """Whether the project says that it runs on a torch whose workers all have the same numbers of NumPy."""
    said = releases.said_torch
    return said is not None and said < _SEEDS_NUMPY
