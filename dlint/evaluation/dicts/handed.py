"""Dicts that a scope writes out, and hands to functions of the program that change them:
``fill(options)``."""

from __future__ import annotations

import ast
from functools import partial
from typing import TYPE_CHECKING

from dlint.source.statements import (
    MUTATORS,
    changed_names,
    dotted,
    given_in,
    own_names,
    statements_in,
    steps,
    taken,
)
from dlint.values.frame import Frame, Point, arguments_of, layout_of
from dlint.values.functions import is_generator, passed
from dlint.values.outcomes import Outcome
from dlint.values.places import loops_around
from dlint.values.values import Function, Table, Value
from dlint.values.worlds import World

if TYPE_CHECKING:
    from dlint.evaluation.interface import Evaluator

# Functions that hand a dict on to others.
_FAR = 3


def _changes(evaluator: Evaluator, function: Function, name: str, far: int) -> bool:
    """Whether a function may change a container that it gets for a parameter, itself or by what it calls."""
    node = function.node
    if isinstance(node, ast.Lambda):
        match node.body:
            case ast.Call(func=ast.Attribute(value=held, attr=method)):
                return method in MUTATORS and dotted(steps(held)[0]) == name
        return False
    if name in layout_of(node).changes:
        return True
    for statement in statements_in(node.body) if far < _FAR else ():
        match statement:
            case (
                ast.Expr(value=ast.Call() as call)
                | ast.Assign(value=ast.Call() as call)
                | ast.Return(value=ast.Call() as call)
            ) if _gets(call, name):
                for callee, _ in evaluator.values(call.func, Point(function.frame, None)):
                    if isinstance(callee, Function) and _changed(evaluator, callee, call, name, far + 1):
                        return True
    return False


def is_changed_by(evaluator: Evaluator, call: ast.Call, name: str, point: Point) -> bool:
    """Whether a call may change in place what goes by a name."""
    return _gets(call, name) and any(
        isinstance(callee, Function) and bool(_changed(evaluator, callee, call, name))
        for callee, _ in evaluator.values(call.func, point)
    )


def after_call(
    evaluator: Evaluator, call: ast.Call, name: str, held: list[Outcome], before: Point
) -> list[Outcome]:
    """A container that goes by a name after a call that it, or a part of it, is handed to."""
    found: list[Outcome] = []
    for value, w in held:
        if not isinstance(value, Table):
            found.append((value, w))
            continue
        for callee, v in evaluator.values(call.func, before, w):
            given = _changed(evaluator, callee, call, name) if isinstance(callee, Function) else {}
            if isinstance(callee, Function) and len(given) == 1:
                own, keys = next(iter(given.items()))
                left = partial(_left, evaluator, callee, call, own, before)
                found += evaluator.containers.within(value, keys, left, before, v)
            else:
                found.append((evaluator.containers.forgotten(value, before) if given else value, v))
    return found


def _changed(
    evaluator: Evaluator, callee: Function, call: ast.Call, name: str, far: int = 0
) -> dict[str, list[ast.expr | None]]:
    """The parameters of a function by which it may change what goes by a name, with the keys of the part of
    it that each gets."""
    found: dict[str, list[ast.expr | None]] = {}
    for own, given in passed(callee, call).items():
        root, keys = steps(given)
        if dotted(root) == name and _changes(evaluator, callee, own, far):
            found[own] = keys
    return found


def _left(
    evaluator: Evaluator,
    function: Function,
    call: ast.Call,
    own: str,
    before: Point,
    value: Value,
    world: World,
) -> list[Outcome]:
    """What a function leaves of a container that it gets for a parameter."""
    node = function.node
    frame = evaluator.calls.enter(function, arguments_of(call, before), call, before)
    forgotten = evaluator.containers.forgotten(value, before)
    if (
        not isinstance(value, Table)
        or not isinstance(node, ast.FunctionDef)
        or is_generator(node)
        or node.decorator_list
        or not _shows_what_it_changes(frame, own)
    ):
        return [(forgotten, world)]
    return [
        (after if isinstance(after, Table) else forgotten, w)
        for end, here in evaluator.calls.ends(frame, world)
        for after, w in evaluator.names.lookup(own, Point(frame, end), here)
    ] or [(forgotten, world)]


def _shows_what_it_changes(frame: Frame, own: str) -> bool:
    """Whether a function changes what it gets for a parameter itself, under keys that it writes out, and not
    in rounds, of which nobody knows how many there are, nor by another name for it or a part of it."""
    layout = frame.layout
    if own not in layout.changes or any(own in meant for meant in layout.aliased.values()):
        return False
    return all(
        own not in own_names(statement)
        and (
            own not in changed_names(statement)
            or (
                _is_under_keys(statement, own)
                and not any(True for _ in loops_around(Point(frame, statement)))
            )
        )
        for statement in statements_in(layout.body)
    )


def _is_under_keys(statement: ast.stmt, own: str) -> bool:
    """Whether a statement changes a dict only under keys that are written out, or by ``update``."""
    keys: list[ast.expr | None] = [key for path, key in taken(statement) if path == own]
    match statement:
        case ast.Assign(targets=targets) | ast.Delete(targets=targets):
            for target in targets:
                keys += steps(target)[1]
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=held, attr=method), args=given)):
            keys += steps(held)[1]
            keys += given[:1] if method in ("setdefault", "pop") else []
            if method not in ("setdefault", "pop", "update"):
                return False
        case _:
            return False
    return all(isinstance(key, ast.Constant) for key in keys)


def _gets(call: ast.Call, name: str) -> bool:
    """Whether a call is given what goes by a name, or a part of it."""
    given = given_in(call)
    return any(dotted(steps(each)[0]) == name for each in given)
