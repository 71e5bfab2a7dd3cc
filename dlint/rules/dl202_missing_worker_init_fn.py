"""Worker code draws NumPy's random numbers, and nothing seeds the workers.

## What it finds

A loader with workers and without `worker_init_fn`, or with one (or a `functools.partial` of one) that is
known to its end and leaves NumPy alone (seeds other libraries only, or sets numbers of threads, prints and
the like), whose dataset or `collate_fn` draws from `np.random.*`, where the project allows a torch release
before 1.9. The release comes from `target-torch`, else from the declarations around the file; an unpinned
`torch` means the current one. Where nothing is said, the oldest counts that the code can run on: Python
3.10 has no torch before 1.11 (nor has a notebook that was last run with it), and names of torch or
torchvision that came with 1.9 or later need that. A number of workers that is not known counts as some. A
loader whose dataset is found by a name at run time may get every dataset class that no other loader gets.

One worker with a literal `shuffle=False` is an evaluation and left alone: there is no other worker to repeat.
So is one worker that is kept, or whose loader is seen to be gone through once only.
Draws of `random` and `torch` are fine: torch seeds both in every worker. Libraries' loaders that seed NumPy
themselves (MONAI's) are fine, and so are programs that have Lightning seed the workers
(`seed_everything(seed, workers=True)`, `LightningCLI`), a `worker_init_fn` that is passed on a condition or
set later (`loader.worker_init_fn = seed_worker`), and draws that worker code has always seeded before on the
way, also behind a test that this dataset always passes (`if not self.train:` of the one for evaluation): such
a seed decides them alone, whatever the torch and the `worker_init_fn` (DL201 judges it). Where it does so
behind a flag of the first item or `get_worker_info() is not None`, with a number that comes again, the loader
is found: with new workers every epoch repeats, whatever the torch. What repairs DL201 there repairs this.
Workers that surely start by spawn or forkserver (the loader's `multiprocessing_context` or
`set_start_method` on no condition, an option's default, dlint's option `start-method`) import NumPy
themselves, and its state is then fresh: they are left alone, too. Where a seeding function is called
instead of passed, DL205 says so.

## Why is this bad

Every worker starts with a copy of the parent's NumPy state, and every epoch starts new workers. Measured on
torch 1.8.1: workers and epochs draw identical numbers, 4 distinct values of 24. From torch 1.9 on the
loader seeds NumPy itself: 24 of 24. The copy comes with the fork: of three rounds of four processes, each
drawing once, 1 distinct value of 12 when forked, 12 of 12 by spawn and by forkserver (NumPy 2, Python 3.11).

## Example

```python
loader = DataLoader(dataset, batch_size=8, num_workers=4)
```

Use instead:

```python
def seed_worker(worker_id):
    # torch before 1.9 gives every worker the same NumPy state.
    np.random.seed(torch.initial_seed() % 2**32)


loader = DataLoader(dataset, batch_size=8, num_workers=4, worker_init_fn=seed_worker)
```

or require torch 1.9.

## Level

- `error`, silent: every torch that the project allows is older than 1.9 (`torch==1.7.1`), or the one that
  `target-torch` names is.
- `warning`, silent: it allows older and newer ones (`torch>=1.6`), or names no release: if torch is older
  than 1.9. A project that rules that out, or whose code needs 1.9, has no finding.
- `warning`, silent: NumPy only chooses another item for one that cannot be used, or worker code draws from it
  only behind a test that an option's default does not pass (`--perturb` with `action="store_true"`;
  `--noise`, default 0, with `if self.noise > 0:`; `self.noise = Noise(path) if path is not None else None`).

A `warning` instead where workers run the code only under a condition: an option for the number of workers
that is 0 by default, another that is off by default and that the loader, its dataset or this code hangs on, a
dataset that no loader of the project is seen to get, or a loader in a function that nothing in the project
calls.

## Fix safety

Unsafe: on torch 1.9 and newer the program works today, and the numbers that it draws change. Repaired only
where `target-torch` or the project's own declaration names a torch before 1.9; where nothing is declared, the
finding stays.

The project's own function that seeds NumPy is used where there is one. Else `seed_worker` is written beside
the dataset, and imported as the file's own imports show how; where that cannot be told it is written beside
the loader. A `worker_init_fn` that seeds no NumPy gets the line, where it is for workers alone.

## References

- https://pytorch.org/docs/stable/notes/randomness.html#dataloader
- https://github.com/pytorch/pytorch/pull/56488
- https://lightning.ai/docs/pytorch/stable/common/trainer.html#reproducibility
"""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Iterator, Sequence

