"""Workers shuffle a list each in its own way, and then take their shares of it.

## What it finds

In the `__iter__` of an `IterableDataset`, or what it calls, a list that is shuffled with the global random
numbers of `random`, NumPy or torch (`random.shuffle(self.files)`, `order = torch.randperm(n)`,
`sorted(self.files, key=lambda _: random.random())`, or a list that has no name: `return
random.sample(self.files, len(self.files))`), and after that divided by the number of the worker:
`self.files[info.id :: info.num_workers]`, `islice`, a loop that takes one of so many (it may count them
itself: `seen += 1`), or the files from one number to another; also where a function or method that gets the
list divides it (`self.my_part(self.files)`), be it what another leaves (`by_worker(by_rank(files))`), or
where the function or generator that shuffles hands the list on, and its caller divides that
(`islice(self.shuffled(), info.id, None, info.num_workers)`), be that a property, or the `__iter__` of an
object that is gone through (`islice(self.shards, info.id, None, info.num_workers)`). So is what is put in the
order of shuffled numbers (`[self.files[i] for i in order]`), a piece of what is cut up
(`np.array_split(files, n)[info.id]`), what a method shuffles in its object (`self.mix()`), the rows of a
table (`table.sample(frac=1).iloc[info.id :: info.num_workers]`), and what a generator shuffles that each
worker makes of a seed of its own, or of none (`random.Random(self.seed + info.id)`). Also a list that one
worker shuffles alone, with whatever generator (`if info.id == 0: rng.shuffle(files)`), and one that a
`worker_init_fn` shuffles in its worker's dataset (`random.shuffle(get_worker_info().dataset.files)`).

Also a pipeline of webdataset that shuffles its shards before it divides them
(`wds.DataPipeline(wds.SimpleShardList(urls), wds.shuffle(100), wds.split_by_worker, ...)`), or whose first
stage is a dataset of yours that does. `wds.shuffle` has a generator of its own in each worker, made of the
number of its process and the time, unless it is given one (`rng=`, `seed=`); `wds.detshuffle` has the same in
all of them. Only stages are told that are all known, in one order, up to the dividing.

Not reported: other shuffles with a generator of their own, which may be seeded alike; one after the list was
divided, of the worker's own part; one that runs only where there is one worker (`if info.num_workers == 1:`),
or after which the list is sorted; a generator that shuffles anew without end (`while True:`), of which no
item is lost for good; libraries that worker code seeds alike (with the epoch, say), or with what dlint does
not know; loaders with one worker; NumPy before torch 1.9, whose workers all shuffle in the same way.

## Why is this bad

torch seeds every worker with a number of its own, so each has the list in an order of its own. Shares of
unlike orders do not fit together: some things are in two shares, others in none. As measured with four
workers: of 1,000 items an epoch gives 669 to 701 (676 to 694 where `islice` divides a generator that
shuffles, all or 50 at a time), some of them up to four times. The next epoch leaves out
others. webdataset (1.0) gives 671 to 679 of 1,000 shards where it shuffles them first, and all where it
divides them first. Nothing warns, and the number of items is right; an evaluation is wrong.

## Example

```python
class Shards(IterableDataset):
    def __iter__(self):
        random.shuffle(self.files)
        info = get_worker_info()
        for file in self.files[info.id :: info.num_workers]:
            yield from read(file)
```

Use instead:

```python
class Shards(IterableDataset):
    def __iter__(self):
        info = get_worker_info()
        files = sorted(self.files)
        random.Random(info.seed - info.id).shuffle(files)
        for file in files[info.id :: info.num_workers]:
            yield from read(file)
```

`info.seed - info.id` is the same number in all workers, and another one in each epoch, as long as the workers
are made anew for it; in several ranks it is the same only where torch is seeded alike in them. Where one
worker shuffles alone (`if info.id == 0:`), no generator helps: all must shuffle. Or divide first and shuffle
each share, where the shares may stay the same.

## Level

- `error`, silent: items are lost, and others come again.

A `warning` instead where workers run the code only under a condition: an option for the number of workers
that is 0 by default, another that is off by default and that the loader, its dataset or this code hangs on, a
dataset that no loader of the project is seen to get, or a loader in a function that nothing in the project
calls.

## Fix safety

No remedy: whether the files may stay with one worker, or go to another in each epoch, is the author's choice.

## References

- https://pytorch.org/docs/stable/data.html#randomness-in-multi-process-data-loading
- https://pytorch.org/docs/stable/data.html#torch.utils.data.get_worker_info
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dlint.knowledge.iterables import PIPELINE, RANKS
from dlint.knowledge.loading import is_iterable_dataset
from dlint.knowledge.randomness import SHUFFLES_IN_PLACE, shuffles_unless_told
from dlint.loaders.loaders import Loader, is_given, is_zero
from dlint.program.asked import for_events, for_made
from dlint.program.conditions import both, loaded
from dlint.program.program import Program
from dlint.randomness.shuffling.shuffles import by_own_state, ordered, shuffling
from dlint.randomness.shuffling.unlike import differs, is_unlike
from dlint.rules.rule import Found
from dlint.rules.wording import brief
from dlint.source.nodes import speaks_of
from dlint.source.statements import FunctionNode, dotted
from dlint.streams.dividing.shares import Shares
from dlint.streams.sources.staged import shuffled_shares
from dlint.values.frame import Point
from dlint.values.values import Const, Function, Instance, Value
from dlint.workers.events import Event
from dlint.workers.shares_taken import (
    Known,
    is_divided,
    is_divided_by_caller,
    is_divided_later,
    is_divided_of,
    shares_of,
)
from dlint.workers.sharing import nearest
from dlint.workers.uses import WorkerUse
from dlint.workers.worker_dataset import meant

_LONGEST = 24  # characters of the list in the message


def check(program: Program) -> Iterator[Found]:
    """Lists that every worker of a stream shuffles for itself and then divides."""
    if program.modules.index.mentioning(PIPELINE.rpartition(".")[2]):
        yield from _in_pipelines(program)
    if not program.modules.index.mentioning("get_worker_info"):
        return
    shares: Known = {}
    for use in program.uses:
        if use.dataset is None or not _is_stream(program, use):
            continue
        if use.loader is not None and not _has_several(use.loader):
            continue
        yield from _by_init(program, use, shares)
        for drawn in nearest(use.code.events):
            event, library = shuffling(drawn)
            function, statement = event.point.frame.scope, event.point.statement
            if not (library or by_own_state(event)):
                continue
            if statement is None or not isinstance(function, FunctionNode):
                continue
            whole = ordered(event, statement)
            if whole is None:
                continue
            own = shares_of(program.evaluator, shares, use.code, event.point.frame)
            name: str | ast.expr | None = whole if isinstance(whole, ast.Call) else dotted(whole)
            if name is None or own.is_of_lone(event.point):
                continue
            if isinstance(name, str) and own.is_one(name, event.node):
                if event.name in SHUFFLES_IN_PLACE or not isinstance(event.node, ast.expr):
                    continue
                name = whole = event.node  # a part of what it gives has the name
            if not is_divided(program.evaluator, shares, use.code, name, event.point) and not (
                own.hands_on(name, event.point)
                and is_divided_by_caller(program.evaluator, use.code, event, drawn, shares)
            ):
                left = own.leaves(name, event.point) if isinstance(name, str) else None
                if left is None or not is_divided_later(
                    program.evaluator, use.code, event, drawn, left, shares
                ):
                    continue
            unlike = (
                differs(program.evaluator, use, library, program.releases.of(event.module.relative))
                if library is not None
                else is_unlike(program.evaluator, use.code, event)
            )
            if own.is_of_one(event.point) or unlike:
                ranks = _is_of_ranks(program, own, name, event.point)
                found = _found(event, whole, own.is_of_some(event.point), ranks, use.loader)
                yield found._replace(condition=loaded(program, use, drawn))


def _by_init(program: Program, use: WorkerUse, shares: Known) -> Iterator[Found]:
    """Lists of a stream that a ``worker_init_fn`` shuffles in the worker's copy of it, which that divides:
    ``random.shuffle(get_worker_info().dataset.files)``."""
    if use.beside is None or use.loader is None or not isinstance(use.dataset, Instance):
        return
    for event in nearest(use.beside.events):
        function, statement = event.point.frame.scope, event.point.statement
        library = SHUFFLES_IN_PLACE.get(event.name)
        if event.role != "worker_init_fn" or not (library or by_own_state(event) == "shuffle"):
            continue
        if statement is None or not isinstance(function, FunctionNode) or not _is_only_init(program, use):
            continue
        match ordered(event, statement):
            case ast.Attribute(value=holder, attr=name) as whole if dotted(whole) is not None:
                pass
            case _:
                continue
        program.evaluator.start()
        held = [value for value, _ in program.evaluator.values(holder, event.point, event.world)]
        own = shares_of(program.evaluator, shares, use.beside, event.point.frame)
        if own.is_of_lone(event.point) or own.orders_again(dotted(whole) or "", event.point):
            continue
        if not held or not all(_is_dataset(program, use, each) for each in held):
            continue
        unlike = (
            differs(program.evaluator, use, library, program.releases.of(event.module.relative))
            if library is not None
            else is_unlike(program.evaluator, use.beside, event)
        )
        if (own.is_of_one(event.point) or unlike) and is_divided_of(program.evaluator, use, name, shares):
            ranks = _is_of_ranks(program, own, dotted(whole) or "", event.point)
            found = _found(event, whole, own.is_of_some(event.point), ranks, use.loader)
            yield found._replace(condition=both(loaded(program, use), for_events(program, use.beside, event)))


def _is_only_init(program: Program, use: WorkerUse) -> bool:
    """Whether a use's workers may run the one ``worker_init_fn`` that their loader has."""
    if use.loader is None or use.dataset is None:
        return False
    inits = {value.key for value in use.loader.values("worker_init_fn") if value and is_given(value)}
    return len(inits) == 1 and any(
        value is not None
        and is_given(way["worker_init_fn"])
        and use.dataset.key in (value.key, program.like(value, world)[0].key)
        for way, world in use.loader.ways("dataset", "worker_init_fn")
        for value in [way["dataset"]]
    )


