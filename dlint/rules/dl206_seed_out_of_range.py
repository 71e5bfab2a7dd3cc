"""A worker seeds NumPy with torch's seed of 64 bits.

## What it finds

`np.random.seed(torch.initial_seed())` or `np.random.seed(get_worker_info().seed)` in worker code, mostly in
a `worker_init_fn`: also through variables, helpers and sums, and with a remainder of more than `2**32`.
`np.random.RandomState(...)` takes the same seeds. Outside workers, where `torch.initial_seed()` is what the
program chose, nothing is reported.

## Why is this bad

torch's seed of a worker has 64 bits, NumPy takes 32: `ValueError: Seed must be between 0 and 2**32 - 1` in
the worker.

## Example

```python
def seed_worker(worker_id):
    np.random.seed(torch.initial_seed())
```

Use instead:

```python
def seed_worker(worker_id):
    np.random.seed(torch.initial_seed() % 2**32)
```

## Level

- `error`, error: NumPy refuses the seed.

A `warning` instead where workers run the code only under a condition: an option for the number of workers
that is 0 by default, another that is off by default and that the loader, its dataset or this code hangs on, a
dataset that no loader of the project is seen to get, or a loader in a function that nothing in the project
calls.

## Fix safety

Safe: the call raises today (unsafe where a `try` around it catches that). Only what NumPy is given changes;
what else the seed is used for keeps it.

## References

- https://pytorch.org/docs/stable/notes/randomness.html#dataloader
- https://numpy.org/doc/stable/reference/random/generated/numpy.random.seed.html
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dlint.finding import Remedy
from dlint.knowledge.randomness import NARROW_SEEDS
from dlint.program.asked import for_event
from dlint.program.conditions import both, executed
from dlint.program.program import Program
from dlint.randomness.init_functions import init_functions
from dlint.randomness.seeds.seeds import seeds_of
from dlint.rules.rule import Found
from dlint.rules.wording import brief
from dlint.values.places import places_around
from dlint.workers.events import Event
from dlint.workers.sharing import codes_of
from dlint.workers.worker import WorkerCode


def check(program: Program) -> Iterator[Found]:
    """Seeding calls of NumPy in worker code whose seed is too wide."""
    for code in [*codes_of(program.uses), *init_functions(program)]:
        yield from _of_code(program, code)


def _of_code(program: Program, code: WorkerCode) -> Iterator[Found]:
    seeding = [event for event in code.events if event.name in NARROW_SEEDS and event.owner is None]
    for event in code.each_way(seeding):
        seeds = seeds_of(program.evaluator, code, event)
        if seeds and all(seed.wide for seed in seeds):
            yield _found(program, code, event)


def _found(program: Program, code: WorkerCode, event: Event) -> Found:
    assert isinstance(event.node, ast.Call)
    return Found(
        event.module,
        event.node,
        f"{brief(event.node)} in worker code: the worker's seed has 64 bits and NumPy takes 32 (ValueError)",
        "error",
        "take it % 2**32",
        both(executed(program, code), for_event(program, event)),
        event.reach(),
        Remedy("seed_in_range", "unsafe" if _is_caught(event) else "safe", "Take the seed modulo 2**32"),
    )


def _is_caught(event: Event) -> bool:
    """Whether the error may be caught on the way, and the program go on without the seed."""
    return any(
        isinstance(place.owner, ast.Try) and place.role == "body" and bool(place.owner.handlers)
        for point in event.places()
        for place in places_around(point)
    )