from dlint.finding import Remedy
from dlint.fork.start_method import surely_starts_anew
from dlint.knowledge.randomness import (
    GIVEN_STATE,
    SAYS_WORKERS,
    TRAINER_SEEDS_WORKERS,
    draws_as_told,
    draws_from_numpy,
    draws_inside,
)
from dlint.loaders.loaders import Loader, is_zero
from dlint.loaders.passes import is_passed_once
from dlint.program.asked import for_dataset, for_event
from dlint.program.called_init import called_init
from dlint.program.conditions import both, with_workers
from dlint.program.endless import keeps_workers
from dlint.program.generators.renewals import lacks_init
from dlint.program.program import Program
from dlint.randomness.numpy_left_alone import leaves_numpy_alone
from dlint.randomness.replacements import REPLACING, replaces_item
from dlint.randomness.seeded_before import comes_after_seeding, seeding_of, seeds_alike
from dlint.rules.rule import Found
from dlint.rules.wording import brief, place
from dlint.source.nodes import is_written_none
from dlint.values.frame import Point
from dlint.values.functions import function_body
from dlint.values.values import Const, External, Function, Instance, Made, is_none
from dlint.workers.events import Event
from dlint.workers.reach import Link
from dlint.workers.sharing import codes_of
from dlint.workers.uses import WorkerUse
from dlint.workers.worker import WorkerCode

_SEEDS_ITSELF = (1, 9)
_BY_HAND = (
    "nothing says that this project runs on torch older than 1.9, and from 1.9 on the loader seeds NumPy: "
    "declare torch>=1.9, set target-torch, or pass a worker_init_fn that seeds NumPy"
)
_ONCE = "seed it from get_worker_info().seed % 2**32, once in each worker"


def check(program: Program) -> Iterator[Found]:
    """Loaders whose workers draw from NumPy's state without anybody seeding it."""
    if _trainer_seeds_workers(program):
        return
    nearest: dict[int, Event | None] = {}
    for loader in program.loaders:
        if loader.inherited or loader.kind.seeds_workers:
            continue
        releases = program.releases.of(loader.module.relative)
        said = releases.said_torch
        if (said is not None and said >= _SEEDS_ITSELF) or _is_set_later(program, loader):
            continue
        uses = program.possible_uses(loader)
        codes = codes_of(uses)
        for code in codes:
            if id(code) not in nearest:
                nearest[id(code)] = _nearest_draw(program, code)
        draws = [draw for code in codes if (draw := nearest[id(code)]) is not None]
        alike = {
            id(draw)
            for code in codes
            if (draw := nearest[id(code)]) and seeds_alike(program.evaluator, code, draw)
        }
        if alike and keeps_workers(program, loader):
            # They go on in the next epoch; of a seed that all of them have DL201 speaks.
            draws = [draw for draw in draws if id(draw) not in alike]
        if draws:
            if called_init(program, loader) is not None or surely_starts_anew(program, uses[0]):
                continue
            drawing = [use for use in uses if nearest.get(id(use.code)) is not None]
            missing = lacks_init(program, loader, drawing)
            if missing or leaves_numpy_alone(program.evaluator, uses):
                if releases.torch_is_from(_SEEDS_ITSELF):
                    continue
                repeat = _repeated(program, loader)
                if repeat is None or releases.notebook_is_from(_SEEDS_ITSELF, loader.module.relative):
                    continue
                draw = _nearest(program, draws)
                assert draw is not None
                remedy = _remedy(program, loader, uses, draw, missing=missing)
                alone = [for_dataset(program, use) for use in drawing]
                choice = alone[0] if alone and all(alone) else None
                yield _found(
                    program, loader, draw, remedy, repeat, choice, missing=missing, alike=id(draw) in alike
                )


