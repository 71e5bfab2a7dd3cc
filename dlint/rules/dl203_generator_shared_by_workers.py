"""A generator made before the workers start is drawn from in worker code.

## What it finds

`np.random.default_rng(...)`, `RandomState`, `random.Random`, `torch.Generator` or torch's `SobolEngine`, or
an object of a class of yours that is derived from one, kept on the dataset (or a
transform, or at module level) and drawn from in worker code. A generator made inside the function that draws
from it is fine, and so are one that only samplers use (they run in the parent) and one that `worker_init_fn`
or the worker code replaces or seeds again: itself, and not another of that name, nor with a number that is
written out. One that is made at its first use (`if self.rng is None:`, `self.rng or default_rng(3)` that is
stored there, a `cached_property`) counts where the
parent reads an item of the dataset before the workers start, there or in a function that it hands the dataset
to, or surely runs a method or property that draws from it, as its constructor may, and no method lets go of
it in between (`dataset.reset()`); not where a cached function keeps one for each process
(`rng_for(os.getpid())`). Of several that are made for as many workers, each of which takes its own, only the
epochs repeat.

Where workers shuffle a list alike and each takes its part of it (`order[info.id :: info.num_workers]`), the
numbers must be the same in all of them: only epochs that repeat are told, and not where the parent makes the
generator anew for each (`dataset.set_epoch(epoch)`), or the workers persist.

Also imgaug's augmenters that do something else each time (`iaa.Sequential([iaa.Fliplr(0.5)])`), unless the
workers call `imgaug.seed` or the augmenter's `seed_`: they draw from a generator of their own or from
imgaug's, which is made when imgaug is imported. One that worker code makes counts where workers are forked.

And albumentations' transforms that draw (`A.Compose([A.RandomCrop(32, 32), A.HorizontalFlip()])`), unless
`worker_init_fn` calls their `set_random_seed` or the project declares an albumentations before 1.4.21. What
does the same each time (`A.Compose([A.Resize(32, 32), A.Normalize()])`) is left alone, so is what worker code
makes itself.

And MONAI's transforms that draw (`RandFlipd`, a class derived from `RandomizableTransform` that draws from
`self.R`) under torch's own DataLoader, unless `worker_init_fn` is `monai.data.worker_init_fn` or sets their
state: `monai.data.DataLoader` does that by itself. Workers that are started anew count where MONAI's
`Compose` or one of its datasets holds the transform: these give it a state that is sent with it.

## Why is this bad

Every worker gets a copy of the generator with the same state, and every epoch starts new workers. Nothing
seeds it again: torch does that for the global states only. Measured on any torch: workers identical and
every epoch identical, 4 distinct values of 24; with persistent workers 12 of 24. A `torch.Generator`
attribute under spawn or forkserver ends the worker with a RuntimeError. A `SobolEngine`, scrambled or not: 6
of 48 with four workers and two epochs; 24 where each worker goes on with `fast_forward(100 * worker_id)`, and
48 where each makes one with `scramble=True, seed=torch.initial_seed()`.

Seeding `np.random` in each worker does nothing for imgaug's augmenters: measured with imgaug 0.4.0 and two
workers, 12 distinct values of 48 with and without it, 43 after `imgaug.seed`. Under spawn the dataset brings
along its own copy of imgaug's generator, which `imgaug.seed` does not reach (12 of 48): there `seed_` of the
augmenter helps (40 of 48 where workers are forked).

albumentations draws from the global states up to 1.4.20, which torch seeds. From 1.4.21 on each transform
has a generator of its own: 6 distinct values of 24 with two workers (1.4.21 to 1.4.24, 2.0.0, 2.0.8), with
`seed=` and without, forked and spawned, NumPy seeded or not; 12 with persistent workers, and 23 where
`worker_init_fn` calls `set_random_seed`.

MONAI's transforms draw from a `RandomState` that nothing but `monai.data.DataLoader` seeds: under torch's
6 distinct values of 24 with two workers, forked or spawned (monai 1.6.1), and 24 with MONAI's
`worker_init_fn`.

Making it lazily (`if self.rng is None:`) does not help once the parent has read an item: 4 of 24 again.

## Example

```python
class Noisy(Dataset):
    def __init__(self, images):
        self.images = images
        self.rng = np.random.default_rng(0)

    def __getitem__(self, index):
        return self.images[index] + self.rng.standard_normal(3)
```

Use instead a generator for each worker, made in it from the worker's seed and the old one:

```python
class Noisy(Dataset):
    def __init__(self, images):
        self.images = images
        self._rng_by_worker = {None: np.random.default_rng(0)}

    @property
    def rng(self):
        worker = torch.utils.data.get_worker_info()
        key = worker.seed if worker else None
        if key not in self._rng_by_worker:
            seed = [torch.initial_seed(), 0]
            self._rng_by_worker[key] = np.random.default_rng(seed)
        return self._rng_by_worker[key]
```

A seed that is `torch.initial_seed()` alone makes streams one that were two: `RandomState(1)`,
`RandomState(2)` and, with a `worker_init_fn` that seeds so, `np.random`.

## Level

- `error`, silent: the numbers repeat, with any torch.
- `error`, error: a `torch.Generator` cannot be sent to workers that are started anew.
- `warning`, silent: it only chooses another item for one that cannot be used.

A `warning` instead where workers run the code only under a condition: an option for the number of workers
that is 0 by default, another that is off by default and that the loader, its dataset or this code hangs on, a
dataset that no loader of the project is seen to get, or a loader in a function that nothing in the project
calls.

## Fix safety

Unsafe: the numbers that workers draw change, and no longer repeat in each epoch. They are the same in each
run only where torch is seeded (`torch.manual_seed`): a program that seeds NumPy alone gets others each time.
What any process draws that is no worker of a loader stays as it was, with 0 workers too: it keeps the
generator that was made, and so do copies (`copy`, `pickle`, `torch.save`), there and where they are read.
torch's own stream is not touched. A seed written as a number is mixed with the worker's; any other, and none,
by a number that the worker's copy of the old generator draws, so that generators which differed still differ.

NumPy's and `random`'s generators are sent to spawned workers and not used there; a `torch.Generator`, which
they cannot be sent, is left out of what a process is started with, and of nothing else. An attribute of the
class stays one; a field of a dataclass can no longer be given, and is left where some code gives it or goes
through the fields. What an object is given, or makes where it is given none, becomes a property of that
object's class; where a method that no worker runs makes it anew of what it is given (`set_epoch(epoch)`),
that is what main has from there on. Left to you: an attribute that any other code of the program stores or
deletes, or that is asked of the class, a class with `__getattr__` or `__reduce__`, or with `__slots__` that
it does not write out, a `torch.Generator` that is seeded elsewhere or on a condition or given to an object,
a generator that several attributes keep or none, a `SobolEngine`, imgaug's augmenters, and the transforms
of albumentations and MONAI.

## References

- https://pytorch.org/docs/stable/data.html#torch.utils.data.get_worker_info
- https://numpy.org/doc/stable/reference/random/parallel.html
- https://albumentations.ai/docs/4-advanced-guides/reproducibility
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dlint.finding import Effect, Remedy
from dlint.fork.early.put_to_work import made_by_constructor, made_early
from dlint.fork.early.reads import item_read_in_parent
from dlint.fork.early.reset import resetting
from dlint.fork.sides import functions_of, init_visits, names_of
from dlint.fork.start_method import STARTS_ANEW
from dlint.knowledge.augmentation import albumentations
from dlint.knowledge.augmentation.augmenters import LIBRARY, is_augmenter
from dlint.knowledge.iterables import DIVIDES
from dlint.knowledge.randomness import GENERATORS, SEEDS
from dlint.program.asked import for_made
from dlint.program.conditions import both, loaded
from dlint.program.endless import keeps_workers
from dlint.program.generators.drawn import draws_of
from dlint.program.generators.first_use import alike, is_lazy, is_made_in
from dlint.program.generators.renewals import is_renewed, renewed_by_parent
from dlint.program.generators.unseeded_transforms import unseeded_transforms
from dlint.program.program import Program
from dlint.project.releases.pinned import is_older
from dlint.randomness.augmenters import has_own_state
from dlint.randomness.replacements import REPLACING, replaces_item
from dlint.regex import regex
from dlint.rules.rule import Found
from dlint.rules.wording import place
from dlint.source.nodes import speaks_of, walk
from dlint.values.values import Made, Unknown
from dlint.workers.events import Event
from dlint.workers.repetition import is_once
from dlint.workers.sharing import codes_of
from dlint.workers.uses import WorkerUse
from dlint.workers.worker import WorkerCode

_SEED_LIBRARY = "call imgaug.seed(torch.initial_seed() % 2**31) in worker_init_fn"
_SEED_TRANSFORM = "call its set_random_seed(torch.initial_seed() % 2**32) in worker_init_fn"
_MONAIS_LOADER = "use monai.data.DataLoader, or call monai.data.worker_init_fn in worker_init_fn"
_FROM_WORKERS_SEED = "make its seed of torch.initial_seed(), which is another in each worker and epoch"
_ANEW = (
    "make it anew for each epoch, alike in all workers: from get_worker_info().seed - get_worker_info().id"
)
_DATASET = regex(r"\bdataset\b")
# Methods by which an order is drawn.
_ORDERS = frozenset({"permutation", "permuted", "randperm", "sample", "shuffle"})
_SEVERAL = (ast.List, ast.Tuple, ast.Dict, ast.ListComp, ast.DictComp)


def check(program: Program) -> Iterator[Found]:
    """Generators that worker code draws from and that the workers did not make."""
    # What workers make themselves comes last: where they have the parent's, they make none.
    draws = {
        id(code): sorted(draws_of(program, code), key=lambda each: is_made_in(code, each[1]))
        for code in codes_of(program.uses)
    }
    for use in program.uses:
        inherited: set[str] = set()
        for event, made, in_worker in draws[id(use.code)]:
            if albumentations.is_transform(made.name):
                if not in_worker and _may_be_fresh(program) and not is_renewed(program, use, made):
                    yield _found_transform(program, event, made, use)
                continue
            if is_augmenter(made.name):
                if _is_inherited(program, use, made, in_worker=in_worker):
                    yield _found_augmenter(program, use, event, made)
                continue
            if is_renewed(program, use, made):
                continue
            own = _is_one_of_many(use.code, made)
            used, fixed = _used(program, use, made) if in_worker else "", ""
            if used is not None:
                inherited |= names_of(made)
            else:
                fixed = _alike(program, use, event, made) if inherited.isdisjoint(names_of(made)) else ""
                if not fixed:
                    continue
            own = own or fixed == "epochs"
            kept = use.loader is not None and keeps_workers(program, use.loader)
            if own and kept:
                continue
            anew = not kept and renewed_by_parent(program, use, made)
            order = _is_order_of_all(program, use, event)
            if order and (kept or anew):
                continue
            whose = "workers" if kept or anew else "epochs" if own or order else "workers and epochs"
            found = _found(program, use, event, made, used, whose)
            if fixed:
                found = found._replace(cure=_FROM_WORKERS_SEED, remedy=None, by_hand=_FROM_WORKERS_SEED)
            yield found if not order else found._replace(cure=_ANEW, remedy=None, by_hand=_ANEW)
        yield from _of_monai(program, use)


def _of_monai(program: Program, use: WorkerUse) -> Iterator[Found]:
    """MONAI's transforms under a loader that does not seed them, at the loader."""
    names = unseeded_transforms(program, use, forked=program.start_method_of(use) not in STARTS_ANEW)
    if not names or use.loader is None:
        return
    more = f" and {len(names) - 1} more" if len(names) > 1 else ""
    verb = "draw" if more else "draws"
    yield Found(
        use.loader.module,
        use.loader.call,
        f"{names[0]}{more} {verb} from MONAI's own generator, which torch's DataLoader does not seed: all "
        f"{'workers' if keeps_workers(program, use.loader) else 'workers and epochs'} repeat its numbers",
        "silent",
        _MONAIS_LOADER,
        loaded(program, use),
        (),
        by_hand=_MONAIS_LOADER,
    )


