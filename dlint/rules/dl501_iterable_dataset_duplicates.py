"""An IterableDataset gives every worker the whole stream.

## What it finds

The `__iter__` of an `IterableDataset` that a loader with two or more workers gets, where nothing divides the
stream: neither `__iter__` nor anything that it calls or iterates over asks `get_worker_info()` (for more than
a seed, `random.Random(self.seed + info.id)`, or than to tell the user: `tqdm(paths, disable=info.id > 0)`) or
otherwise speaks of workers, or of which shard of how many (that files are called shards says nothing), none
refuses to run in workers, and `worker_init_fn` does not change the dataset, but for what no code of it reads:
one that only seeds with `get_worker_info().seed`, as those of timm, Lightning and MONAI do, or tells the user
how many workers there are, does not. It fires only where it can see what is streamed: a file, also one that a
`while` reads to its end (or `pickle.load` to EOFError), a video by what is called a path
(`cv2.VideoCapture(self.path)`; no camera), files that it opens by their names one after another (itself, in a
method, or by `chain.from_iterable`), by fsspec or from S3 too, a list, a range, rows of a table or of a
database (a `find()` of MongoDB, a scan of Redis), blocks of a sound file, what TensorFlow reads
(`TFRecordDataset`, but for `repeat()` and `shard()`), a part of a file that was read whole
(`np.load(path)["x"]`), arrays of Zarr, netCDF and xarray, a dataset of Hugging Face that is not streamed
(`load_dataset(path)["train"]`), in this file or another. Items that are packed on the way, with a `while` for
those that are full, are the same stream, and so is what anything makes of its records (`for token in
self.tokenizer(line)`); so are rows that a number counts through (`while at < len(self.rows)`, or slices of
some), what an object reads that is its own iterator, everything in another order (`torch.randperm(n)`), what
a `while True` reads that something in it surely ends (`if not self.repeat: break`, of a dataset made with
`repeat=False`), the streams of a `ChainDataset`, and iterators that are asked in turn or by chance until none
has more (`next(random.choice(iterators))`, `next(readers[name])`), the items of another dataset, one after
the other (`yield self.dataset[i]` for `i in range(len(self.dataset))`), windows over what has a length
(`yield self.series[i : i + n]`), what those of one of the program have (`yield from self.clips[i]`), and what
a pool of threads reads (`pool.map(self.load, self.files)`). Where some of several sources divide and others
do not, those are named that are read whole beside them. A `Trainer` of transformers whose
`dataloader_num_workers` is above 1 is such a loader: it divides no stream among them.

An `IterDataPipe` of the program is such a dataset, too, where neither its files nor the loader's speak of
sharding (`pipe.sharding_filter()`, `apply_sharding`, a reading service).

A stream from elsewhere (webdataset, a streaming dataset of Hugging Face, Kafka, a queue) may divide itself,
so may a database that is told to (`FOR UPDATE SKIP LOCKED`), and endless and random streams have nothing to
divide: these are left alone. So is a range that only counts what comes from elsewhere, out of a queue, an
environment or a sampler: `for _ in range(n): yield queue.get()`. Dividing by rank is not enough: that is for
machines.

## Why is this bad

Each worker has its own copy of the dataset and runs its `__iter__` to the end. As measured with two workers:
every item comes twice, `[0, 0, 1, 1, ...]`. An epoch is as many times longer as there are workers, and each
item counts as many times; nothing warns.

## Example

```python
class Lines(IterableDataset):
    def __iter__(self):
        return iter(open(self.path))
```

Use instead:

```python
class Lines(IterableDataset):
    def __iter__(self):
        info = get_worker_info()
        first, step = (0, 1) if info is None else (info.id, info.num_workers)
        return itertools.islice(open(self.path), first, None, step)
```

## Level

- `error`, silent: items come as often as there are workers.

A `warning` instead where workers run the code only under a condition: an option for the number of workers
that is 0 by default, another that is off by default and that the loader, its dataset or this code hangs on, a
dataset that no loader of the project is seen to get, or a loader in a function that nothing in the project
calls.

## Fix safety

No remedy: where to divide (files, lines, after a shuffle) is the author's choice.

## References

- https://pytorch.org/docs/stable/data.html#torch.utils.data.IterableDataset
- https://pytorch.org/docs/stable/data.html#torch.utils.data.get_worker_info
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from functools import partial
from typing import TypeAlias

from dlint.fork.set_elsewhere import is_set_elsewhere
from dlint.knowledge.iterables import draws
from dlint.knowledge.loading import ITERABLE_DATASETS
from dlint.knowledge.names import ONLY_KINDS
from dlint.knowledge.randomness import ONLY_SEED, SHUFFLES
from dlint.loaders.loaders import Loader, is_zero
from dlint.program.conditions import loaded
from dlint.program.program import Program
from dlint.regex import regex
from dlint.rules.rule import Found
from dlint.source.nodes import speaks_of, walk
from dlint.source.statements import FunctionNode, dotted, functions_in, given_in
from dlint.streams.dividing.aside import only_looks
from dlint.streams.dividing.divided import divides
from dlint.streams.items.items import chained
from dlint.streams.sources.streams import Streams
from dlint.values.facts import Cut, is_above
from dlint.values.frame import Arguments, Frame, Point
from dlint.values.values import Class, Const, External, Function, Instance, Key, Partial, Value, is_none
from dlint.values.worlds import World
from dlint.workers.uses import WorkerUse

# A function that a stream comes through.
_Passed: TypeAlias = tuple[ast.AST, Frame]

_ITERABLE = "torch.utils.data.IterableDataset"
# What torch divides where a program has it told where: ``pipe.sharding_filter()``, a pipe with its own
# ``apply_sharding``, a reading service.
_PIPES = frozenset(name for name in ITERABLE_DATASETS if name.endswith(".IterDataPipe"))
_SHARDING = regex(r"shard(?:ing|able)|[Rr]eading_?[Ss]ervice|DataLoader2")
# Bases that say nothing about how items are read.
_PLAIN = ONLY_KINDS | {_ITERABLE, "torch.utils.data.Dataset"} | _PIPES
_MORE_THAN_ONE: Cut = (1, True)
_CHANGES = regex("worker_info|dataset", re.IGNORECASE)
_LOOKS = frozenset({"isinstance", "len", "hasattr", "print", "type"})
_RANDOM = regex("seed|rng|random|generator", re.IGNORECASE)


def check(program: Program) -> Iterator[Found]:
    """Iterable datasets whose whole stream goes to each of several workers."""
    whole: list[tuple[WorkerUse, list[tuple[Instance, World]]]] = []
    # What hands on a stream that is divided, for one loader of the program.
    divided: set[int] = set()
    for use in program.uses:
        if use.loader is None or use.dataset is None:
            continue
        streams = [
            (dataset, world)
            for dataset, world in chained(program.evaluator, use.dataset, use.world)
            if isinstance(dataset, Instance)
            and _is_plain_iterable(program, dataset.cls)
            and not _is_sharded(program, use, dataset.cls)
        ]
        code: list[_Passed] = [(each.function.node, each.frame) for each in use.code.visits]
        if streams and _is_divided(program, code):
            divided.update(id(function) for function, _ in code)
            yield from _beside_shares(program, use, streams, code)
        elif streams:
            whole.append((use, streams))
    for use, streams in whole:
        yield from _of_streams(program, use, streams, divided)


def _of_streams(
    program: Program, use: WorkerUse, streams: list[tuple[Instance, World]], divided: set[int]
) -> Iterator[Found]:
    """What is to be said of the streams that a loader gets, none of which is divided."""
    assert use.loader is not None and use.dataset is not None
    for dataset, world in streams:
        for method in program.evaluator.classes.methods(dataset, "__iter__"):
            if not isinstance(method.node, ast.FunctionDef):
                continue
            passed = _gives_all(program, use, method, world)
            if passed is not None and _shared(program, use, use.loader, use.dataset):
                yield _found(program, use, _undivided(program, use, method, world, passed, divided))


def _beside_shares(
    program: Program, use: WorkerUse, datasets: list[tuple[Instance, World]], code: list[_Passed]
) -> Iterator[Found]:
    """Sources that are read whole beside others that divide: one of two datasets that are chained, one of
    the readers that a factory makes. What divides must itself be one that is gone through."""
    assert use.loader is not None and use.dataset is not None
    functions: list[ast.AST] = [each.function.node for each in use.code.visits]

    def is_share(node: ast.AST, frame: Frame) -> bool:
        return _is_divided(program, [(node, frame)], functions)

    sharing = [each for each in code if is_share(*each)]
    for dataset, world in datasets:
        for method in program.evaluator.classes.methods(dataset, "__iter__"):
            if not isinstance(method.node, ast.FunctionDef):
                continue
            program.evaluator.start()
            frame = program.evaluator.calls.enter(method, Arguments(), None, None)
            streams = Streams(program.evaluator, partial(is_set_elsewhere, program, [use]), is_share)
            streams.of_function(method, frame, world)
            classes = {
                frame.receiver.cls.key if isinstance(frame.receiver, Instance) else None
                for _, frame in (*sharing, *streams.shares)
            }
            given = {source.cls.key for source, _ in streams.beside}
            if dataset.cls.key in classes or not classes <= given:
                continue
            known: set[int] = set()
            for source, w in streams.beside:
                for each in program.evaluator.classes.methods(source, "__iter__"):
                    if source.cls.key in classes or id(each.node) in known:
                        continue
                    passed = _gives_all(program, use, each, w)
                    if passed is not None and _shared(program, use, use.loader, use.dataset, w):
                        known.update(id(node) for node, _ in passed)
                        yield _found(program, use, each)


def _gives_all(program: Program, use: WorkerUse, method: Function, world: World) -> list[_Passed] | None:
    """The functions, this one first, by which an ``__iter__`` goes through all of something finite; None
    where it does not."""
    program.evaluator.start()
    frame = program.evaluator.calls.enter(method, Arguments(), None, None)
    streams = Streams(program.evaluator, partial(is_set_elsewhere, program, [use]))
    kinds = streams.of_function(method, frame, world)
    if kinds is None or "count" in kinds:
        return None
    # What else the workers run has been looked at before.
    if _is_divided(program, streams.passed, (each.function.node for each in use.code.visits)):
        return None  # a reader that the stream is handed on from
    drawn = kinds == {"range"} and any(draws(event.name) for event in use.code.events)
    return None if drawn else streams.passed


def _undivided(
    program: Program,
    use: WorkerUse,
    method: Function,
    world: World,
    passed: list[_Passed],
    divided: set[int],
) -> Function:
    """The ``__iter__`` that should divide: of a dataset that hands on the stream of another, and elsewhere
    one that is ``divided``, that other one's."""
    if id(method.node) not in divided:
        return method
    inner: dict[Key, Function] = {}
    for node, frame in passed:
        source = frame.receiver
        if (
            isinstance(source, Instance)
            and method.receiver is not None
            and source.key != method.receiver.key
            and _is_plain_iterable(program, source.cls)
        ):
            for each in program.evaluator.classes.methods(source, "__iter__"):
                if each.node is node:
                    inner.setdefault(source.key, each)
    through: dict[Key, set[Key]] = {}
    for key, each in inner.items():
        further = _gives_all(program, use, each, world)
        through[key] = {frame.receiver.key for _, frame in further or () if frame.receiver is not None}
    for key, each in inner.items():
        # Where others stand beside it and not behind it, several streams are handed on.
        if id(each.node) not in divided and all(
            other in through[key] or key in through[other] for other in inner
        ):
            return each
    return method