def _is_dataset(program: Program, use: WorkerUse, value: Value) -> bool:
    """Whether something is the dataset of a use, as a worker has it."""
    if isinstance(value, Instance) and isinstance(use.dataset, Instance):
        return value.cls.node is use.dataset.cls.node
    return any(each is use.dataset for each in meant(program.evaluator, use, value) or ())


def _in_pipelines(program: Program) -> Iterator[Found]:
    """The same of stages of webdataset's pipelines."""
    for use in program.uses:
        loader = use.loader
        if use.dataset is None or loader is None or not _has_several(loader):
            continue
        for each in shuffled_shares(program.evaluator, use.dataset, use.world):
            cure = f"put {each.divide} before {each.shuffle}"
            if "__iter__" in each.shuffle:
                cure = f"shuffle after {each.divide}, or with a generator that all workers seed alike"
            yield Found(
                each.module,
                each.node,
                "each worker takes its share of the shards in an order of its own: some items come twice, "
                "others never",
                "silent",
                f"{cure} (loader at {loader.module.relative}:{loader.call.lineno})",
                both(loaded(program, use), for_made(program, each.made) if each.made is not None else None),
                by_hand=cure,
            )


def _is_stream(program: Program, use: WorkerUse) -> bool:
    classes = program.evaluator.classes
    return any(
        is_iterable_dataset(library)
        for instance in use.code.instances.values()
        for library in classes.libraries(instance.cls)
    )