def _used(program: Program, use: WorkerUse, made: Made) -> str | None:
    """What has the parent make a generator that is made at its first use; None where nothing does, or where
    each process makes its own."""
    if not is_lazy(program, use, made):
        return None
    owner = made.point.frame.owner
    # What makes it in the parent, whenever that is, makes it for all workers.
    resets = resetting(program, use, owner, names_of(made)) - {getattr(made.point.frame.scope, "name", "")}
    by_item = id(made.point.frame.scope) in functions_of(program, use)
    by = made.point.frame.scope
    read = item_read_in_parent(program, use, owner, resets=resets, by=by) if by_item else None
    early = made_early(program, use, made) if read is None else None
    used = early.used if early is not None else None
    if used is not None:
        read = used.module, used.node
    if read is not None:
        return f"used at {place(*read)}"
    begun = not resets - {"__init__"} and made_by_constructor(program, use, made)
    return "used by the constructor" if begun else None


def _alike(program: Program, use: WorkerUse, event: Event, made: Made) -> str:
    """Whose numbers are alike that each worker draws from what it makes itself, if any are. A function that
    workers start with and that comes at their dataset may give it another seed."""
    found = alike(program.evaluator, use.code, event, made)
    if found and any(
        _DATASET.search(visit.function.module.text_of(visit.function.node))
        for visit in init_visits(program, use)
    ):
        return ""
    return found


