"""What objects keep that pickle refuses, whatever its name: modules, generators, views of dicts, locks,
clients and native objects of libraries.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from dlint.knowledge.callbacks import PLAIN_BUILTINS
from dlint.knowledge.loading import LOADERS
from dlint.knowledge.processes.handles import WRITES, refused_handle
from dlint.knowledge.processes.pickling import is_module
from dlint.knowledge.processes.refused import (
    CACHED,
    CACHES,
    ENTRIES,
    GENERATOR,
    LOADER_ITERATOR,
    MODULE,
    SENDS_VIEWS,
    STREAM,
    STREAMS,
    VIEWS,
    Refused,
    refused,
    refused_member,
    view,
)
from dlint.knowledge.words.reflection import IMPORTS
from dlint.objects.pickled_state import left_out
from dlint.source.nodes import walk
from dlint.source.statements import dotted, statements_in
from dlint.values.frame import Point, arguments_of
from dlint.values.functions import is_generator
from dlint.values.values import Class, External, Function, Instance, Made, ModuleValue, Table, Value
from dlint.values.worlds import World

if TYPE_CHECKING:
    from dlint.calls.evaluator import Evaluator
    from dlint.source.module import Module
    from dlint.workers.worker import WorkerCode


# Functions, one that gives what another gives; and what leaves a function as it is.
_FAR = 3
_PLAIN = frozenset({"classmethod", "staticmethod"})
_ENTRIES = frozenset({"os.scandir"})
_LISTS = frozenset({"builtins.list", "builtins.sorted", "builtins.tuple"})
_NOT_PICKLED = "TypeError: cannot pickle ..."


# What stores an attribute: its name, the path that is assigned to, where, and in which world.
_Stored = tuple[str, str, Point, World]


class Kept(NamedTuple):
    """What an attribute of an object keeps: where it is stored, and what pickle refuses of it."""

    attribute: str
    node: ast.expr
    module: Module
    refused: Refused


def kept_in(
    evaluator: Evaluator,
    codes: Sequence[WorkerCode],
    instance: Instance,
    world: World,
    others: Callable[[], Iterable[WorkerCode]] = list,
) -> list[Kept]:
    """The attributes of an object, once it is made, that pickle cannot take along; last those that are
    handles on all ways, of which worker code has nothing: of those that it reads from, more is to be told,
    be that where ``others`` have such an object: the base of a dataset may be loaded, too."""
    out = left_out(evaluator, instance.cls)
    if out is None:
        return []
    evaluator.start()  # else what has been asked before decides what is found here
    stores = list(evaluator.construction.stores(instance, world))
    found = list(_kept_unsendable(evaluator, instance, stores, out))
    evaluator.start()
    return [*found, *_kept_open(evaluator, codes, instance, stores, out, others)]


def _kept_unsendable(
    evaluator: Evaluator, instance: Instance, stores: list[_Stored], out: frozenset[str]
) -> Iterator[Kept]:
    """What pickle refuses whatever its name."""
    sends_views = any(map(evaluator.modules.index.mentioning, SENDS_VIEWS))
    for name, path, point, w in stores:
        if name in out:
            continue
        match point.statement:
            case ast.Assign(targets=[ast.Attribute() as target], value=node) if dotted(target) == path:
                kind = _kind(evaluator, node, point, w)
                if kind is not None and not (kind.name.startswith("dict_") and sends_views):
                    yield Kept(f"{instance.cls.name}.{name}", node, point.frame.module, kind)
            case ast.Expr() as changing:  # by a method of it: ``self.digest.update(...)``
                match [value for value, _ in evaluator.names.defined(changing, path, point.frame, w)]:
                    case [Made(node=ast.expr() as node) as made] if (kind := refused(made.name)) is not None:
                        yield Kept(f"{instance.cls.name}.{name}", node, made.point.frame.module, kind)


def _kept_open(
    evaluator: Evaluator,
    codes: Sequence[WorkerCode],
    instance: Instance,
    stores: list[_Stored],
    out: frozenset[str],
    others: Callable[[], Iterable[WorkerCode]],
) -> Iterator[Kept]:
    """The handles, which pickle refuses all the same."""
    for name, path, point, w in stores:
        match point.statement:
            case ast.Assign(targets=[ast.Attribute() as target], value=ast.Call() as node) if (
                name not in out and dotted(target) == path
            ):
                values = [value for value, _ in evaluator.values(node, point, w)]
                kind = _kind_of_handle(values[0]) if len(values) == 1 else None
                if kind is None or any(
                    (each == name and at.statement is not point.statement) or _is_made_of(at.statement, name)
                    for each, _, at, _ in stores
                ):
                    continue
                if _is_written(node) or not (
                    any(_is_met(code, name) for code in codes)
                    or any(_is_met(code, name, point.frame.owner) for code in others())
                ):
                    yield Kept(f"{instance.cls.name}.{name}", node, point.frame.module, kind)


def kind_stored(
    code: WorkerCode | None, name: str, node: ast.expr, values: Sequence[Value]
) -> Refused | None:
    """What pickle refuses of what an expression stores in an attribute, on all ways alike: also an open
    handle, but where code of workers is given, which reads from it."""
    kinds = {_kind_of(value) or _kind_of_handle(value) for value in values}
    kind = kinds.pop() if len(kinds) == 1 else None
    if code is not None and any(map(_kind_of_handle, values)):
        return None if _is_met(code, name) and not _is_opened_to_write(node) else kind
    return kind


def _is_opened_to_write(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and _is_written(node)


def _kind_of_handle(value: Value) -> Refused | None:
    handle = refused_handle(value.name) if isinstance(value, Made) else None
    return None if handle is None else Refused(handle.name.partition(" ")[2], error=_NOT_PICKLED)


def _is_met(code: WorkerCode, name: str, owner: Class | None = None) -> bool:
    """Whether worker code speaks of an attribute, be it by its name as a text (``getattr(self, "file")``), in
    methods of a class alone where that is given."""
    named = re.compile(rf"\.{re.escape(name)}\b|[\"']{re.escape(name)}[\"']")
    return any(
        named.search(visit.function.module.text_of(visit.function.node))
        for visit in code.visits
        if owner is None or (visit.frame.owner is not None and visit.frame.owner.node is owner.node)
    )


def _is_made_of(statement: ast.stmt | None, name: str) -> bool:
    """Whether a statement keeps something that may still read from what an attribute holds."""
    match statement:
        case ast.Assign(value=ast.Call(func=ast.Name(id=called))) if called in PLAIN_BUILTINS:
            return False
        case ast.Assign(value=value):
            return any(
                isinstance(node, ast.Attribute) and node.attr == name and isinstance(node.ctx, ast.Load)
                for node in walk(value)
            )
    return False


def _is_written(call: ast.Call) -> bool:
    """Whether a file is opened to be written: ``open(path, "a")``."""
    mode = next((each.value for each in call.keywords if each.arg == "mode"), None)
    mode = call.args[1] if mode is None and len(call.args) > 1 else mode
    return (
        isinstance(mode, ast.Constant) and isinstance(mode.value, str) and not WRITES.isdisjoint(mode.value)
    )


def _kind(
    evaluator: Evaluator, node: ast.expr, point: Point, world: World, far: int = _FAR
) -> Refused | None:
    if isinstance(node, ast.GeneratorExp):
        return GENERATOR
    match node:
        case ast.ListComp(elt=ast.Name(id=each), generators=[only]):
            if isinstance(only.target, ast.Name) and only.target.id == each:
                listed = [value for value, _ in evaluator.values(only.iter, point, world)]
                if _are_named(listed, _ENTRIES):
                    return ENTRIES
    if isinstance(node, ast.Call):
        callees = [value for value, _ in evaluator.values(node.func, point, world)]
        if callees and all(isinstance(callee, Function) and _generates(callee) for callee in callees):
            return GENERATOR
        if _wraps_in_cache(node, callees):
            return CACHED
        if _is_iterator(evaluator, node, callees, point, world):
            return LOADER_ITERATOR
        if _are_named(callees, _LISTS) and len(node.args) == 1:
            listed = [value for value, _ in evaluator.values(node.args[0], point, world)]
            if _are_named(listed, _ENTRIES):
                return ENTRIES
        if callees and all(isinstance(callee, External) and callee.name in IMPORTS for callee in callees):
            return MODULE  # whatever its name
        if _gives_view(evaluator, node, point, world):
            assert isinstance(node.func, ast.Attribute)
            return view(node.func.attr)
        given = _given_by(evaluator, node, callees, point, world, far)
        if given is not None:
            return given
    kinds = {_kind_of(value) for value, _ in evaluator.values(node, point, world)}
    return kinds.pop() if len(kinds) == 1 else None


def _are_named(values: list[Value], names: frozenset[str]) -> bool:
    """Whether all of some values are a library's of some names, or what its calls give."""
    return bool(values) and all(isinstance(each, External | Made) and each.name in names for each in values)


