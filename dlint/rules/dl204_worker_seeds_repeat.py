"""A worker_init_fn seeds with numbers that are the same in every epoch.

## What it finds

A `worker_init_fn` (a function, lambda, partial, method or a factory's result, in any file) that seeds NumPy,
`random`, torch, imgaug or OpenCV with

- a constant or a setting (`np.random.seed(0)`, `random.seed(args.seed)`),
- the worker's number, the rank and fixed numbers only (`np.random.seed(args.seed + worker_id)`), also those
  that the worker's dataset keeps (`get_worker_info().dataset.seed + worker_id`),
- the first word of NumPy's state (`np.random.seed(np.random.get_state()[1][0] + worker_id)`).

Also one that makes or seeds so a generator which the workers' dataset keeps and draws from
(`get_worker_info().dataset.rng = np.random.default_rng(worker_id)`): that is left to you.

Also a library's seeding function that is passed itself (`worker_init_fn=np.random.seed`): it gets the
worker's number. A function that is plainly written to be one (`worker_init_fn`, `seed_worker`, with one
parameter) counts even where no loader is seen to get it; one that workers cannot call is left to DL205. Seeds
from `torch.initial_seed()`, `get_worker_info().seed`, the clock, `uuid` or `os.urandom` are fine, and so are
those that the epoch or a random draw goes into. So are fixed ones where only loaders get them that are for
evaluation, by the names around them, without a shuffle or a sampler (not the state word): what is compared
may be meant to be the same. What main draws once, or asks the clock for, and hands to the function is a fixed
number for all epochs. So is what a module draws, or asks the clock for, when it is imported, but for workers
that surely start by spawn or forkserver and import it anew.

## Why is this bad

Every epoch starts new workers, and each calls the function anew. Measured, of 24 draws:

- a constant: workers and epochs identical, 4 distinct values;
- the worker's number: workers differ, every epoch identical, 8 distinct values (with `np.random.seed`,
  `random.seed` or `torch.manual_seed` themselves as the function: 12 of two epochs of 12);
- a generator of the dataset made of the worker's number: 12 of two epochs of 12, all 24 of
  `get_worker_info().seed`;
- the worker's number and what a module drew, or asked the clock for, at its import: 4 of two epochs of 4 by
  fork, all 8 by spawn and by forkserver;
- the state word: from torch 1.9 on it is always 2147483648, so the numbers are the same in every epoch and
  in every run, whatever seed the user sets; on torch 1.8.1 the same in every epoch.

With `persistent_workers=True` the workers live on, and the worker's number is enough; a constant is not (a
parameter that is True by default counts where nobody is seen to give another), nor is the state word, by
which every run is the same. So it is with a loader class that takes all batches from one iterator
(`next(self.iterator)`), and where the sampler or the stream never ends (`while True: yield ...`) and no loop
is seen to leave the loader and to begin it again.

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

- `error`, silent: the numbers repeat in every epoch, or run.
- `warning`, silent: a function that seeds so and is called `worker_init_fn`, if a DataLoader gets it.
- `warning`, silent: no code of the workers is seen to draw from what is seeded, the seed may be None
  (`if seed is not None`), or the loader is seen to be gone through once only.

A `warning` instead where workers run the code only under a condition: an option for the number of workers
that is 0 by default, another that is off by default and that the loader, its dataset or this code hangs on, a
dataset that no loader of the project is seen to get, or a loader in a function that nothing in the project
calls.

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

import ast
from collections.abc import Iterator
from typing import NamedTuple

from dlint.finding import Remedy
from dlint.fork.start_method import python_starts_anew, surely_starts_anew
from dlint.knowledge.randomness import SEEDS, TAKES_NO_SEED
from dlint.loaders.given.defaults import keeps_by_default
from dlint.loaders.loaders import Loader
from dlint.loaders.passes import is_passed_once
from dlint.loaders.training import is_called_after_evaluation
from dlint.program.asked import for_function
from dlint.program.conditions import both, with_workers
from dlint.program.endless import keeps_workers
from dlint.program.program import Program
from dlint.randomness.init_functions import init_functions
from dlint.randomness.seeds.seed import FIXED, STATE, WORKER
from dlint.randomness.torchvision_draws import is_drawn_by
from dlint.randomness.worker_seeds import Seeding, repeating, repeating_renewals
from dlint.rules.rule import Found
from dlint.rules.wording import brief, listed
from dlint.values.frame import Point
from dlint.values.places import tests_around
from dlint.values.values import Const, External, Instance, is_none
from dlint.workers.events import Event
from dlint.workers.worker import WorkerCode

_ARGUMENT = "worker_init_fn"
# From this torch on the loader seeds NumPy in workers.
_SEEDS_NUMPY = (1, 9)
_FROM_TORCH = "make its seed of torch.initial_seed(), which is another in each worker and epoch"
_AGAIN = "the loader is gone through more than once"


def check(program: Program) -> Iterator[Found]:
    """One seeding call of each worker_init_fn that repeats: the first of a library that workers draw from."""
    given: dict[int, list[_Given]] = {}
    for use in program.uses:
        if use.loader is not None and use.dataset is None:
            copied = not surely_starts_anew(program, use)
            for each in _given(program, use.code, use.loader, copied=copied):
                given.setdefault(id(each.seedings[0].entry.function.node), []).append(each)
            yield from _passed(program, use.loader)
            yield from _of_generators(program, use.code, use.loader, copied=copied)
    for code in init_functions(program):
        for each in _given(program, code, None, copied=not python_starts_anew(program)):
            given.setdefault(id(each.seedings[0].entry.function.node), []).append(each)
    for ways in given.values():
        drawn = list(dict.fromkeys(library for each in ways for library in each.drawn))
        ways.sort(key=lambda each: each.kept)  # where workers are new in each epoch more repeats
        found = [_found(program, each, drawn) for each in ways]
        yield next((each for each in found if each.condition is None), found[0])


class _Given(NamedTuple):
    """What a worker_init_fn seeds that a loader gets, what the loader's workers draw from, and whether these
    stay from one epoch to the next."""

    seedings: list[Seeding]
    loader: Loader | None
    drawn: list[str]
    kept: bool = False


def _given(program: Program, code: WorkerCode, loader: Loader | None, *, copied: bool) -> Iterator[_Given]:
    together: dict[int, list[Seeding]] = {}
    uses = program.known_uses(loader) if loader is not None else []
    seedings = list(repeating(program.evaluator, code, uses, copied=copied))
    counting = any(WORKER in each.kinds for each in seedings)
    kept = loader is not None and counting and _keeps_workers(program, loader)
    evaluates = loader is not None and bool(seedings) and _evaluates(loader)
    for seeding in seedings:
        enough = (
            WORKER in seeding.kinds and kept and (STATE not in seeding.kinds or _is_older(program, loader))
        )
        if not enough and not (evaluates and STATE not in seeding.kinds):
            together.setdefault(id(seeding.entry.function.node), []).append(seeding)
    for alike in together.values():
        yield _Given(alike, loader, _drawn(program, alike, loader), kept)


def _keeps_workers(program: Program, loader: Loader) -> bool:
    """Whether a loader keeps the workers that it has seed themselves."""
    return (
        keeps_workers(program, loader)
        or _keeps_those_it_seeds(loader)
        or keeps_by_default(program.evaluator, loader.arguments, loader.values("persistent_workers"))
    )


def _of_generators(program: Program, code: WorkerCode, loader: Loader, *, copied: bool) -> Iterator[Found]:
    """Generators of the dataset that the function makes, or seeds, alike in every epoch."""
    renewals = repeating_renewals(program.evaluator, code, program.known_uses(loader), copied=copied)
    for name, event, kinds in renewals:
        if (WORKER in kinds and _keeps_workers(program, loader)) or (
            _evaluates(loader) and STATE not in kinds
        ):
            continue
        made = "the worker's number" if WORKER in kinds else "a fixed number"
        whose = "every epoch draws" if WORKER in kinds else "all workers and epochs draw"
        once = WORKER in kinds and is_passed_once(program, loader)
        assert isinstance(event.node, ast.expr)
        yield Found(
            event.module,
            event.node,
            f"{_ARGUMENT} seeds the generator {name} by {made}: {whose} the same from it",
            "silent",
            _FROM_TORCH,
            both(with_workers(program, loader), _AGAIN if once else None),
            event.link.steps("", event.module, event.node),
            by_hand=_FROM_TORCH,
        )


def _evaluates(loader: Loader) -> bool:
    """Whether a loader surely is for evaluation alone, which may well be the same each time: its items are in
    order, and the names around it say so."""
    given = [value for name in ("shuffle", "sampler", "batch_sampler") for value in loader.values(name)]
    if not all(value is None or (isinstance(value, Const) and not value.value) for value in given):
        return False
    return is_called_after_evaluation([(loader.call, loader.point.frame)])


def _keeps_those_it_seeds(loader: Loader) -> bool:
    """Whether the loader's workers stay wherever it gets a function for them: who makes it without one may
    well have new workers in each epoch."""
    kept = [
        way["persistent_workers"]
        for way, _ in loader.ways(_ARGUMENT, "persistent_workers")
        if (given := way[_ARGUMENT]) is not None and not is_none(given)
    ]
    return bool(kept) and all(isinstance(value, Const) and value.value is True for value in kept)


def _drawn(program: Program, seedings: list[Seeding], loader: Loader | None) -> list[str]:
    """The libraries that are seeded so and that the loader's workers are seen to draw from."""
    events = [] if loader is None else [event for use in program.uses_of(loader) for event in use.code.events]
    return [
        library
        for library in _seeded(seedings)
        if any(event.role != _ARGUMENT and is_drawn_by(program.evaluator, event, library) for event in events)
    ]