def _is_inherited(program: Program, use: WorkerUse, made: Made, *, in_worker: bool) -> bool:
    """Whether workers share what an augmenter draws from: one that they make themselves has the library's
    generator, of which only forked workers have copies."""
    if in_worker and program.start_method_of(use) in STARTS_ANEW:
        return False
    if in_worker and has_own_state(made):
        return False
    return not (_may_seed_imgaug(program, use) or is_renewed(program, use, made))


def _may_be_fresh(program: Program) -> bool:
    """Whether the project may run with an albumentations whose transforms have generators of their own."""
    mark = (albumentations.LIBRARY, albumentations.OWN_GENERATORS)
    if mark not in program.answers:
        program.answers[mark] = not is_older(program.root, *mark)
    return bool(program.answers[mark])


def _may_seed_imgaug(program: Program, use: WorkerUse) -> bool:
    """Whether the workers of a use seed the generator of imgaug, or may when they start."""
    uses = [use, *(program.uses_of(use.loader) if use.loader is not None else ())]
    if any(SEEDS.get(event.name) == LIBRARY for each in uses for event in each.code.events):
        return True
    return use.loader is not None and any(
        isinstance(value, Unknown) for value in use.loader.values("worker_init_fn")
    )


def _is_order_of_all(program: Program, use: WorkerUse, event: Event) -> bool:
    """Whether a draw is of the order of a stream that workers divide: they must draw it alike, each to take
    its part, and what they draw alike for parts of their own does no harm. What is drawn for each item of a
    dataset that the stream reads is no order, nor is one thing of many."""
    if event.name.rpartition(".")[2] not in _ORDERS or not program.is_stream(use) or _is_of_one(event.node):
        return False
    around = list(event.places())
    if not any(speaks_of(DIVIDES, point.frame.scope) for point in around):
        return False
    of_item = any(getattr(point.frame.scope, "name", "") == "__getitem__" for point in around)
    return not of_item or any(node is not None and is_once(node, point) for node, point in event.calls())


