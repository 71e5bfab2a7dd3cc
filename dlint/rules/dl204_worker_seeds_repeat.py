"""A worker_init_fn seeds with numbers that are the same in every epoch.

## What it finds

A `worker_init_fn` (a function, lambda, partial, method or a factory's result, in any file) that seeds NumPy,
`random`, torch, imgaug or OpenCV with

- a constant or a setting (`np.random.seed(0)`, `random.seed(args.seed)`),
- the worker's number, the rank and fixed numbers only (`np.random.seed(args.seed + worker_id)`),
- the first word of NumPy's state (`np.random.seed(np.random.get_state()[1][0] + worker_id)`).

Also a library's seeding function that is passed itself (`worker_init_fn=np.random.seed`): it gets the
worker's number. A function that is plainly written to be one (`worker_init_fn`, `seed_worker`, with one
parameter) counts even where no loader is seen to get it; one that workers cannot call is left to DL205. Seeds
from `torch.initial_seed()`, `get_worker_info().seed`, the clock, `uuid` or `os.urandom` are fine, and so are
those that the epoch or a random draw goes into.

## Why is this bad

Every epoch starts new workers, and each calls the function anew. Measured, of 24 draws:

- a constant: workers and epochs identical, 4 distinct values;
- the worker's number: workers differ, every epoch identical, 8 distinct values (with `np.random.seed`,
  `random.seed` or `torch.manual_seed` themselves as the function: 12 of two epochs of 12);
- the state word: from torch 1.9 on it is always 2147483648, so the numbers are the same in every epoch and
  in every run, whatever seed the user sets; on torch 1.8.1 the same in every epoch.

With `persistent_workers=True` the workers live on, and the worker's number is enough; a constant is not.

## Example

```python
def worker_init_fn(worker_id):
    np.random.seed(args.seed + worker_id)
```

Use instead the seed that torch gives every worker of every epoch. It follows from `torch.manual_seed`, so
runs stay reproducible:

```python
def worker_init_fn(worker_id):
    np.random.seed(torch.initial_seed() % 2**32)
```

## Level

- `error`, silent: the numbers repeat in every epoch.
- `warning`, silent: a function that seeds so and is called `worker_init_fn`, if a DataLoader gets it.

A `warning` instead where workers run the code only under a condition: an option for the number of workers
that is 0 by default, a dataset that no loader of the project is seen to get, or a loader in a function that
nothing in the project calls.

## Fix safety

Unsafe: the numbers change. `torch.initial_seed()` takes the place of the worker's number in every seed of the
function that repeats; ranks and all else in them stays, and the user's seed where main does not give it
to torch. `torch.manual_seed` goes where nothing but the worker's number was in its seed: torch has seeded the
worker. A word of the state that another branch seeds with goes with them, and so does what only the old seeds
used: locals, imports, a number or a function of the file. A function that the program uses elsewhere too,
or that takes a seed, stays as it is: the loaders get the project's function that seeds NumPy, or a
`seed_worker` that is written for them. One that nothing else uses then goes.

## References

- https://pytorch.org/docs/stable/notes/randomness.html#dataloader
- https://pytorch.org/docs/stable/data.html#data-loading-randomness
"""

from __future__ import annotations

from collections.abc import Iterator

from dlint.finding import Remedy
from dlint.knowledge.randomness import SEEDS, TAKES_NO_SEED, draws_from
from dlint.loaders.loaders import Loader
from dlint.program.conditions import with_workers
from dlint.program.program import Program
from dlint.randomness.init_functions import init_functions
from dlint.randomness.seed import FIXED, STATE, WORKER
from dlint.randomness.worker_seeds import Seeding, repeating
from dlint.rules.rule import Found
from dlint.rules.wording import listed
from dlint.values.values import External
from dlint.workers.worker import WorkerCode

_ARGUMENT = "worker_init_fn"


def check(program: Program) -> Iterator[Found]:
    """The first seeding call of each worker_init_fn that repeats."""
    for use in program.uses:
        if use.loader is not None and use.dataset is None:
            yield from _of_code(program, use.code, use.loader)
            yield from _passed(program, use.loader)
    for code in init_functions(program):
        yield from _of_code(program, code)


def _of_code(program: Program, code: WorkerCode, loader: Loader | None = None) -> Iterator[Found]:
    together: dict[int, list[Seeding]] = {}
    for seeding in repeating(program.evaluator, code):
        if not (WORKER in seeding.kinds and loader is not None and loader.keeps_workers):
            together.setdefault(id(seeding.entry.function.node), []).append(seeding)
    for seedings in together.values():
        yield _found(program, seedings, loader)


def _libraries(program: Program, seedings: list[Seeding], loader: Loader | None) -> str:
    """The libraries that are seeded so and that the loader's workers draw from; all, where "
    "no draw is seen."""
    named = dict.fromkeys(name for each in seedings for name in SEEDS[each.event.name].split(", "))
    seeded = list(dict.fromkeys(part for name in named for part in name.split(" and ")))
    events = [] if loader is None else [event for use in program.uses_of(loader) for event in use.code.events]
    drawn = [
        library
        for library in seeded
        if any(event.role != _ARGUMENT and draws_from(event.name, library) for event in events)
    ]
    return listed(drawn or seeded)


def _passed(program: Program, loader: Loader) -> Iterator[Found]:
    """A library's seeding function that is itself the worker_init_fn: it gets the worker's number."""
    for value in loader.values(_ARGUMENT):
        if (
            isinstance(value, External)
            and value.name in SEEDS
            and value.name not in TAKES_NO_SEED
            and not loader.keeps_workers
        ):
            yield Found(
                loader.module,
                loader.written(_ARGUMENT) or loader.call,
                f"{_ARGUMENT}={value.name} seeds {SEEDS[value.name]} by the worker's number: "
                "every epoch draws the same",
                "silent",
                "pass a function that seeds with torch.initial_seed() % 2**32",
                with_workers(program, loader),
            )
            return


def _found(program: Program, seedings: list[Seeding], loader: Loader | None) -> Found:
    event, entry, call, kinds = seedings[0]
    libraries = _libraries(program, seedings, loader)
    name = getattr(entry.function.node, "name", "worker_init_fn")
    if STATE in kinds:
        what = f"{name} seeds by a state word that never changes: every epoch and run draws the same from"
    elif WORKER in kinds:
        made = "the worker's number and fixed ones" if FIXED in kinds else "the worker's number alone"
        what = f"{name} seeds by {made}: every epoch draws the same from"
    else:
        what = f"{name} seeds by a fixed number: all workers and epochs draw the same from"
    cure = "seed with torch.initial_seed() % 2**32"
    if libraries == "torch" and seedings[0].is_own:
        cure = "leave the call out: torch has seeded the worker already"
    condition = f"a DataLoader gets {name}" if loader is None else with_workers(program, loader)
    return Found(
        event.module if seedings[0].is_own else entry.function.module,
        call,
        f"{what} {libraries}",
        "silent",
        cure,
        condition,
        event.link.steps(event.name, event.module, event.node),
        Remedy("seed_from_torch", "unsafe", "Seed from torch.initial_seed()"),
    )
