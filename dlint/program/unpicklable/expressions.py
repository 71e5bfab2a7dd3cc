"""What in an expression pickle refuses, as a reader calls it: a generator, a lambda, an object of a local
class; also behind variables, and in what functions and classes of the program make."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from dlint.fork.sendable import class_without_name
from dlint.knowledge.loading import NAMESPACES
from dlint.knowledge.processes.objects import unpicklable
from dlint.objects.pickled_state import is_pickled
from dlint.source.statements import (
    blocks,
    changed_names,
    changes_part,
    dotted,
    given_in,
    own_names,
    statements_in,
    taken,
)
from dlint.streams.batches.collating.tensors import parts_at
from dlint.streams.items.items import is_default_collates
from dlint.streams.memory.places import Place
from dlint.streams.nones.written import names_all_keys, stored, table_of
from dlint.streams.sources.wholes import written_at
from dlint.values.frame import Frame, Point, arguments_of
from dlint.values.functions import is_generator
from dlint.values.values import Class, External, Function, Instance, Made, Partial, Table, Value
from dlint.values.worlds import World

if TYPE_CHECKING:
    from dlint.calls.evaluator import Evaluator

# What is sent with the function that it was given.
_DEFAULTDICT = "collections.defaultdict"
_HOLD = frozenset({"builtins.map", "builtins.filter", _DEFAULTDICT})
# What keeps its keywords.
_NAMED = frozenset({"builtins.dict", *NAMESPACES})
_FACTORY = "default_factory"  # what a defaultdict loses that is to be sent
_FAR = 6
_BOUND = frozenset({"staticmethod", "classmethod"})


def unsendable_at(
    evaluator: Evaluator, node: ast.expr, place: Place, point: Point, world: World, far: int = 0
) -> str | None:
    """What pickle refuses of that which is at a place of an expression, or of what a variable holds that was
    written out."""
    if not place:
        return _unsendable(evaluator, node, point, world)
    for part, left in parts_at(node, place):  # of what is written out there, each part
        found: list[str | None] = []
        if not left:
            found.append(_unsendable(evaluator, part, point, world))
        elif isinstance(part, ast.Name) and part.id in point.frame.layout.binds and far < _FAR:
            for statement, w in evaluator.flow.definitions(part.id, point, world):
                before = Point(point.frame, statement)
                match statement:
                    case ast.Assign(targets=[ast.Name()], value=value):
                        found.append(unsendable_at(evaluator, value, left, before, w, far + 1))
                    case _:
                        found.append(None)
        if found and found[0] is not None and all(found):
            return found[0]
    return None


def _unsendable(evaluator: Evaluator, node: ast.expr, point: Point, world: World, far: int = 0) -> str | None:
    """What in an expression pickle refuses, as a reader calls it; None where there is no such thing."""
    match node:
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            return _first(evaluator, parts, point, world, far)
        case ast.Dict(values=parts):
            return _first(evaluator, parts, point, world, far)
        case ast.Lambda():
            return "a lambda"
        case ast.GeneratorExp():
            return "a generator"
        case ast.BinOp(op=ast.BitOr(), right=ast.Dict() as right):
            return _unsendable(evaluator, right, point, world, far)  # a dict and one more
        case ast.Call():
            return _made_by(evaluator, node, point, world, far)
        case ast.ListComp(elt=part) | ast.SetComp(elt=part) | ast.DictComp(value=part) if far < _FAR:
            return _unsendable(evaluator, part, evaluator.inside(node, point), world, far + 1)
        case ast.Name(id=name) if name in point.locals:
            return None
        case ast.Name(id=name) if name not in point.frame.layout.binds and far < _FAR:
            given = written_at(name, point)
            return _unsendable(evaluator, *given, world, far + 1) if given is not None else None
        case ast.Name(id=name) if far < _FAR:
            return _filled(evaluator, name, point, world, far + 1) or _held(
                evaluator, name, point, world, far + 1
            )
    return None


def _filled(evaluator: Evaluator, name: str, point: Point, world: World, far: int) -> str | None:
    """What a variable holds that is a ``defaultdict`` on every way, whatever is put in: that is sent with
    the function that it was made with."""
    if any(isinstance(each, ast.Attribute) and each.attr == _FACTORY for each in point.frame.layout.nodes):
        return None
    found: list[str | None] = []
    for statement, w in evaluator.flow.definitions(name, point, world, anew=True):
        match statement:
            case ast.Assign(targets=[ast.Name()], value=ast.Call(func=func) as call):
                before = Point(point.frame, statement)
                callees = [value for value, _ in evaluator.values(func, before, w)]
                if not callees or not all(
                    isinstance(each, External) and each.name == _DEFAULTDICT for each in callees
                ):
                    return None
                found.append(_made_by(evaluator, call, before, w, far))
            case _:
                return None
    return found[0] if found and all(found) else None


def _first(evaluator: Evaluator, parts: list[ast.expr], point: Point, world: World, far: int) -> str | None:
    for part in parts:
        what = _unsendable(evaluator, part, point, world, far)
        if what is not None:
            return what
    return None


def _made_by(evaluator: Evaluator, node: ast.Call, point: Point, world: World, far: int) -> str | None:
    callees = [value for value, _ in evaluator.values(node.func, point, world)]
    if callees and all(isinstance(callee, External) and callee.name in _HOLD for callee in callees):
        held = _first(evaluator, node.args, point, world, far)
        return f"a {ast.unparse(node.func)} that holds {held}" if held is not None else None
    if callees and all(isinstance(callee, External) and callee.name in _NAMED for callee in callees):
        named = [
            word.value
            for word in node.keywords
            if word.arg is not None and not _is_stored_by(point.frame, word.arg)
        ]
        return _first(evaluator, named, point, world, far)
    found = [_made_by_one(evaluator, callee, node, point, world, far) for callee in callees]
    return found[0] if found and all(found) else None


def _made_by_one(
    evaluator: Evaluator, callee: Value, node: ast.Call, point: Point, world: World, far: int
) -> str | None:
    if isinstance(callee, Partial):
        callee = callee.callee
    named = class_without_name(evaluator, callee)
    if named is not None:
        return f"an object of {named}"
    if isinstance(callee, External):
        return unpicklable(callee.name)
    if isinstance(callee, Class):
        return _kept_by(evaluator, node, point, world, far + 1) if far < _FAR else None
    if isinstance(callee, Function) and isinstance(callee.node, ast.FunctionDef):
        if any((dotted(each) or "") not in _BOUND for each in callee.node.decorator_list):
            return None
        if is_generator(callee.node):
            return "a generator"
        return _given_by(evaluator, callee, node, point, world, far + 1) if far < _FAR else None
    return None


def _kept_by(evaluator: Evaluator, node: ast.Call, point: Point, world: World, far: int) -> str | None:
    """What an object of the program keeps that is made here, and is sent with it."""
    for made, w in evaluator.values(node, point, world):
        if not isinstance(made, Instance) or made.node is not node:
            continue
        found: dict[str, list[str | None]] = {}
        for name, _, at, stored_in in evaluator.construction.stores(made, w):
            value = at.statement.value if isinstance(at.statement, ast.Assign) else None
            what = _unsendable(evaluator, value, at, stored_in, far) if value is not None else None
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
    evaluator: Evaluator, function: Function, call: ast.Call, point: Point, world: World, far: int
) -> str | None:
    """What a function of the program that is called gives, on one way or another."""
    assert isinstance(function.node, ast.FunctionDef)
    frame = evaluator.calls.enter(function, arguments_of(call, point), call, point)
    for statement in statements_in(function.node.body):
        if isinstance(statement, ast.Return) and statement.value is not None:
            at = Point(frame, statement)
            for w in evaluator.flow.reaching(at, world):
                what = _unsendable(evaluator, statement.value, at, w, far)
                if what is not None:
                    return what
    return None


def _held(
    evaluator: Evaluator,
    name: str,
    point: Point,
    world: World,
    far: int,
    replaced: frozenset[object] = frozenset(),
) -> str | None:
    """What a variable holds, by every assignment that may have set it last. Of a dict some entries may have
    been ``replaced`` since."""
    found: list[str | None] = []
    for statement, w in evaluator.flow.definitions(
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
                found.append(_first(evaluator, left, before, w, far))
            case ast.Assign() | ast.Expr() if (
                (table := table_of(statement, name)) is not None
                and not taken(statement)
                and _is_own_dict(evaluator, table, before, w)
            ):
                put = dict(stored(statement, name))
                left = [value for key, value in put.items() if key not in replaced]
                what = _first(evaluator, left, before, w, far)
                if what is None and not names_all_keys(statement):
                    return None
                others = replaced | put.keys()
                found.append(what or _held(evaluator, name, before, w, far, others))
            case _ if replaced:
                return None
            case ast.Assign(targets=[ast.Name()], value=ast.Name() as value):
                found.append(_by_value(evaluator, value, before, w))
            case ast.Assign(targets=[ast.Name()], value=value):
                found.append(_unsendable(evaluator, value, before, w, far))
            case ast.FunctionDef() if not statement.decorator_list:
                found.append("a local function")
            case _:
                return None
    return found[0] if found and all(found) else None


def _is_own_dict(evaluator: Evaluator, node: ast.Name, point: Point, world: World) -> bool:
    """Whether a variable is a dict that nobody is given who could replace what is in it."""
    values = [value for value, _ in evaluator.values(node, point, world)]
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
            for given in given_in(call)
        )
    )


def _leaves(statement: ast.stmt, name: str) -> bool:
    """Whether a statement, with all that is inside it, leaves what a variable holds: it changes what is in
    that at most."""
    inside = [each for _, block, _ in blocks(statement) for each in block]
    if inside:
        return name not in own_names(statement) and all(_leaves(each, name) for each in inside)
    return name not in {*own_names(statement), *changed_names(statement)} or changes_part(statement, name)


def _by_value(evaluator: Evaluator, node: ast.Name, point: Point, world: World) -> str | None:
    found = [
        unpicklable(value.name) if isinstance(value, Made) else None
        for value, _ in evaluator.values(node, point, world)
    ]
    return found[0] if found and all(found) else None
