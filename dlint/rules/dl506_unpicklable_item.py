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

from dlint.fork.sendable import class_without_name
from dlint.knowledge.loading import NAMESPACES, is_iterable_dataset
from dlint.knowledge.processes.objects import unpicklable
from dlint.loaders.loaders import Loader, is_zero
from dlint.objects.pickled_state import is_pickled
from dlint.program.conditions import with_workers
from dlint.program.program import Program
from dlint.rules.rule import Found
from dlint.source.statements import (
    blocks,
    changed_names,
    changes_part,
    dotted,
    own_names,
    statements_in,
    taken,
)
from dlint.streams.batches.collating.collated import handed_places, parts_at
from dlint.streams.items.items import chained, handed_on, hands_items_on, is_default_collates, readers
from dlint.streams.memory.places import Place
from dlint.streams.nones.written import names_all_keys, stored, table_of
from dlint.streams.sources.wholes import written_at
from dlint.values.frame import Arguments, Frame, Point, arguments_of
from dlint.values.functions import display_name, is_generator
from dlint.values.values import Class, Const, External, Function, Instance, Made, Partial, Table, Value
from dlint.values.worlds import World

# What is sent with the function that it was given.
_DEFAULTDICT = "collections.defaultdict"
_HOLD = frozenset({"builtins.map", "builtins.filter", _DEFAULTDICT})
# What keeps its keywords.
_NAMED = frozenset({"builtins.dict", *NAMESPACES})
_FACTORY = "default_factory"  # what a defaultdict loses that is to be sent
_BATCH = ("collate_fn", "batch_size")
_FAR = 6
_BOUND = frozenset({"staticmethod", "classmethod"})


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
        if isinstance(size, Const) and size.value is None:
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
        what = _unsendable_at(program, item, place, point, w)
        if what is not None:
            yield _found(program, loader, function, statement, what)
            return


def _unsendable_at(
    program: Program, node: ast.expr, place: Place, point: Point, world: World, far: int = 0
) -> str | None:
    """The same of what is at a place of an expression, or of what a variable holds that was written out."""
    if not place:
        return _unsendable(program, node, point, world)
    for part, left in parts_at(node, place):  # of what is written out there, each part
        found: list[str | None] = []
        if not left:
            found.append(_unsendable(program, part, point, world))
        elif isinstance(part, ast.Name) and part.id in point.frame.layout.binds and far < _FAR:
            for statement, w in program.evaluator.flow.definitions(part.id, point, world):
                before = Point(point.frame, statement)
                match statement:
                    case ast.Assign(targets=[ast.Name()], value=value):
                        found.append(_unsendable_at(program, value, left, before, w, far + 1))
                    case _:
                        found.append(None)
        if found and found[0] is not None and all(found):
            return found[0]
    return None


def _unsendable(program: Program, node: ast.expr, point: Point, world: World, far: int = 0) -> str | None:
    """What in an expression pickle refuses, as a reader calls it; None where there is no such thing."""
    match node:
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            return _first(program, parts, point, world, far)
        case ast.Dict(values=parts):
            return _first(program, parts, point, world, far)
        case ast.Lambda():
            return "a lambda"
        case ast.GeneratorExp():
            return "a generator"
        case ast.BinOp(op=ast.BitOr(), right=ast.Dict() as right):
            return _unsendable(program, right, point, world, far)  # a dict and one more
        case ast.Call():
            return _made_by(program, node, point, world, far)
        case ast.ListComp(elt=part) | ast.SetComp(elt=part) | ast.DictComp(value=part) if far < _FAR:
            return _unsendable(program, part, program.evaluator.inside(node, point), world, far + 1)
        case ast.Name(id=name) if name in point.locals:
            return None
        case ast.Name(id=name) if name not in point.frame.layout.binds and far < _FAR:
            given = written_at(name, point)
            return _unsendable(program, *given, world, far + 1) if given is not None else None
        case ast.Name(id=name) if far < _FAR:
            return _filled(program, name, point, world, far + 1) or _held(
                program, name, point, world, far + 1
            )
    return None


def _filled(program: Program, name: str, point: Point, world: World, far: int) -> str | None:
    """What a variable holds that is a ``defaultdict`` on every way, whatever is put in: that is sent with
    the function that it was made with."""
    if any(isinstance(each, ast.Attribute) and each.attr == _FACTORY for each in point.frame.layout.nodes):
        return None
    found: list[str | None] = []
    for statement, w in program.evaluator.flow.definitions(name, point, world, anew=True):
        match statement:
            case ast.Assign(targets=[ast.Name()], value=ast.Call(func=func) as call):
                before = Point(point.frame, statement)
                callees = [value for value, _ in program.evaluator.values(func, before, w)]
                if not callees or not all(
                    isinstance(each, External) and each.name == _DEFAULTDICT for each in callees
                ):
                    return None
                found.append(_made_by(program, call, before, w, far))
            case _:
                return None
    return found[0] if found and all(found) else None


def _first(program: Program, parts: list[ast.expr], point: Point, world: World, far: int) -> str | None:
    for part in parts:
        what = _unsendable(program, part, point, world, far)
        if what is not None:
            return what
    return None


def _made_by(program: Program, node: ast.Call, point: Point, world: World, far: int) -> str | None:
    callees = [value for value, _ in program.evaluator.values(node.func, point, world)]
    if callees and all(isinstance(callee, External) and callee.name in _HOLD for callee in callees):
        held = _first(program, node.args, point, world, far)
        return f"a {ast.unparse(node.func)} that holds {held}" if held is not None else None
    if callees and all(isinstance(callee, External) and callee.name in _NAMED for callee in callees):
        named = [
            word.value
            for word in node.keywords
            if word.arg is not None and not _is_stored_by(point.frame, word.arg)
        ]
        return _first(program, named, point, world, far)
    found = [_made_by_one(program, callee, node, point, world, far) for callee in callees]
    return found[0] if found and all(found) else None