def _given_by(
    evaluator: Evaluator, call: ast.Call, callees: list[Value], point: Point, world: World, far: int
) -> Refused | None:
    """What pickle refuses of what functions of the program make where they return it, on all ways alike."""
    kinds: set[Refused | None] = set()
    for callee in callees if far else ():
        node = callee.node if isinstance(callee, Function) else None
        if not isinstance(callee, Function) or not isinstance(node, ast.FunctionDef):
            return None
        if is_generator(node) or any((dotted(each) or "") not in _PLAIN for each in node.decorator_list):
            return None
        frame = evaluator.calls.enter(callee, arguments_of(call, point), call, point)
        for statement in statements_in(node.body):
            if isinstance(statement, ast.Return):
                at = Point(frame, statement)
                for w in evaluator.flow.reaching(at, world):
                    returned = statement.value
                    kinds.add(_kind(evaluator, returned, at, w, far - 1) if returned is not None else None)
    return kinds.pop() if len(kinds) == 1 else None


def _generates(function: Function) -> bool:
    return (
        isinstance(function.node, ast.FunctionDef)
        and not function.node.decorator_list
        and is_generator(function.node)
    )


def _wraps_in_cache(node: ast.Call, callees: list[Value]) -> bool:
    """Whether a call is ``lru_cache(maxsize=64)(self.load)`` or ``cache(self.load)``."""
    if len(node.args) != 1 or node.keywords or isinstance(node.args[0], ast.Constant | ast.Starred):
        return False
    return bool(callees) and all(
        isinstance(callee, External | Made) and callee.name in CACHES for callee in callees
    )