def _seeded(seedings: list[Seeding]) -> list[str]:
    named = dict.fromkeys(name for each in seedings for name in SEEDS[each.event.name].split(", "))
    return list(dict.fromkeys(part for name in named for part in name.split(" and ")))


def _is_seen(loader: Loader) -> bool:
    """Whether all datasets of a loader are classes of the program: what draws in workers is seen there."""
    return all(isinstance(value, Instance) for value in loader.values("dataset"))


def _passed(program: Program, loader: Loader) -> Iterator[Found]:
    """A library's seeding function that is itself the worker_init_fn: it gets the worker's number."""
    for value in loader.values(_ARGUMENT):
        if (
            isinstance(value, External)
            and value.name in SEEDS
            and value.name not in TAKES_NO_SEED
            and not keeps_workers(program, loader)
            and not _evaluates(loader)
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


def _is_given(program: Program, event: Event) -> str | None:
    """The test that lets the seeding run only where there is a seed, where there may be none:
    ``if seed is not None``."""
    for test, outcome, _ in tests_around(event.point):
        match test:
            case ast.Compare(left=asked, ops=[ast.IsNot()], comparators=[ast.Constant(value=None)]):
                wanted = True
            case ast.Compare(left=asked, ops=[ast.Is()], comparators=[ast.Constant(value=None)]):
                wanted = False
            case ast.Name() as asked:
                wanted = True
            case _:
                continue
        values = program.evaluator.values(asked, Point(event.point.frame, None))
        if wanted is outcome and any(is_none(v) for v, _ in values):
            return f"{brief(asked)} is not None"
    return None


def _is_older(program: Program, loader: Loader | None) -> bool:
    """Whether the project allows only a torch that does not seed NumPy in workers."""
    releases = program.releases if loader is None else program.releases.of(loader.module.relative)
    return not releases.torch_is_from(_SEEDS_NUMPY) and releases.torch_is_older(_SEEDS_NUMPY) is None


def _found(program: Program, given: _Given, drawn: list[str]) -> Found:
    """The finding where one loader gets the function; ``drawn`` is what workers of any of them draw from."""
    loader = given.loader
    seedings = [each for each in given.seedings if set(drawn) & set(_seeded([each]))] or given.seedings
    event, entry, call, kinds = seedings[0]
    libraries = listed(drawn or _seeded(seedings))
    alike = len({(STATE in each.kinds, WORKER in each.kinds) for each in seedings}) == 1
    name = getattr(entry.function.node, "name", _ARGUMENT)
    if name == "__call__" and entry.function.owner is not None:
        name = entry.function.owner.name  # an object is given, and not its method
    if not alike:
        what = f"{name} seeds by numbers that are the same in every epoch: each draws the same from"
    elif STATE in kinds:
        # Before 1.9 the word is what the parent seeded NumPy with: another in a run with another seed.
        again = "epoch" if _is_older(program, loader) else "run" if given.kept else "epoch and run"
        what = f"{name} seeds by a state word that never changes: every {again} draws the same from"
    elif WORKER in kinds:
        made = "the worker's number and fixed ones" if FIXED in kinds else "the worker's number alone"
        what = f"{name} seeds by {made}: every epoch draws the same from"
    else:
        what = f"{name} seeds by a fixed number: all workers and epochs draw the same from"
    cure = "seed with torch.initial_seed() % 2**32"
    if libraries == "torch" and seedings[0].is_own:
        cure = "leave the call out: torch has seeded the worker already"
    if loader is None:
        condition: str | None = f"a DataLoader gets {name}"
    else:
        unseen = None if given.drawn or not _is_seen(loader) else "worker code draws from it"
        once = WORKER in kinds and STATE not in kinds and is_passed_once(program, loader)
        condition = both(
            with_workers(program, loader),
            for_function(program, loader, _ARGUMENT, entry.function),
            _is_given(program, event),
            unseen,
            _AGAIN if once else None,
        )
    return Found(
        event.module if seedings[0].is_own else entry.function.module,
        call,
        f"{what} {libraries}",
        "silent",
        cure,
        condition,
        event.reach(),
        Remedy("seed_from_torch", "unsafe", "Seed from torch.initial_seed()"),
    )
