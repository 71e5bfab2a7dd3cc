"""Early reads: where the program reads an item of a dataset itself, before the workers of a loader start.

What the dataset makes at its first item is then made in the parent, and workers that are forked get it.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.knowledge.loading import LOADERS, is_iterable_dataset
from dlint.source.layout import (
    changed_names,
    dotted,
    ends,
    expressions,
    functions_in,
    own_names,
    statements_in,
)
from dlint.source.module import Module
from dlint.source.nodes import walk
from dlint.values.frame import Frame, Point, arguments_of
from dlint.values.functions import is_generator
from dlint.values.places import loops_around, places_around
from dlint.values.values import Class, Function, Instance, Items, Key, Made, Value
from dlint.values.worlds import HERE

if TYPE_CHECKING:
    from dlint.calls.evaluator import Evaluator
    from dlint.fork.program import Program
    from dlint.workers.uses import WorkerUse

_READS = frozenset({"__getitem__", "__getitems__", "__next__"})
# What is asked of a loader and starts no workers.
_ASKS = frozenset({"dataset", "batch_size", "sampler", "batch_sampler", "num_workers"})
_DROPS = frozenset({"close", "shutdown", "terminate", "release", "reset", "cleanup"})
_FAR = 3
_MOST_SITES = 6
_MOST_HELD = 60
_At = tuple[int, int]
# What a scope reads, and where; and whether by its number, which no stream is read by.
_Reads = Iterator[tuple[ast.expr, Point, bool]]


def item_read_in_parent(
    program: Program, use: WorkerUse, maker: Class | None = None, *, of_class: bool = False
) -> tuple[Module, ast.expr] | None:
    """Where the code around a use's loader, or around the calls that lead there, reads an item of the use's
    dataset (``of_class``: of any dataset of its classes) while workers are still to start: ``dataset[0]``.

    Where ``maker`` is the class of a dataset, it is one of that class whose item must be read.
    """
    return _early(program, use, maker, _reads, of_class)


def length_asked_in_parent(program: Program, use: WorkerUse, maker: Class) -> tuple[Module, ast.expr] | None:
    """The same for ``len(dataset)``."""
    return _early(program, use, maker, _lengths, False)


def _early(
    program: Program,
    use: WorkerUse,
    maker: Class | None,
    looked_at: Callable[[Frame], _Reads],
    of_class: bool,
) -> tuple[Module, ast.expr] | None:
    loader = use.loader
    if loader is None or not use.code.instances:
        return None
    evaluator = program.evaluator
    instances = use.code.instances.values()
    made = [
        i for i in instances if maker and any(c.node is maker.node for c in evaluator.classes.line(i.cls))
    ]
    classes = {id(instance.cls.node) for instance in made or instances}
    loaded: set[Key] = set()
    for dataset in loader.values("dataset"):
        if dataset is not None:
            loaded |= {instance.key for instance in _datasets(evaluator, dataset)}
    for start in _starts(evaluator, loader.call, loader.point):
        for node, inner, numbered, place, point in _with_helpers(evaluator, start.frame, looked_at):
            if not start.follows(place, point) or _let_go(place, point, start):
                continue
            for value, _ in evaluator.values(node, inner):
                for read in _datasets(evaluator, value):
                    if numbered and _is_stream(evaluator, read):
                        continue
                    if id(read.cls.node) in classes and (of_class or read.key in loaded):
                        return start.frame.module, place
    return None


def _with_helpers(
    evaluator: Evaluator, frame: Frame, looked_at: Callable[[Frame], _Reads]
) -> Iterator[tuple[ast.expr, Point, bool, ast.expr, Point]]:
    """What a scope does to what, there or in a function that it hands something to: the expression and its
    place, whether by its number, and where in the scope that happens."""
    for node, point, numbered in looked_at(frame):
        yield node, point, numbered, node, point
    if isinstance(frame.scope, ast.Lambda):
        return
    for statement in statements_in(frame.scope.body):
        point = Point(frame, statement)
        for expression in expressions(statement):
            for call in walk(expression):
                if not (isinstance(call, ast.Call) and any(map(_is_handed, call.args))):
                    continue
                for callee, _ in evaluator.values(call.func, point):
                    if not isinstance(callee, Function) or callee.receiver is not None:
                        continue
                    if isinstance(callee.node, ast.FunctionDef) and not is_generator(callee.node):
                        inside = evaluator.calls.enter(callee, arguments_of(call, point), call, point)
                        yield from ((*read, call, point) for read in looked_at(inside))


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


class _Start(NamedTuple):
    """What starts workers in a scope: a place, or any later mention of what the place has made; None where
    the scope is not seen to come to it."""

    frame: Frame
    places: list[_At] | None

    def follows(self, read: ast.expr, point: Point) -> bool:
        """Whether workers may start after a read, be it in the next round of a loop around both."""
        if self.places is None:
            return True
        # A block that ends with `return` is never left for what comes after it.
        left = [
            place.block
            for place in places_around(point)
            if isinstance(place.owner, ast.If) and ends(place.block)
        ]
        loops = (
            [] if left else [loop for loop in loops_around(point) if isinstance(loop, ast.For | ast.While)]
        )
        for at in self.places:
            if at > (read.lineno, read.col_offset) and all(_is_in(at, block) for block in left):
                return True
            if any(_is_in(at, loop.body) for loop in loops):
                return True
        return False


def _let_go(read: ast.expr, point: Point, start: _Start) -> bool:
    """Whether a later statement of the same block drops what a read has made, before workers start:
    ``dataset.close()``, ``dataset.file = None``."""
    path = dotted(read)
    place = point.frame.layout.places.get(id(point.statement))
    if not path or place is None:
        return False
    here = (read.lineno, read.col_offset)
    for later in place.block[place.at + 1 :]:
        if any(here < at < (later.lineno, later.col_offset) for at in start.places or ()):
            return False
        match later:
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=held, attr=method))) if method in _DROPS:
                if f"{dotted(held)}.".startswith(f"{path}."):
                    return True
            case ast.Assign(targets=[ast.Attribute(value=held)], value=ast.Constant(value=None)):
                if dotted(held) == path:
                    return True
            case ast.For() | ast.While():
                return False  # workers may start there
    return False


def _is_in(at: _At, block: list[ast.stmt]) -> bool:
    last = block[-1]
    return (block[0].lineno, block[0].col_offset) <= at <= (last.end_lineno or last.lineno, 1 << 30)


def _starts(evaluator: Evaluator, call: ast.Call, point: Point, far: int = 0) -> Iterator[_Start]:
    """Where workers of the loader that a call makes, or leads to, start: in its scope, and in those of the
    callers."""
    frame = point.frame
    names, kept = _holders(point)
    places: list[_At] | None = None
    if not kept:
        places = [(call.end_lineno or call.lineno, call.end_col_offset or 0), *_mentions(frame, names)]
    yield _Start(frame, places)
    scopes: set[int] = set()
    if isinstance(frame.scope, ast.FunctionDef) and far < _FAR:
        handed_on = kept or _is_returned(frame.scope, point.statement, names)
        for site in evaluator.sites.of(frame.scope, frame)[:_MOST_SITES]:
            scopes.add(id(site.point.frame.scope))
            # What a caller makes of a call that keeps the loader to itself holds no loader.
            at = site.point if handed_on else Point(site.point.frame, None)
            yield from _starts(evaluator, site.call, at, far + 1)
    outer = frame.outer
    while outer is not None and far == 0:
        if id(outer.scope) not in scopes:
            yield _Start(outer, None)
        outer = outer.outer


def _holders(point: Point) -> tuple[frozenset[str], bool]:
    """The variables that hold what a statement makes, and whether an object keeps it instead."""
    statement = point.statement
    if statement is None or isinstance(point.frame.scope, ast.Lambda):
        return frozenset(), False
    paths = {*own_names(statement), *changed_names(statement)}
    names = {path.partition(".")[0] for path in paths}
    if names & {"self", "cls"}:
        return frozenset(), True
    for function in functions_in(point.frame.scope.body):
        if any(isinstance(node, ast.Name) and node.id in names for node in walk(function)):
            names.add(function.name)
    return frozenset(names), False


def _mentions(frame: Frame, names: frozenset[str]) -> Iterator[_At]:
    """Where a scope uses variables, otherwise than to ask a loader about itself."""
    if not names:
        return
    asked: set[int] = set()
    for node in frame.layout.nodes:
        match node:
            case ast.Call(func=ast.Name(id="len"), args=[argument]):
                asked.add(id(argument))
            case ast.Attribute(value=value, attr=name) if name in _ASKS:
                asked.add(id(value))
            case ast.Name(id=name, ctx=ast.Load()) if name in names and id(node) not in asked:
                yield node.lineno, node.col_offset


def _is_returned(scope: ast.FunctionDef, statement: ast.stmt | None, names: frozenset[str]) -> bool:
    """Whether a function returns what a statement of it has made."""
    return any(
        isinstance(each, ast.Return)
        and each.value is not None
        and (
            each is statement
            or any(isinstance(node, ast.Name) and node.id in names for node in walk(each.value))
        )
        for each in statements_in(scope.body)
    )


def _reads(frame: Frame) -> _Reads:
    """What a scope's statements subscript or iterate over, and where."""
    if isinstance(frame.scope, ast.Lambda):
        return
    for statement in statements_in(frame.scope.body):
        point = Point(frame, statement)
        if isinstance(statement, ast.For) and isinstance(statement.iter, ast.Name | ast.Attribute):
            yield statement.iter, point, False
        for expression in expressions(statement):
            for node in walk(expression):
                match node:
                    case ast.Subscript(value=ast.Name() | ast.Attribute() as value, ctx=ast.Load()):
                        yield value, point, True
                    case ast.Call(func=ast.Attribute(value=value, attr=name)) if name in _READS:
                        yield value, point, name != "__next__"
                    case ast.Call(
                        func=ast.Name(id="next" | "iter"), args=[ast.Name() | ast.Attribute() as value]
                    ):
                        yield value, point, False


def _lengths(frame: Frame) -> _Reads:
    """What a scope's statements ask the length of, and where."""
    if isinstance(frame.scope, ast.Lambda):
        return
    for statement in statements_in(frame.scope.body):
        for expression in expressions(statement):
            for node in walk(expression):
                match node:
                    case ast.Call(func=ast.Name(id="len"), args=[ast.Name() | ast.Attribute() as value]):
                        yield value, Point(frame, statement), False
