"""Worker code returns something that cannot be pickled.

## What it finds

A generator, a lambda or local function, an object of a local class or `namedtuple`, a lock, an open file, a
match of a regular expression or the like in what leaves a worker: in what `collate_fn` returns, or in what
`__getitem__` returns, be it by another dataset (`return self.inner[index]`), or the `__iter__` of a stream
gives one by one, where the loader hands items on as they are (`batch_size=None` without a `collate_fn`,
or a `collate_fn` that gives its list back, in something else or as `items[0]`, if only for batches of one:
`if len(items) == 1:`, or always hands on that part of them: `images, paths = zip(*items)`, `[item["path"] for
item in items]`). A function with `yield` in it returns a generator, and `map(lambda row: ..., rows)` holds
its lambda until somebody goes through it, as a `defaultdict(lambda: ...)` does; a `map` of a function with a
name can be sent. So it is with what a function of the project gives that is called there (`return
self.patches(index)`), with what an object of the program is given that is made there, a dataclass say, and
keeps (`return Batch(x, lambda y: y + mean)`), and with an entry that is stored into the dict later, and stays
there (`batch["lengths"] = (len(e) for e in batch)`, `batch.update(undo=lambda y: y + mean)`), or is in one
that is joined to it (`batch | {...}`).

With any other `collate_fn` the items, or the other parts of them, stay in the worker, and torch's default one
refuses such an item with an error of its own: both are left alone. So are loaders without workers, where
nothing travels, and the generator that the `__iter__` of a stream is.

## Why is this bad

A worker sends its batches by a queue whose thread pickles them. What cannot be pickled is dropped there, with
a traceback on stderr and nothing else, and the loader waits for the batch for ever: **hang** in 6 of 6 runs.
`timeout=3` turns that into `RuntimeError: DataLoader timed out after 3.0 seconds`, which does not name the
cause. So it is with a `collate_fn` and a `__getitem__` that are generator functions, and with a `map` that
holds a lambda or a `defaultdict` that does, and with objects of a local class or `namedtuple`, which pickle
does not find under its name (one of a module whose variable is called otherwise neither), while `map(list,
zip(*batch))` arrives.

## Example

```python
class Videos(Dataset):
    def __getitem__(self, index):
        return (read_frame(self.files[index], number) for number in range(16))

loader = DataLoader(Videos(files), batch_size=None, num_workers=2)
```

Use instead:

```python
class Videos(Dataset):
    def __getitem__(self, index):
        return [read_frame(self.files[index], number) for number in range(16)]
```

## Level

- `error`, hang: the loader waits for ever, unless it has a `timeout`.

A `warning` instead where workers run the code only under a condition: an option for the number of workers
that is 0 by default, another that is off by default and that the loader, its dataset or this code hangs on, a
dataset that no loader of the project is seen to get, or a loader in a function that nothing in the project
calls.

## Fix safety

No remedy: what to send instead (a list, a number, nothing) is the author's choice.

## References

- https://docs.python.org/3/library/pickle.html#what-can-be-pickled-and-unpickled
- https://pytorch.org/docs/stable/data.html#multi-process-data-loading
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dlint.knowledge.loading import is_iterable_dataset
from dlint.loaders.loaders import Loader, is_zero
from dlint.program.conditions import with_workers
from dlint.program.program import Program
from dlint.program.unpicklable.expressions import unsendable_at
from dlint.rules.rule import Found
from dlint.source.statements import statements_in
from dlint.streams.batches.collating.collated import handed_places
from dlint.streams.items.items import chained, handed_on, hands_items_on, readers
from dlint.streams.memory.places import Place
from dlint.values.frame import Arguments, Frame, Point
from dlint.values.functions import display_name, is_generator
from dlint.values.values import Function, Instance, Value, is_none
from dlint.values.worlds import World

_BATCH = ("collate_fn", "batch_size")


def check(program: Program) -> Iterator[Found]:
    """What workers return and cannot send."""
    for loader in program.loaders:
        if loader.inherited or not loader.may_have_workers:
            continue
        hands_on = any(
            hands_items_on(program.evaluator, way["collate_fn"], way["batch_size"])
            for way, _ in loader.ways(*_BATCH)
        )
        for way, world in loader.ways("num_workers", "dataset", *_BATCH) if hands_on else ():
            dataset, collate = way["dataset"], way["collate_fn"]
            if is_zero(way["num_workers"]):
                continue
            if dataset is not None and hands_items_on(program.evaluator, collate, way["batch_size"]):
                for outer in readers(program.evaluator, dataset, world):
                    for reader in (outer, *handed_on(program.evaluator, outer)):
                        yield from _returned(program, loader, reader.function, reader.frame, reader.world)
                for stream, w in chained(program.evaluator, dataset, world):
                    yield from _streamed(program, loader, stream, w)
        if not hands_on:
            yield from _of_parts(program, loader)
        yield from _of_collate(program, loader)


def _of_parts(program: Program, loader: Loader) -> Iterator[Found]:
    """What of the items a ``collate_fn`` of the program hands on that takes them apart: ``zip(*items)``."""
    collates = [way["collate_fn"] for way, _ in loader.ways("collate_fn")]
    handing = any(handed_places(program.evaluator, each) for each in collates)
    for way, world in loader.ways("num_workers", "dataset", *_BATCH) if handing else ():
        dataset, size = way["dataset"], way["batch_size"]
        if dataset is None or is_zero(way["num_workers"]):
            continue
        if is_none(size):
            continue  # it gets the items one by one
        for place in dict.fromkeys(handed_places(program.evaluator, way["collate_fn"])):
            for reader in readers(program.evaluator, dataset, world):
                yield from _returned(program, loader, reader.function, reader.frame, world, place)


def _of_collate(program: Program, loader: Loader) -> Iterator[Found]:
    for use in program.uses_of(loader):
        for visit in use.code.visits:
            above = visit.link.above
            if visit.role == "collate_fn" and above is not None and above.above is None:
                yield from _returned(program, loader, visit.function, visit.frame, visit.world)


def _streamed(program: Program, loader: Loader, stream: Value, world: World) -> Iterator[Found]:
    """The statements of a stream's ``__iter__`` that give an item which cannot be sent."""
    if not isinstance(stream, Instance) or not any(
        is_iterable_dataset(name) for name in program.evaluator.classes.libraries(stream.cls)
    ):
        return
    for function in program.evaluator.classes.methods(stream, "__iter__"):
        if not isinstance(function.node, ast.FunctionDef) or function.node.decorator_list:
            continue
        frame = program.evaluator.calls.enter(function, Arguments(), None, None)
        for statement in statements_in(function.node.body):
            match statement:
                case ast.Expr(value=ast.Yield(value=ast.expr() as item)):
                    yield from _given(program, loader, function, statement, item, frame, world)


