"""Whether worker code has seeded NumPy before it comes to a draw."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dlint.calls.evaluator import Evaluator
from dlint.knowledge.randomness import SEEDS
from dlint.randomness.reseeds import is_always_taken, is_taken
from dlint.randomness.seeds.seed import FIXED, NEW, TORCH, WORKER
from dlint.randomness.seeds.seeds import seeds_of
from dlint.values.frame import Point
from dlint.values.places import places_around
from dlint.workers.events import Event
from dlint.workers.reach import Link
from dlint.workers.worker import WorkerCode


def seeds_alike(evaluator: Evaluator, code: WorkerCode, draw: Event) -> bool:
    """Whether worker code has surely seeded before a draw, with what comes again in each epoch."""
    seeding = set(seeding_of(evaluator, code, again=True))
    return bool(seeding) and comes_after_seeding(draw, seeding)


def seeding_of(evaluator: Evaluator, code: WorkerCode, *, again: bool) -> Iterator[int]:
    """The statements of worker code that seed NumPy for what comes after them, themselves or in what they
    call, and the items of ``with`` that do so for their block. Behind a test of the first item, or of what
    workers alone have, those count whose numbers come ``again``, or those of which that is not known."""
    for event in code.each_way([each for each in code.events if "NumPy" in SEEDS.get(each.name, "")]):
        seeds = seeds_of(evaluator, code, event, copied=True)
        good = any(seed.kinds & {TORCH, *NEW} for seed in seeds)
        comes_again = all(seed.kinds <= {FIXED, WORKER} for seed in seeds)
        for point in event.places():
            if isinstance(point.statement, ast.With):
                yield from map(id, point.statement.items)
            for around in places_around(point):
                yield id(around.block[around.at])
                # A good seed that is set on a condition is set once a worker: `if not self.seeded:`.
                always = good or is_always_taken(evaluator, around, point)
                if not always and (comes_again is not again or not is_taken(evaluator, around, point)):
                    break
            else:
                continue
            break


def comes_after_seeding(event: Event, seeding: set[int]) -> bool:
    """Whether worker code seeds before it comes to a draw, in the same function or in what decorates one."""
    link: Link | None = event.link
    while link is not None:
        if link.function is not None and id(link.function.node) in seeding:
            return True
        link = link.above
    return any(_comes_after(point, seeding) for point in event.places())


def _comes_after(point: Point, seeding: set[int]) -> bool:
    """Whether the same function has always seeded before it comes to a place: each item then has numbers
    of its own, or those that DL201 speaks of."""
    return any(
        any(id(statement) in seeding for statement in place.block[: place.at])
        or (isinstance(place.owner, ast.With) and any(id(item) in seeding for item in place.owner.items))
        for place in places_around(point)
    )
