"""A worker_init_fn seeds with numbers that are the same in every epoch.

## What it finds

A `worker_init_fn` (a function, lambda, partial, method or a factory's result, in any file) that seeds NumPy,
`random` or torch with

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

## Fix safety

Unsafe: the numbers change. The seeds in the function become `torch.initial_seed() % 2**32`; a rank in them
stays.

## References

- https://pytorch.org/docs/stable/notes/randomness.html#dataloader
- https://pytorch.org/docs/stable/data.html#data-loading-randomness
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dlint.finding import Remedy
from dlint.knowledge.randomness import SEEDS, TAKES_NO_SEED
from dlint.program.events import Event, Visit, function_body
from dlint.program.init_functions import init_functions, takes_one
from dlint.program.loaders import Loader
from dlint.program.program import Program
from dlint.program.reach import Link
from dlint.program.seed import STATE, WORKER
from dlint.program.seeds import seeds_of
from dlint.program.values import External, Function
from dlint.program.worker import WorkerCode
from dlint.rules.rule import Found

_ARGUMENT = "worker_init_fn"


def check(program: Program) -> Iterator[Found]:
    """The first seeding call of each worker_init_fn that repeats."""
    for use in program.uses:
        if use.loader is not None and use.dataset is None:
            yield from _of_code(program, use.code, use.loader)
            yield from _passed(use.loader)
    for code in init_functions(program):
        yield from _of_code(program, code)


def _of_code(program: Program, code: WorkerCode, loader: Loader | None = None) -> Iterator[Found]:
    entries = {
        id(visit.link): visit
        for visit in code.visits
        if visit.role == "worker_init_fn" and _is_entry(visit.link)
    }
    found: set[int] = set()
    for event in code.events:
        if event.role != "worker_init_fn" or event.name not in SEEDS or event.owner is not None:
            continue
        entry = entries.get(id(_entry_of(event.link)))
        if entry is None or id(entry.function.node) in found or not _can_be_called(entry):
            continue
        kinds = _repeating(program, code, event)
        if kinds is None or (WORKER in kinds and loader is not None and loader.keeps_workers):
            continue
        found.add(id(entry.function.node))
        yield _found(event, kinds, _place(program, entry, event))


def _passed(loader: Loader) -> Iterator[Found]:
    """A library's seeding function that is itself the worker_init_fn: it gets the worker's number."""
    for value in loader.values(_ARGUMENT):
        if (
            isinstance(value, External)
            and value.name in SEEDS
            and value.name not in TAKES_NO_SEED
            and not loader.keeps_workers
        ):
            library = SEEDS[value.name]
            cure = "pass a function that seeds with torch.initial_seed() % 2**32"
            yield Found(
                loader.module,
                loader.written(_ARGUMENT) or loader.call,
                f"{_ARGUMENT}={value.name} seeds {library} with the worker's number, so every epoch draws "
                f"the same numbers from {library} (12 distinct of 24); {cure}",
                by_hand=cure,
            )
            return


def _can_be_called(entry: Visit) -> bool:
    """Whether workers can call the function with their number, what a partial has given beside."""
    given = entry.frame.arguments
    return takes_one(entry.function) or (given is not None and bool(given.all()))


def _is_entry(link: Link) -> bool:
    return link.above is not None and link.above.above is None


def _entry_of(link: Link) -> Link:
    while link.above is not None and link.above.above is not None:
        link = link.above
    return link


def _repeating(program: Program, code: WorkerCode, event: Event) -> frozenset[str] | None:
    """What the seed is made of where every way to it gives the same in every epoch."""
    seeds = seeds_of(program.evaluator, code, event)
    if not seeds or not all(seed.repeats for seed in seeds):
        return None
    return frozenset().union(*(seed.kinds for seed in seeds))


def _place(program: Program, entry: Visit, event: Event) -> tuple[Visit, ast.Call]:
    """The call in the worker_init_fn itself that seeds, or that leads to the seeding."""
    calls = [node for node in function_body(entry.function.node) if isinstance(node, ast.Call)]
    assert isinstance(event.node, ast.Call)
    if any(node is event.node for node in calls):
        return entry, event.node
    link = event.link
    while link.above is not None and not _is_entry(link.above):
        link = link.above
    for node in calls:
        for value, _ in program.evaluator.values(node.func, event.point):
            if isinstance(value, Function) and _defined_at(value) == (link.module, link.line):
                return entry, node
    name = link.name.rpartition(".")[2]
    for node in calls:
        if ast.unparse(node.func).rpartition(".")[2] == name:
            return entry, node
    return entry, event.node


def _defined_at(function: Function) -> tuple[object, int]:
    return function.module, function.node.lineno


def _found(event: Event, kinds: frozenset[str], place: tuple[Visit, ast.Call]) -> Found:
    entry, call = place
    library = SEEDS[event.name]
    name = getattr(entry.function.node, "name", "worker_init_fn")
    if STATE in kinds:
        what = (
            "from torch 1.9 on that state word is always 2147483648, so every epoch and every run draws the "
            f"same numbers from {library}"
        )
    elif WORKER in kinds:
        what = (
            "the seed is made of the worker's number and fixed numbers only, so every epoch draws the same "
            f"numbers from {library} (8 distinct of 24)"
        )
    else:
        what = (
            f"the seed is fixed, so all workers and all epochs draw the same numbers from {library} "
            "(4 distinct of 24)"
        )
    cure = "seed with torch.initial_seed() % 2**32"
    if library == "torch" and call is event.node:
        cure = "leave the call out: torch has seeded the worker already"
    return Found(
        event.module if call is event.node else entry.function.module,
        call,
        f"{ast.unparse(call)} in {name}: {what}; {cure}",
        event.link.steps(event.name, event.module, event.node),
        Remedy("seed_workers", "unsafe", "Seed from torch.initial_seed()", {"kind": "seed-expression"}),
    )
