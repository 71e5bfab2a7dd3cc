"""The handles of which an expression or a value is a part (``file["images"]``, ``connection.cursor()``), or
that another object reads on."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.calls.returned import returned
from dlint.fork.handles import handle_of
from dlint.knowledge.processes.handles import EACH, METHODS, PARTS, READ_THROUGH
from dlint.regex import regex
from dlint.source.nodes import is_text
from dlint.values.frame import Point
from dlint.values.values import Function, Made, Value
from dlint.values.worlds import World

if TYPE_CHECKING:
    from dlint.calls.evaluator import Evaluator
    from dlint.values.outcomes import Outcome

_OF_ARRAYS = frozenset({"astype", "dtype", "fields", "shape"})
# So many names one after the other.
_FAR = 4
# A constructor that closes what it has opened may have closed what a container holds.
LETS_GO = regex(r"\.(?:close|release|clear)\(")


def taken_from(
    evaluator: Evaluator, node: ast.expr | None, point: Point, world: World, far: int = 0
) -> Iterator[Outcome]:
    """The handles of which an expression takes a part, itself or by a function that it calls, or each thing
    in a list or dict that it writes out."""
    kept = [] if node is None else [(node, point)]
    match node:
        case ast.Call(func=asked) if far < _FAR:
            for callee, w in evaluator.values(asked, point, world):
                if isinstance(callee, Function):
                    for given, there, v in returned(evaluator, callee, node, point, w):
                        yield from (
                            (whole, u)
                            for whole, u in taken_from(evaluator, given, there, v, far + 1)
                            if not _is_closed(whole, point)
                        )
        case ast.IfExp(test=test, body=body, orelse=orelse):
            for part, wanted in ((body, True), (orelse, False)):
                for assumed in evaluator.assume(test, wanted, point, world):
                    yield from taken_from(evaluator, part, point, assumed, far)
            return
        case ast.Dict(values=inner) | ast.List(elts=inner) | ast.Tuple(elts=inner) | ast.Set(elts=inner):
            kept = [(each, point) for each in inner]
        case ast.DictComp(value=each) | ast.ListComp(elt=each) | ast.SetComp(elt=each):
            kept = [(each, evaluator.inside(node, point))]
    if kept[:1] != [(node, point)] and LETS_GO.search(point.frame.module.text_of(point.frame.scope)):
        return
    for each, at in kept:
        # Beside its name, or what else belongs to it: ``[(path, file["images"]) for ...]``.
        for part in each.elts if isinstance(each, ast.Tuple) else [each]:
            yield from _wholes(evaluator, part, at, world)


def taken_elsewhere(evaluator: Evaluator, value: Value, point: Point, world: World) -> Iterator[Outcome]:
    """The handle of which a value is a part that another function has taken: ``return env, env.begin()``."""
    if not isinstance(value, Made) or value.point.frame.scope is point.frame.scope:
        return
    if isinstance(value.node, ast.Call) and _part(value.node) is not None:
        yield from _wholes(evaluator, value.node, value.point, world)


def read_through(evaluator: Evaluator, value: Value, point: Point, world: World) -> Iterator[Outcome]:
    """The file that another object reads on, and nobody closes: ``csv.reader(file)``."""
    if isinstance(value, Made) and value.name in READ_THROUGH:
        for argument in value.arguments.positional[:1]:
            for whole, w in evaluator.value_of(argument, world):
                if handle_of(evaluator, whole) is not None and not _is_closed(whole, point):
                    yield whole, w


def _wholes(evaluator: Evaluator, node: ast.expr, point: Point, world: World) -> Iterator[Outcome]:
    """The handles of which an expression takes a part, be it a part of a part."""
    taken: set[str] = set()
    node, point = _behind(evaluator, node, point, world, taken)
    while (part := _part(node)) is not None:
        node, method, by_name = part
        taken.add(method)
        wholes = [
            (value, w)
            for value, w in evaluator.values(node, point, world)
            if (handle := handle_of(evaluator, value)) is not None
            and taken.issubset(handle.parts)
            and not _is_closed(value, point)
        ]
        yield from wholes
        if not (wholes or by_name):
            return  # a number, of an array
        node, point = _behind(evaluator, node, point, world, taken)


def _is_closed(handle: Value, point: Point) -> bool:
    """Whether the function that takes a part of a handle closes it, which the part may open anew to be read:
    by a ``with`` or by its name."""
    if not isinstance(handle, Made) or handle.point.frame.scope is not point.frame.scope:
        return False
    match handle.point.statement:
        case ast.With():
            return True
        case ast.Assign(targets=[ast.Name(id=name)]):
            return re.search(rf"\b{name}\.close\(", point.frame.module.text_of(point.frame.scope)) is not None
    return False


def _behind(
    evaluator: Evaluator, node: ast.expr, point: Point, world: World, taken: set[str]
) -> tuple[ast.expr, Point]:
    """What a function's own name stands for, and where that was written: ``group = file["events"]``, or what
    a loop goes through to bind it, which is noted as taken. A name that is used as only an array can be is
    left as it is: what it gives under a name was read."""
    for _ in range(_FAR):
        if not isinstance(node, ast.Name) or node.id in point.locals or _is_array(node.id, point):
            break
        stored = [each for each, _ in evaluator.flow.definitions(node.id, point, world)]
        match stored:
            case [ast.Assign(targets=[ast.Name()], value=value) as statement]:
                node, point = value, Point(point.frame, statement)
            case [ast.For(target=ast.Name(), iter=value) as statement]:
                taken.add(EACH)
                node, point = value, Point(point.frame, statement)
            case _:
                break
    return node, point


def _is_array(name: str, point: Point) -> bool:
    """Whether a function takes slices of a name, or asks for the shape of what it stands for."""
    for node in point.frame.layout.nodes:
        match node:
            case ast.Attribute(value=ast.Name(id=asked), attr=attr) if asked == name and attr in _OF_ARRAYS:
                return True
            case ast.Subscript(value=ast.Name(id=asked), slice=ast.Slice() | ast.Tuple()) if asked == name:
                return True
    return False


def _part(node: ast.expr | None) -> tuple[ast.expr, str, bool] | None:
    """What an expression takes a part of, how, and whether surely by a name, as a file's parts always are:
    ``file["images"]``, ``file.get("images")``, ``file.variables["t"]``, ``connection.cursor()``,
    ``next(s for s in container.streams if s.type == "video")``."""
    match node:
        case ast.Subscript(value=ast.Attribute(value=whole, attr=under), slice=key) if under in PARTS:
            return whole, under, under not in METHODS or is_text(key)
        case (
            ast.Call(func=ast.Name(id="next"), args=[ast.GeneratorExp() as made, *_])
            | ast.Subscript(value=ast.ListComp() as made)
        ) if (sieved := _sieved(made)) is not None:
            return sieved, EACH, True
        case ast.Subscript(value=whole, slice=key):
            return whole, "[]", is_text(key)
        case ast.Call(func=ast.Attribute(value=whole, attr=method), args=given) if method in PARTS:
            return whole, method, method != "get" or (bool(given) and is_text(given[0]))
        case ast.Attribute(value=whole, attr=under) if under in PARTS - METHODS:
            return whole, under, True
    return None


def _sieved(made: ast.GeneratorExp | ast.ListComp) -> ast.expr | None:
    """What a comprehension goes through that gives each thing as it is, or leaves it out."""
    match made:
        case (
            ast.GeneratorExp(elt=ast.Name(id=given), generators=[each])
            | ast.ListComp(elt=ast.Name(id=given), generators=[each])
        ) if isinstance(each.target, ast.Name) and each.target.id == given:
            return each.iter
    return None