def _is_divided(program: Program, code: list[_Passed], others: Iterable[ast.AST] = ()) -> bool:
    """Whether one of some functions may give each worker its part. What is called ``shards()`` and is itself
    one of them need not, nor what is one of the ``others``, which do not."""
    looked_at = {id(function) for function in (*(function for function, _ in code), *others)}

    def is_looked_at(frame: Frame, asked: ast.expr) -> bool:
        callees = [value for value, _ in program.evaluator.values(asked, Point(frame, None))]
        return bool(callees) and all(
            isinstance(callee, Function) and id(callee.node) in looked_at for callee in callees
        )

    return any(divides(function, partial(is_looked_at, frame)) for function, frame in code)


def _is_plain_iterable(program: Program, cls: Class) -> bool:
    """Whether a class is an IterableDataset and nothing else of a library's."""
    classes = program.evaluator.classes
    names = set()
    for above in classes.line(cls):
        for values in classes.bases(above):
            for value in values:
                if isinstance(value, External):
                    names.add(value.name)
                elif not isinstance(value, Class):
                    names.add(f"unknown: {value.key}")
    return names <= _PLAIN and not names.isdisjoint({_ITERABLE, *_PIPES})


def _is_sharded(program: Program, use: WorkerUse, cls: Class) -> bool:
    """Whether the files of a pipe, or of its loader, may have torch divide what pipes read."""
    pipe = not program.evaluator.classes.libraries(cls).isdisjoint(_PIPES)
    return pipe and any(_SHARDING.search(module.text) for module in use.modules)


