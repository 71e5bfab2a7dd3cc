"""Where the workers of a loader start: in the scope that makes it, in those of its callers, and in what has
run before these, the constructors of their objects."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from dlint.fork.early.apart import are_apart, is_carried
from dlint.knowledge.trainers import HOOKED, MAKES_READY, is_asked_for_loader
from dlint.source.nodes import walk
from dlint.source.statements import (
    changed_names,
    dotted,
    ends,
    functions_in,
    own_names,
    parameters,
    self_name,
    statements_in,
)
from dlint.values.frame import Frame, Point, arguments_of
from dlint.values.places import loops_around, places_around, tests_around
from dlint.values.values import Function, Instance, Key
from dlint.values.worlds import HERE

if TYPE_CHECKING:
    from dlint.calls.evaluator import Evaluator
    from dlint.loaders.loaders import Loader

# What is asked of a loader and starts no workers.
_ASKS = frozenset({"dataset", "batch_size", "sampler", "batch_sampler", "num_workers"})
_FAR = 3
_MOST_SITES = 6
_MOST_OBJECTS = 6
_At = tuple[int, int]


class Start(NamedTuple):
    """What starts workers in a scope: a place, or any later mention of what the place has made; None where
    the scope is not seen to come to it. ``way`` are the calls that lead to the ``loader``, from the one in
    the scope to the one that makes it."""

    frame: Frame
    places: list[_At] | None
    way: tuple[tuple[ast.Call, Point], ...] = ()
    loader: Loader | None = None

    @property
    def call(self) -> ast.Call | None:
        return self.way[0][0] if self.way else None

    def inside(self, evaluator: Evaluator) -> Point | None:
        """Where the loader is made, in the frames of the calls that lead there from this scope; None where
        these are not plain ones."""
        frame = self.frame
        for (call, point), (_, below) in pairwise(self.way):
            at = Point(frame, point.statement)
            entered = [
                evaluator.calls.enter(callee, arguments_of(call, at), call, at)
                for callee, _ in evaluator.values(call.func, at)
                if isinstance(callee, Function) and callee.node is below.frame.scope
            ]
            if len(entered) != 1:
                return None
            frame = entered[0]
        return Point(frame, self.way[-1][1].statement) if len(self.way) > 1 else None

    def follows(self, evaluator: Evaluator, read: ast.expr, point: Point) -> bool:
        """Whether workers may start after a read, be it in the next round of a loop around both."""
        loops = [loop for loop in loops_around(point) if isinstance(loop, ast.For | ast.While)]
        made = self._made_at
        if made is not None and are_apart(evaluator, read, point, *self.way[0]):
            # The loader is made in a run that does not come to the read, or in another round.
            return any(is_in(made, loop.body) and is_carried(read, loop, made) for loop in loops)
        if self.places is None:
            return True
        # A block that ends with `return` is never left for what comes after it.
        left = [
            place.block
            for place in places_around(point)
            if isinstance(place.owner, ast.If) and ends(place.block)
        ]
        for at in self.places:
            if at > (read.lineno, read.col_offset) and all(is_in(at, block) for block in left):
                return True
            if not left and any(is_in(at, loop.body) and is_carried(read, loop, at) for loop in loops):
                return True
        return False

    def may_fork_after(self, evaluator: Evaluator, read: ast.expr, point: Point) -> bool:
        """Whether the loader may have workers in the runs that come to a read, or in another round: ``if
        args.debug:`` may read an item and set the number of workers to 0."""
        made = self._made_at
        if made is None or self.loader is None or next(tests_around(point), None) is None:
            return True
        worlds = evaluator.flow.reaching(point, HERE)
        return (self.loader.may_have_workers_in(worlds) and not self._is_told_none(point)) or any(
            is_in(made, loop.body) and is_carried(read, loop, made)
            for loop in loops_around(point)
            if isinstance(loop, ast.For | ast.While)
        )

    def _is_told_none(self, point: Point) -> bool:
        """Whether a branch around a place sets to 0 what the loader's number of workers is called, where
        the stores into it are not followed: in another scope, or under a key (``cfg["workers"] = 0``)."""
        written = self.loader.written("num_workers") if self.loader is not None else None
        if self.loader is None or written is None or _last(written) is None:
            return False
        if dotted(written) is not None and self.loader.point.frame.scope is point.frame.scope:
            return False
        return any(
            isinstance(statement, ast.Assign)
            and isinstance(statement.value, ast.Constant)
            and not statement.value.value
            and _last(written) in map(_last, statement.targets)
            for place in places_around(point)
            if isinstance(place.owner, ast.If)
            for statement in place.block
        )

    @property
    def started(self) -> list[_At]:
        """The places where workers may start: none does where a loader is only made, and mentioned later."""
        places = self.places or []
        statement = self.way[0][1].statement if self.way else None
        made = isinstance(statement, ast.Assign) and statement.value is self.call
        return places[1:] if made and len(places) > 1 else places

    @property
    def _made_at(self) -> _At | None:
        """Where the scope makes the loader, or calls what does."""
        return (self.call.lineno, self.call.col_offset) if self.call is not None else None


def _last(node: ast.expr) -> str | None:
    """What a variable, an attribute or an entry is called."""
    match node:
        case (
            ast.Name(id=name) | ast.Attribute(attr=name) | ast.Subscript(slice=ast.Constant(value=str(name)))
        ):
            return name
    return None


def is_in(at: _At, block: list[ast.stmt]) -> bool:
    """Whether a place lies in a block."""
    if not block:
        return False
    last = block[-1]
    return (block[0].lineno, block[0].col_offset) <= at <= (last.end_lineno or last.lineno, 1 << 30)


def starts(evaluator: Evaluator, loader: Loader) -> Iterator[Start]:
    """Where workers of a loader start: in the scope that makes it, and in those of the callers; the
    constructors of their objects have run before, and what a library calls first."""
    ways = _ways_up(evaluator, loader.call, loader.point)
    found = [start._replace(loader=loader) for start in ways]
    yield from found
    scopes = {id(start.frame.scope) for start in found}
    seen: set[Key] = set()
    for start in found:
        for frame in (*_constructors(evaluator, start.frame), *_hooks(evaluator, start.frame)):
            if id(frame.scope) not in scopes and frame.key not in seen:
                seen.add(frame.key)
                yield Start(frame, None)


def _constructors(evaluator: Evaluator, frame: Frame) -> Iterator[Frame]:
    """The constructors, in the frames of their calls, that have made the objects of a method."""
    for instance in _own_objects(evaluator, frame):
        for _, initialiser in evaluator.initialisers.of(instance):
            yield initialiser


def _hooks(evaluator: Evaluator, frame: Frame) -> Iterator[Frame]:
    """The methods that Lightning calls before the one that it asks for a loader."""
    if not is_asked_for_loader(getattr(frame.scope, "name", "")):
        return
    for instance in _own_objects(evaluator, frame):
        if HOOKED.isdisjoint(evaluator.classes.libraries(instance.cls)):
            continue
        for name in MAKES_READY:
            for method, owner in evaluator.classes.member(instance.cls, name):
                if isinstance(method, Function):
                    outer = Frame(owner.module, owner.node, owner.frame)
                    yield Frame(owner.module, method.node, outer, receiver=instance, owner=owner)


def _own_objects(evaluator: Evaluator, frame: Frame) -> list[Instance]:
    """The objects of a method."""
    scope = frame.scope
    if not isinstance(scope, ast.FunctionDef) or frame.owner is None or not parameters(scope):
        return []
    own = evaluator.parameters.values(self_name(scope), frame, HERE)
    objects = {value.key: value for value, _ in own if isinstance(value, Instance)}
    return list(objects.values())[:_MOST_OBJECTS]


def _ways_up(
    evaluator: Evaluator,
    call: ast.Call,
    point: Point,
    way: tuple[tuple[ast.Call, Point], ...] = (),
    *,
    holds: bool = True,
) -> Iterator[Start]:
    frame, far = point.frame, len(way)
    way = ((call, point), *way)
    # What a caller makes of a call that keeps the loader to itself holds no loader.
    names, kept = _holders(point) if holds else (frozenset[str](), False)
    places: list[_At] | None = None
    if not kept:
        places = [(call.end_lineno or call.lineno, call.end_col_offset or 0), *_mentions(frame, names)]
    yield Start(frame, places, way)
    scopes: set[int] = set()
    if isinstance(frame.scope, ast.FunctionDef) and far < _FAR:
        statement = point.statement if holds else None
        handed_on = kept or _is_returned(frame.scope, statement, names)
        for site in evaluator.sites.of(frame.scope, frame)[:_MOST_SITES]:
            scopes.add(id(site.point.frame.scope))
            yield from _ways_up(evaluator, site.call, site.point, way, holds=handed_on)
    outer = frame.outer
    while outer is not None and far == 0:
        if id(outer.scope) not in scopes:
            yield Start(outer, None)
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