def _gives_view(evaluator: Evaluator, node: ast.Call, point: Point, world: World) -> bool:
    """Whether a call gives a view of a dict that is known, which stands for a list of what is in it
    otherwise."""
    if not isinstance(node.func, ast.Attribute) or node.func.attr not in VIEWS or node.args:
        return False
    held = [value for value, _ in evaluator.values(node.func.value, point, world)]
    return bool(held) and all(isinstance(value, Table) for value in held)


def _is_iterator(
    evaluator: Evaluator, node: ast.Call, callees: list[Value], point: Point, world: World
) -> bool:
    """Whether a call is ``iter(loader)``; what it gives stands for the loader otherwise."""
    if len(node.args) != 1 or not all(
        isinstance(callee, External) and callee.name == "builtins.iter" for callee in callees
    ):
        return False
    given = [value for value, _ in evaluator.values(node.args[0], point, world)]
    return bool(given) and all(isinstance(value, Made) and value.name in LOADERS for value in given)


def _kind_of(value: Value) -> Refused | None:
    match value:
        case ModuleValue():
            return MODULE
        case External(owner=None, name=name) if is_module(name):
            return MODULE
        case External(owner=Made(), name=name):
            return refused_member(name)
        case External(name=name) if name in STREAMS:
            return STREAM
        case Made(name=name):
            return refused(name)
    return None