def _returned(
    program: Program, loader: Loader, function: Function, frame: Frame, world: World, place: Place = ()
) -> Iterator[Found]:
    """The statements of a function that return what cannot be sent, of that what is at a place; the function
    itself where it is a generator."""
    if not isinstance(function.node, ast.FunctionDef):
        return
    if is_generator(function.node):
        if not function.node.decorator_list and not place:
            yield _found(program, loader, function, function.node, "a generator")
        return
    for statement in statements_in(function.node.body):
        if isinstance(statement, ast.Return) and statement.value is not None:
            yield from _given(program, loader, function, statement, statement.value, frame, world, place)


def _given(
    program: Program,
    loader: Loader,
    function: Function,
    statement: ast.stmt,
    item: ast.expr,
    frame: Frame,
    world: World,
    place: Place = (),
) -> Iterator[Found]:
    """The finding where what a statement gives cannot be sent."""
    program.evaluator.start()
    point = Point(frame, statement)
    for w in program.evaluator.flow.reaching(point, world):
        what = unsendable_at(program.evaluator, item, place, point, w)
        if what is not None:
            yield _found(program, loader, function, statement, what)
            return


def _found(program: Program, loader: Loader, function: Function, statement: ast.stmt, what: str) -> Found:
    where = f"{loader.module.relative}:{loader.call.lineno}"
    return Found(
        function.module,
        statement,
        f"{display_name(function)} returns {what}, which a worker cannot send: the loader waits for ever",
        "hang",
        f"return data that pickle can take (loader at {where})",
        with_workers(program, loader),
        by_hand="return tensors, numbers, strings or lists of them; make locks in the main process",
    )