def _trainer_seeds_workers(program: Program) -> bool:
    """Whether the program has a trainer give a worker_init_fn to loaders that lack one."""
    for name, must_say in TRAINER_SEEDS_WORKERS.items():
        word = name.rpartition(".")[2]
        for module in program.modules.naming(word):
            for trail in module.paths_to(word, called=True):
                call = trail[-2]
                if isinstance(call, ast.Call) and call.func is trail[-1]:
                    program.evaluator.start()
                    point = program.evaluator.sites.point_of(module, trail)
                    callees = program.evaluator.values(call.func, point)
                    if any(isinstance(value, External) and value.name == name for value, _ in callees) and (
                        not must_say or _says_workers(program, call, point)
                    ):
                        return True
    return False


def _says_workers(program: Program, call: ast.Call, point: Point) -> bool:
    said = [*call.args[1:2], *(keyword.value for keyword in call.keywords if keyword.arg == SAYS_WORKERS)]
    return any(
        isinstance(value, Const) and value.value is True
        for argument in said
        for value, _ in program.evaluator.values(argument, point)
    )


def _is_set_later(program: Program, loader: Loader) -> bool:
    """Whether the function is set once the loader is made: somewhere in the same file, or elsewhere by who
    surely has this loader."""
    storing = program.modules.index.storing("worker_init_fn")
    if loader.module.relative in storing:
        return True
    program.evaluator.start()
    return any(
        isinstance(held, Made | Instance) and held.node is loader.call
        for store in (program.evaluator.attributes.outside.stores("worker_init_fn") if storing else ())
        for held, _ in program.evaluator.values(store.target.value, store.point)
    )


def _repeated(program: Program, loader: Loader) -> str | None:
    """What repeats the numbers: other workers, and later passes, which start new ones; None where there are
    neither."""
    started = [value for value in loader.values("num_workers") if not is_zero(value)]
    one = all(isinstance(value, Const) and value.value == 1 for value in started)
    if keeps_workers(program, loader) or is_passed_once(program, loader):
        return None if one else "all workers repeat its numbers"
    return "every epoch repeats its numbers" if one else "all workers and epochs repeat them"


def _nearest_draw(program: Program, code: WorkerCode) -> Event | None:
    seeding = set(seeding_of(program.evaluator, code, again=False))
    drawing = [
        event for event in code.events if draws_from_numpy(event.name) or _is_told_to_draw(program, event)
    ]
    draws = [
        event
        for event in code.each_way(drawing)
        if not (draws_inside(event.name) and _is_given_state(program, event))
        and event.role != "worker_init_fn"
        and not (seeding and comes_after_seeding(event, seeding))
    ]
    return _nearest(program, draws)


def _nearest(program: Program, draws: Sequence[Event]) -> Event | None:
    """The nearest draw that no option has to be given for, else the nearest; those last that only replace an
    item."""
    ranked = sorted(draws, key=lambda draw: (replaces_item(draw), draw.link.length))
    alike = [draw for draw in ranked if replaces_item(draw) == replaces_item(ranked[0])]
    always = (draw for draw in alike if for_event(program, draw) is None)
    return next(always, alike[0] if alike else None)


def _is_told_to_draw(program: Program, event: Event) -> bool:
    """Whether a call of a library's transform draws from NumPy, as what made it was told."""
    made = event.owner
    told = draws_as_told(made.name) if made is not None and event.name.endswith("().__call__") else None
    if made is None or told is None or told[0] not in made.arguments.keywords:
        return False
    values = [value for value, _ in program.evaluator.value_of(made.arguments.keywords[told[0]], event.world)]
    return any(isinstance(value, Const) and told[1].search(str(value.value)) for value in values)


def _is_given_state(program: Program, event: Event) -> bool:
    """Whether a call draws from a state that it is given: ``rvs(size=3, random_state=rng)``."""
    return isinstance(event.node, ast.Call) and any(
        not is_none(value)
        for keyword in event.node.keywords
        if keyword.arg in GIVEN_STATE
        for value, _ in program.evaluator.values(keyword.value, event.point, event.world)
    )