def _shared(
    program: Program, use: WorkerUse, loader: Loader, dataset: Value, where: World | None = None
) -> bool:
    """Whether two workers or more may get the dataset as it is, where some world holds."""
    for way, each in loader.ways("num_workers", "dataset", "worker_init_fn"):
        world = each if where is None else each.joined(where)
        if world is None:
            continue
        workers, value = way["num_workers"], way["dataset"]
        if value is None or workers is None or is_zero(workers):
            continue
        # Of datasets that are alike the first stands for all, be it another loader's.
        if value.key != dataset.key and program.like(value, world)[0].key != dataset.key:
            continue
        if isinstance(workers, Const):
            one = workers.value == 1
        else:
            one = is_above(world.about(workers.key), _MORE_THAN_ONE) is False
        if not one and not _may_divide(program, use, loader, way["worker_init_fn"]):
            return True
    return False


def _may_divide(program: Program, use: WorkerUse, loader: Loader, init: Value | None) -> bool:
    """Whether a ``worker_init_fn`` may give each worker's copy of the dataset its share."""
    if init is None or is_none(init):
        return False
    called = init.callee if isinstance(init, Partial) else init
    if isinstance(called, External):
        return called.name not in ONLY_SEED
    if not isinstance(init, Function | Partial):
        return True
    functions = [
        visit.function.node
        for own in program.uses_of(loader)
        if own.dataset is None
        for visit in own.code.visits
        if visit.role == "worker_init_fn"
    ]
    changing = [
        each
        for each in functions
        if (speaks_of(_CHANGES, each) and not only_looks(each)) or _changes_object(each)
    ]
    return bool(changing) and not _is_never_read(program, use, changing)