def _made_by_one(
    program: Program, callee: Value, node: ast.Call, point: Point, world: World, far: int
) -> str | None:
    if isinstance(callee, Partial):
        callee = callee.callee
    named = class_without_name(program.evaluator, callee)
    if named is not None:
        return f"an object of {named}"
    if isinstance(callee, External):
        return unpicklable(callee.name)
    if isinstance(callee, Class):
        return _kept_by(program, node, point, world, far + 1) if far < _FAR else None
    if isinstance(callee, Function) and isinstance(callee.node, ast.FunctionDef):
        if any((dotted(each) or "") not in _BOUND for each in callee.node.decorator_list):
            return None
        if is_generator(callee.node):
            return "a generator"
        return _given_by(program, callee, node, point, world, far + 1) if far < _FAR else None
    return None


def _kept_by(program: Program, node: ast.Call, point: Point, world: World, far: int) -> str | None:
    """What an object of the program keeps that is made here, and is sent with it."""
    evaluator = program.evaluator
    for made, w in evaluator.values(node, point, world):
        if not isinstance(made, Instance) or made.node is not node:
            continue
        found: dict[str, list[str | None]] = {}
        for name, _, at, stored_in in evaluator.construction.stores(made, w):
            value = at.statement.value if isinstance(at.statement, ast.Assign) else None
            what = _unsendable(program, value, at, stored_in, far) if value is not None else None
            found.setdefault(name, []).append(what)
        for name, kept in found.items():
            if all(kept) and is_pickled(evaluator, made.cls, name) and not _is_stored_by(point.frame, name):
                return kept[0]
    return None


def _is_stored_by(frame: Frame, name: str) -> bool:
    """Whether a function stores in attributes of a name: it may have put something else there."""
    return any(
        isinstance(each, ast.Attribute) and each.attr == name and isinstance(each.ctx, ast.Store | ast.Del)
        for each in frame.layout.nodes
    )


def _given_by(
    program: Program, function: Function, call: ast.Call, point: Point, world: World, far: int
) -> str | None:
    """What a function of the program that is called gives, on one way or another."""
    assert isinstance(function.node, ast.FunctionDef)
    frame = program.evaluator.calls.enter(function, arguments_of(call, point), call, point)
    for statement in statements_in(function.node.body):
        if isinstance(statement, ast.Return) and statement.value is not None:
            at = Point(frame, statement)
            for w in program.evaluator.flow.reaching(at, world):
                what = _unsendable(program, statement.value, at, w, far)
                if what is not None:
                    return what
    return None


def _held(
    program: Program,
    name: str,
    point: Point,
    world: World,
    far: int,
    replaced: frozenset[object] = frozenset(),
) -> str | None:
    """What a variable holds, by every assignment that may have set it last. Of a dict some entries may have
    been ``replaced`` since."""
    found: list[str | None] = []
    for statement, w in program.evaluator.flow.definitions(
        name, point, world, passing=lambda each: _leaves(each, name)
    ):
        before = Point(point.frame, statement)
        match statement:
            case ast.Assign(targets=[ast.Name()], value=ast.Dict(keys=keys, values=values)) if replaced:
                left = [
                    value
                    for key, value in zip(keys, values, strict=True)
                    if not (isinstance(key, ast.Constant) and key.value in replaced)
                ]
                found.append(_first(program, left, before, w, far))
            case ast.Assign() | ast.Expr() if (
                (table := table_of(statement, name)) is not None
                and not taken(statement)
                and _is_own_dict(program, table, before, w)
            ):
                put = dict(stored(statement, name))
                left = [value for key, value in put.items() if key not in replaced]
                what = _first(program, left, before, w, far)
                if what is None and not names_all_keys(statement):
                    return None
                others = replaced | put.keys()
                found.append(what or _held(program, name, before, w, far, others))
            case _ if replaced:
                return None
            case ast.Assign(targets=[ast.Name()], value=ast.Name() as value):
                found.append(_by_value(program, value, before, w))
            case ast.Assign(targets=[ast.Name()], value=value):
                found.append(_unsendable(program, value, before, w, far))
            case ast.FunctionDef() if not statement.decorator_list:
                found.append("a local function")
            case _:
                return None
    return found[0] if found and all(found) else None


def _is_own_dict(program: Program, node: ast.Name, point: Point, world: World) -> bool:
    """Whether a variable is a dict that nobody is given who could replace what is in it."""
    values = [value for value, _ in program.evaluator.values(node, point, world)]
    return (
        bool(values)
        and all(
            isinstance(value, Table) or (isinstance(value, Made) and is_default_collates(value.name))
            for value in values
        )
        and not any(
            isinstance(given, ast.Name) and given.id == node.id
            for call in point.frame.layout.nodes
            if isinstance(call, ast.Call)
            for given in (*call.args, *(keyword.value for keyword in call.keywords))
        )
    )


def _leaves(statement: ast.stmt, name: str) -> bool:
    """Whether a statement, with all that is inside it, leaves what a variable holds: it changes what is in
    that at most."""
    inside = [each for _, block, _ in blocks(statement) for each in block]
    if inside:
        return name not in own_names(statement) and all(_leaves(each, name) for each in inside)
    return name not in {*own_names(statement), *changed_names(statement)} or changes_part(statement, name)


def _by_value(program: Program, node: ast.Name, point: Point, world: World) -> str | None:
    found = [
        unpicklable(value.name) if isinstance(value, Made) else None
        for value, _ in program.evaluator.values(node, point, world)
    ]
    return found[0] if found and all(found) else None


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