def _found(
    program: Program,
    loader: Loader,
    draw: Event,
    remedy: Remedy | None,
    repeat: str,
    choice: str | None,
    *,
    missing: bool,
    alike: bool,
) -> Found:
    lack = _lack(program, loader, missing)
    cure = "pass a worker_init_fn that seeds NumPy from torch.initial_seed()"
    if not missing:
        cure = "seed NumPy from torch.initial_seed() in the worker_init_fn"
    cure += ", or require torch>=1.9"
    by_hand = _BY_HAND if remedy is None else None
    if alike:
        # While worker code seeds, no worker_init_fn helps. DL201 repairs that seed.
        cure, remedy, by_hand = _ONCE, None, _ONCE
        lack, repeat = "worker code seeds it alike in every epoch", "epochs repeat them"
    return Found(
        loader.module,
        loader.call,
        f"workers draw from NumPy ({_shown(draw.name)}) and {lack}: {repeat}",
        "silent",
        cure,
        both(
            with_workers(program, loader),
            choice,
            None if alike else program.releases.of(loader.module.relative).torch_is_older(_SEEDS_ITSELF),
            for_event(program, draw),
            REPLACING if replaces_item(draw) else None,
        ),
        draw.reach(),
        remedy,
        by_hand,
    )


def _shown(name: str) -> str:
    return re.sub(r"^numpy\.", "np.", name)


def _lack(program: Program, loader: Loader, missing: bool) -> str:
    """What the loader does not have, and where what it is given instead comes from."""
    if not missing:
        return "the worker_init_fn does not seed it"
    written = loader.written("worker_init_fn")
    if written is None or isinstance(written, ast.Constant):
        return "nothing seeds it"
    source = ""
    if isinstance(written, ast.Call):
        for value, _ in program.evaluator.values(written.func, loader.point):
            if isinstance(value, Function):
                for statement in function_body(value.node):
                    if isinstance(statement, ast.Return) and _is_nothing(statement.value):
                        source = f" ({place(value.module, statement)})"
    return f"worker_init_fn={brief(written, 24)} may be None{source}"


def _is_nothing(node: ast.expr | None) -> bool:
    return node is None or is_written_none(node)


def _remedy(
    program: Program, loader: Loader, uses: list[WorkerUse], draw: Event, *, missing: bool
) -> Remedy | None:
    """The repair, where the program is said to run on a torch that does not seed NumPy itself: on any other
    it would only change the numbers."""
    releases = program.releases.of(loader.module.relative)
    if releases.said_torch is None and releases.torch_is_older(_SEEDS_ITSELF) is not None:
        return None
    if not missing:
        return Remedy("seed_workers", "unsafe", "Seed NumPy in the worker_init_fn", {"kind": "append"})
    data = {"kind": "missing"}
    home = _home(program, loader, uses, draw)
    if home is not None:
        data["home"] = home
    return Remedy("seed_workers", "unsafe", "Pass a worker_init_fn that seeds NumPy", data)


def _home(program: Program, loader: Loader, uses: list[WorkerUse], draw: Event) -> str | None:
    """The file of the loader's dataset, where the function that seeds its workers belongs; for datasets of
    several files their package's. Where no dataset is known, the file of the ``collate_fn`` that draws."""
    files = {use.dataset.cls.module.relative for use in uses if isinstance(use.dataset, Instance)}
    if loader.module.relative in files:
        return loader.module.relative
    if len(files) > 1:
        folder = os.path.commonpath([file.rpartition("/")[0] or "." for file in files])
        package = f"{folder}/__init__.py"
        if package in program.modules.index.paths:
            return package
    if not files and draw.role == "collate_fn":
        return _entry(draw)
    return min(files, default=None)


def _entry(draw: Event) -> str | None:
    """The file of the first function of the reach of a draw."""
    found: str | None = None
    link: Link | None = draw.link
    while link is not None:
        found = link.function.module.relative if link.function is not None else found
        link = link.above
    return found
