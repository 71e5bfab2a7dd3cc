"""Early reads: where the program reads an item of a dataset itself, before the workers of a loader start.

What the dataset makes at its first item is then made in the parent, and workers that are forked get it.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from dlint.fork.early.emptied import Empties, emptied_in
from dlint.fork.early.let_go import dropped_after, let_go
from dlint.fork.early.starts import Start, starts
from dlint.fork.ways.run_by import constructed
from dlint.knowledge.iterables import COLLECT, GO_THROUGH
from dlint.knowledge.loading import LOADERS, is_iterable_dataset
from dlint.source.module import Module
from dlint.source.statements import FunctionNode, last_name, own_nodes, statements_in
from dlint.values.frame import Frame, Point, arguments_of
from dlint.values.functions import is_generator
from dlint.values.values import Class, Function, Instance, Items, Key, Made, Unknown, Value
from dlint.values.worlds import HERE

if TYPE_CHECKING:
    from dlint.calls.evaluator import Evaluator
    from dlint.fork.program import Program
    from dlint.loaders.loaders import Loader
    from dlint.workers.uses import WorkerUse

_READS = frozenset({"__getitem__", "__getitems__", "__next__"})
_MOST_HELD = 60
# What a scope reads, and where; and whether by its number, which no stream is read by.
_Reads = Iterator[tuple[ast.expr, Point, bool]]


def item_read_in_parent(
    program: Program,
    use: WorkerUse,
    maker: Class | None = None,
    *,
    of_class: bool = False,
    resets: frozenset[str] = frozenset(),
    empties: Empties | None = None,
    by: ast.AST | None = None,
) -> tuple[Module, ast.expr] | None:
    """Where the code around a use's loader, or around the calls that lead there, reads an item of the use's
    dataset (``of_class``: of any dataset of its classes) while workers are still to start: ``dataset[0]``.

    Where ``maker`` is the class of a dataset, it is one of that class whose item must be read, and that has
    no other method in place of the one ``by`` which something is made. ``resets`` are methods that let go of
    what that has made; so do statements that ``empties`` tells.
    """
    return _early(program, use, maker, _reads, of_class, resets, empties, by)


def length_asked_in_parent(
    program: Program, use: WorkerUse, maker: Class, resets: frozenset[str] = frozenset()
) -> tuple[Module, ast.expr] | None:
    """The same for ``len(dataset)``."""
    return _early(program, use, maker, _lengths, False, resets)


def _early(
    program: Program,
    use: WorkerUse,
    maker: Class | None,
    looked_at: Callable[[Frame], _Reads],
    of_class: bool,
    resets: frozenset[str],
    empties: Empties | None = None,
    by: ast.AST | None = None,
) -> tuple[Module, ast.expr] | None:
    evaluator = program.evaluator
    instances = use.code.instances.values()
    made = [
        i for i in instances if maker and any(c.node is maker.node for c in evaluator.classes.line(i.cls))
    ]
    if made and isinstance(by, ast.FunctionDef):
        made = [each for each in made if _may_run(evaluator, each.cls, by)]
        if not made:
            return None
    classes = {id(instance.cls.node) for instance in made or instances}
    for loader in _loaders(program, use) if classes else ():
        any_of_class = of_class or use.loader is None
        for place, read, start in _read_before(evaluator, loader, classes, looked_at, resets, empties):
            if any_of_class or _is_among(evaluator, read, loaded_by(evaluator, loader, start)):
                return place
    return None


def _may_run(evaluator: Evaluator, cls: Class, method: ast.FunctionDef) -> bool:
    """Whether objects of a class have a method, or one in its place that may call it."""
    found = [value for value, _ in evaluator.classes.member(cls, method.name) if isinstance(value, Function)]
    found += [getter for getter, _ in evaluator.classes.properties(cls).get(method.name, ())]
    return not found or any(
        each.node is method or "super(" in each.module.text_of(each.node) for each in found
    )


def _loaders(program: Program, use: WorkerUse) -> list[Loader]:
    """The loader of a use; where none is seen to get the dataset, those of which nobody knows what they get
    (``self.datasets[split]``)."""
    if use.loader is not None:
        return [use.loader]
    return [
        loader
        for loader in program.loaders
        if loader.may_have_workers and any(isinstance(value, Unknown) for value in loader.values("dataset"))
    ]


def _read_before(
    evaluator: Evaluator,
    loader: Loader,
    classes: set[int],
    looked_at: Callable[[Frame], _Reads],
    resets: frozenset[str],
    empties: Empties | None,
) -> Iterator[tuple[tuple[Module, ast.expr], Instance, Start]]:
    """The objects of some classes that are read before the workers of a loader start: where, and before
    which start."""
    for start in starts(evaluator, loader):
        for node, inner, numbered, place, point in _with_helpers(evaluator, start, looked_at):
            if not start.follows(evaluator, place, point) or let_go(place, point, start, resets):
                continue
            if not evaluator.flow.reaching(inner, HERE):
                continue
            for value, _ in evaluator.values(node, inner):
                # What a list of datasets has at a place is one of these, and none of their items.
                given = not isinstance(value, Items) if numbered else _gives_items(value)
                for read in _datasets(evaluator, value) if given else ():
                    if id(read.cls.node) not in classes or (numbered and _is_stream(evaluator, read)):
                        continue
                    drops = emptied_in(start.frame, empties)
                    if not dropped_after(place, point, start, drops) and start.may_fork_after(
                        evaluator, place, point
                    ):
                        yield (inner.frame.module, node), read, start


def loaded_by(evaluator: Evaluator, loader: Loader, start: Start) -> list[Value]:
    """What a loader may get; where the calls that lead to it are plain ones, what it gets through these."""
    written, point = loader.written("dataset"), start.inside(evaluator)
    if written is not None and point is not None:
        found = [value for value, _ in evaluator.values(written, point)]
        if not any(isinstance(value, Unknown) for value in found):
            return found
    return [value for value in loader.values("dataset") if value is not None]


def _is_among(evaluator: Evaluator, read: Instance, loaded: list[Value]) -> bool:
    """Whether an object is one that a loader gets, be it that this is known only as what some function makes
    (``self.dataset``) and that as what the only call of the function has made."""
    return any(
        read.key == each.key or (read.node is each.node and is_made_once(evaluator, each))
        for dataset in loaded
        for each in _datasets(evaluator, dataset)
    )


def is_made_once(evaluator: Evaluator, loaded: Instance) -> bool:
    """Whether an object is what the only call of some function makes."""
    for given in loaded.arguments.all() if loaded.arguments is not None else ():
        frame = given.point.frame if given.point is not None else None
        if frame is not None and frame.arguments is None and isinstance(frame.scope, FunctionNode):
            sites = evaluator.sites.of(frame.scope, frame)
            return len(sites) == 1 and evaluator.sites.are_all(frame.scope)
    return False


def _with_helpers(
    evaluator: Evaluator, start: Start, looked_at: Callable[[Frame], _Reads]
) -> Iterator[tuple[ast.expr, Point, bool, ast.expr, Point]]:
    """What a scope does to what, there or in a function, method or constructor that it calls: the expression
    and its place, whether by its number, and where in the scope that happens."""
    frame = start.frame
    for node, point, numbered in looked_at(frame):
        yield node, point, numbered, node, point
    if isinstance(frame.scope, ast.Lambda):
        return
    for statement in statements_in(frame.scope.body):
        point = Point(frame, statement)
        for call in own_nodes(statement):
            if (
                not isinstance(call, ast.Call)
                or call is start.call
                or not start.follows(evaluator, call, point)
            ):
                continue  # what the call itself leads to is a scope of its own
            for inside in _entered(evaluator, call, point, handed=start.places is None):
                for node, inner, numbered in looked_at(inside):
                    if not let_go(node, inner, Start(inside, None)):
                        yield node, inner, numbered, call, point


def _entered(evaluator: Evaluator, call: ast.Call, point: Point, *, handed: bool) -> Iterator[Frame]:
    """The frames of functions, methods and constructors that a call runs: what is read there may be given by
    it as well (``dataset = make()``). ``handed``: of functions those alone that are handed something, where
    the call may be what leads to the loader."""
    for callee, _ in evaluator.values(call.func, point):
        match callee:
            case Function(node=ast.FunctionDef() as node) if not is_generator(node):
                if not handed or isinstance(callee.receiver, Instance) or any(map(_is_handed, call.args)):
                    yield evaluator.calls.enter(callee, arguments_of(call, point), call, point)
            case Class():
                yield from constructed(evaluator, call, point)


def _gives_items(value: Value) -> bool:
    """Whether going through something reads items of the datasets that it is made of: what a list of
    datasets gives are these, and what a sampler or a splitter gives are their numbers."""
    if isinstance(value, Made):
        name = value.name
        return not name.endswith("Sampler") and (
            name.startswith("torch.utils.data.") or "dataset" in name.lower()
        )
    return not isinstance(value, Items)


def _is_stream(evaluator: Evaluator, instance: Instance) -> bool:
    return any(is_iterable_dataset(name) for name in evaluator.classes.libraries(instance.cls))


def _is_handed(argument: ast.expr) -> bool:
    return isinstance(argument, ast.Name | ast.Attribute)


def _datasets(evaluator: Evaluator, value: Value) -> Iterator[Instance]:
    """The objects of the program that a dataset is, or is made of: reading it reads them."""
    seen: set[Key] = set()
    waiting = [value]
    while waiting and len(seen) < _MOST_HELD:
        part = waiting.pop()
        if part.key in seen or not isinstance(part, Instance | Made | Items):
            continue
        seen.add(part.key)
        if isinstance(part, Items):
            waiting += part.items
            continue
        names = evaluator.classes.libraries(part.cls) if isinstance(part, Instance) else {part.name}
        if any(name in LOADERS for name in names):
            continue  # its workers read the dataset
        if isinstance(part, Instance):
            yield part
        for argument in part.arguments.all() if part.arguments is not None else ():
            waiting += [held for held, _ in evaluator.value_of(argument, HERE)]


def _reads(frame: Frame) -> _Reads:
    """What a scope's statements subscript or iterate over, and where."""
    if isinstance(frame.scope, ast.Lambda):
        return
    for statement in statements_in(frame.scope.body):
        point = Point(frame, statement)
        if isinstance(statement, ast.For):
            yield from ((each, point, False) for each in _sources(statement.iter))
        for node in own_nodes(statement):
            match node:
                case ast.Subscript(
                    value=ast.Name() | ast.Attribute() | ast.Subscript() as value, ctx=ast.Load()
                ):
                    yield value, point, True
                case ast.Call(func=ast.Attribute(value=value, attr=name)) if name in _READS:
                    yield value, point, name != "__next__"
                case ast.Call(
                    func=ast.Name(id="next" | "iter"), args=[ast.Name() | ast.Attribute() as value]
                ):
                    yield value, point, False
                case ast.Call(args=[given]) if last_name(node.func) in COLLECT:
                    yield from ((each, point, False) for each in _sources(given))
                    if isinstance(given, ast.GeneratorExp):
                        yield from ((each, point, False) for each in _sources(given.generators[0].iter))
                case ast.ListComp() | ast.SetComp() | ast.DictComp():
                    yield from ((each, point, False) for each in _sources(node.generators[0].iter))


def _sources(iterable: ast.expr) -> Iterator[ast.expr]:
    """What is gone through item by item where something goes through an iterable: of ``enumerate(rows)`` and
    ``map(len, rows)`` the rows."""
    match iterable:
        case ast.Name() | ast.Attribute():
            yield iterable
        case ast.Call(func=function, args=given) if (
            which := GO_THROUGH.get(last_name(function))
        ) is not None:
            for each in given[which]:
                yield from _sources(each)


def _lengths(frame: Frame) -> _Reads:
    """What a scope's statements ask the length of, and where."""
    if isinstance(frame.scope, ast.Lambda):
        return
    for statement in statements_in(frame.scope.body):
        for node in own_nodes(statement):
            match node:
                case ast.Call(func=ast.Name(id="len"), args=[ast.Name() | ast.Attribute() as value]):
                    yield value, Point(frame, statement), False