def _has_several(loader: Loader) -> bool:
    """Whether a loader may have two workers or more."""
    return any(
        value is not None and not is_zero(value) and not (isinstance(value, Const) and value.value == 1)
        for value in loader.values("num_workers")
    )


def _is_of_ranks(program: Program, own: Shares, whole: str | ast.expr, point: Point) -> bool:
    """Whether a function, or one that gets what it has in order, speaks of ranks."""
    functions = [
        value.node
        for statement, call in own.calls_with(whole, point)
        for value, _ in program.evaluator.values(call.func, Point(point.frame, statement))
        if isinstance(value, Function)
    ]
    return any(speaks_of(RANKS, each) for each in (point.frame.scope, *functions))


def _cure(some: bool, ranks: bool, *, of_library: bool) -> str:
    alike = (
        "random_state=(info.seed - info.id) % 2**32" if of_library else "random.Random(info.seed - info.id)"
    )
    how = f"in all workers, with {alike}" if some else f"with {alike}, which is the same in all workers"
    if ranks:
        how += f"{'' if some else ' of a rank'} (and in all ranks only where torch is seeded alike there)"
    return f"shuffle {how}, or after dividing"


def _found(event: Event, whole: ast.expr, some: bool, ranks: bool, loader: Loader | None) -> Found:
    assert isinstance(event.node, ast.expr)
    listed = brief(whole, _LONGEST)
    happens = f"each worker takes its share of {listed} in an order of its own"
    if some:
        happens = f"not all workers shuffle {listed} before each takes its share"
    cure = _cure(some, ranks, of_library=shuffles_unless_told(event.name))
    where = f" (loader at {loader.module.relative}:{loader.call.lineno})" if loader else ""
    return Found(
        event.module,
        event.node,
        f"{happens}: some items come twice, others never",
        "silent",
        f"{cure}{where}",
        reach=event.reach(),
        by_hand=cure,
    )