def _is_never_read(program: Program, use: WorkerUse, functions: list[FunctionNode | ast.Lambda]) -> bool:
    """Whether all that some functions do to a dataset is to store attributes that no code beside it reads."""
    stored: set[str] = set()
    for function in functions:
        for node in walk(function):
            if isinstance(node, ast.Subscript | ast.Name | ast.Delete) and _is_more(node):
                return False
            if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
                stored.add(node.attr)
            if isinstance(node, ast.Call) and _hands_on(node):
                return False
    if not stored or not isinstance(use.dataset, Instance):
        return False
    line = program.evaluator.classes.line(use.dataset.cls)
    files = {each.relative: each for each in (*use.modules, *(cls.module for cls in line))}
    texts: list[ast.AST] = [
        *(visit.function.node for visit in use.code.visits),
        *(module.tree for module in files.values()),
    ]
    made = (each for cls in line for each in functions_in(cls.node.body) if each.name == "__init__")
    aside = {id(node) for each in (*functions, *made) for node in walk(each)}
    return not any(
        (
            (isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load) and node.attr in stored)
            or (isinstance(node, ast.Constant) and node.value in stored)
        )
        and id(node) not in aside
        for each in texts
        for node in walk(each)
    )


def _is_more(node: ast.Subscript | ast.Name | ast.Delete) -> bool:
    """Whether something is changed otherwise than by storing an attribute."""
    if isinstance(node, ast.Name):
        return node.id in ("setattr", "vars", "exec")
    return isinstance(node, ast.Delete) or isinstance(node.ctx, ast.Store)


def _hands_on(call: ast.Call) -> bool:
    """Whether a call may change a dataset: it is one of its methods, or it is handed on."""
    if isinstance(call.func, ast.Attribute) and speaks_of(_CHANGES, call.func.value):
        return True
    if dotted(call.func) in _LOOKS:
        return False
    given = given_in(call)
    return any(speaks_of(_CHANGES, each) for each in given)


def _changes_object(function: ast.AST) -> bool:
    """Whether a function sets an attribute of an object that it has from outside (``self.part = rank``),
    and not only its random numbers."""
    return any(
        isinstance(node, ast.Attribute)
        and isinstance(node.ctx, ast.Store)
        and isinstance(node.value, ast.Name)
        and not _RANDOM.search(node.attr)
        for node in walk(function)
    )


def _found(program: Program, use: WorkerUse, method: Function) -> Found:
    loader = use.loader
    assert loader is not None
    # Shares of orders that each worker draws for itself lose items (DL508).
    shuffles = any(event.name in SHUFFLES for event in use.code.events)
    alike = "shuffle with random.Random(info.seed - info.id), which is the same in all workers, and "
    owner = method.owner.name if method.owner is not None else "the dataset"
    where = f"{loader.module.relative}:{loader.call.lineno}"
    return Found(
        method.module,
        method.node,
        f"{owner}.__iter__ streams everything in every worker: with two workers each item comes twice",
        "silent",
        f"divide the stream by get_worker_info() (loader at {where})",
        loaded(program, use),
        by_hand=f"{alike if shuffles else ''}let each worker read its share: "
        "itertools.islice(stream, info.id, None, info.num_workers), where info = get_worker_info()",
    )