def _is_of_one(draw: ast.AST) -> bool:
    """Whether a draw is of one thing of many: ``rng.sample(files, 1)``."""
    if not isinstance(draw, ast.Call):
        return False
    counts = [*draw.args[1:2], *(keyword.value for keyword in draw.keywords if keyword.arg == "k")]
    return any(isinstance(count, ast.Constant) and count.value == 1 for count in counts)


def _is_one_of_many(code: WorkerCode, made: Made) -> bool:
    """Whether a generator is made together with others, of which each worker may take one by its number."""
    if made.point.statement is None or not any(
        isinstance(node, _SEVERAL) and any(each is made.node for each in walk(node))
        for node in walk(made.point.statement)
    ):
        return False
    return any(
        "worker_info" in visit.function.module.text_of(visit.function.node)
        for visit in code.visits
        if visit.role != "worker_init_fn"
    )


def _found(
    program: Program,
    use: WorkerUse,
    event: Event,
    made: Made,
    used: str | None,
    whose: str,
) -> Found:
    """The finding, with what in the parent has ``used`` the generator first, where that makes it, None where
    each worker makes its own; ``whose`` numbers are the same: those of "workers", "epochs" or "workers and
    epochs"."""
    assert isinstance(made.node, ast.expr)
    effect: Effect = "silent"
    what, where = f"{GENERATORS[made.name]} is made before the workers start: ", ""
    if used is None:
        what = f"{GENERATORS[made.name]} is made at its first use in each worker, from a seed that repeats: "
    elif used:
        what = f"{GENERATORS[made.name]} is made at its first use, in the parent: "
        where = f" ({used})"
    sent = used is not None and program.start_method_of(use) in STARTS_ANEW
    if sent and made.name.startswith("torch.Generator"):
        effect, happens = "error", "it cannot be sent to them (RuntimeError)"
    elif whose == "epochs":
        happens = "every epoch draws the same numbers from it, in new workers"
    else:
        happens = f"all {whose} draw the same numbers from it"
    return Found(
        made.point.frame.module,
        made.node,
        what + happens,
        effect,
        f"make it in each worker, from torch.initial_seed(){where}",
        both(
            loaded(program, use, event),
            for_made(program, made),
            REPLACING if replaces_item(event) else None,
        ),
        event.reach(),
        Remedy("generator_per_worker", "unsafe", "Make the generator in each worker, from the worker's seed"),
    )


def _found_transform(program: Program, event: Event, made: Made, use: WorkerUse) -> Found:
    assert isinstance(made.node, ast.expr)
    name = made.name.rpartition(".")[2]
    repeated = (
        "all workers"
        if use.loader is not None and keeps_workers(program, use.loader)
        else "all workers and epochs"
    )
    return Found(
        made.point.frame.module,
        made.node,
        f"albumentations' {name} has a generator of its own from 1.4.21 on: {repeated} repeat its numbers",
        "silent",
        f"{_SEED_TRANSFORM}: seeding NumPy does not change it",
        both(loaded(program, use, event), for_made(program, made)),
        event.reach(),
        by_hand=_SEED_TRANSFORM,
    )


def _found_augmenter(program: Program, use: WorkerUse, event: Event, made: Made) -> Found:
    assert isinstance(made.node, ast.expr)
    return Found(
        made.point.frame.module,
        made.node,
        f"imgaug's {made.name.rpartition('.')[2]} has a generator of its own: all workers and "
        "epochs repeat its numbers",
        "silent",
        f"{_SEED_LIBRARY}: seeding NumPy does not change it",
        both(loaded(program, use, event), for_made(program, made)),
        event.reach(),
        by_hand=_SEED_LIBRARY,
    )
