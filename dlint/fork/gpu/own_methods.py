"""What an object's methods put on the GPU that are called before there is a loader: ``data.to(device)``."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.fork.gpu.moves import Put
from dlint.fork.gpu.networks import is_a_network
from dlint.fork.gpu.placed import moved_in_place, where_put
from dlint.source.nodes import walk
from dlint.source.statements import FunctionNode, parameters, statements_in
from dlint.values.frame import Point, arguments_of
from dlint.values.places import places_around
from dlint.values.values import Function, Instance
from dlint.values.worlds import World

if TYPE_CHECKING:
    from dlint.calls.evaluator import Evaluator


def put_by_methods(
    evaluator: Evaluator, owner: Instance, names: set[str], end: Point, world: World
) -> Iterator[tuple[str, Put]]:
    """Those of an object's attributes that the last such method has put on the GPU, on every way from the
    beginning of the scope to a point."""
    last: dict[str, Put | None] = {}
    for call, at in _calls_before(end) if names else ():
        assert isinstance(call.func, ast.Attribute)
        if not evaluator.classes.member(owner.cls, call.func.attr):
            continue
        for callee, w in evaluator.values(call.func, at, world):
            if not isinstance(callee, Function) or not isinstance(callee.node, ast.FunctionDef):
                continue
            if not isinstance(callee.receiver, Instance) or callee.receiver.key != owner.key:
                continue
            frame = evaluator.calls.enter(callee, arguments_of(call, at), call, at)
            own = parameters(callee.node)[0].arg
            stored = dict(_stored(callee.node, own, names))
            for name, statement in stored.items():
                inside = Point(frame, statement)
                ways = evaluator.flow.reaching(inside, w)
                puts = (where_put(evaluator, statement.value, inside, each) for each in ways)
                last[name] = next(filter(None, puts), None)
            for name in names - set(stored):
                moved = moved_in_place(evaluator, f"{own}.{name}", Point(frame, None), w)
                if moved is not None and _is_of_network(evaluator, moved):
                    last[name] = moved
    yield from ((name, put) for name, put in sorted(last.items()) if put is not None)


def _calls_before(end: Point) -> list[tuple[ast.Call, Point]]:
    """The calls of methods that control surely has come to before a point, in its scope, in order."""
    found: list[tuple[ast.Call, Point]] = []
    statements = [end.statement] if end.statement is not None else []
    for place in places_around(end):
        statements += [each for each in place.block[: place.at] if isinstance(each, ast.Expr | ast.Assign)]
    for statement in sorted(statements, key=lambda each: each.lineno):
        if isinstance(statement, ast.Expr | ast.Assign | ast.For | ast.Return):
            whole = statement.iter if isinstance(statement, ast.For) else statement.value
            for node in walk(whole) if whole is not None else ():
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                    found.append((node, Point(end.frame, statement)))
    return found


def _is_of_network(evaluator: Evaluator, moved: Put) -> bool:
    """Whether a statement moves a network, which moves it where it is."""
    assert isinstance(moved.call.func, ast.Attribute)
    held = evaluator.values(moved.call.func.value, moved.point)
    return any(is_a_network(evaluator, value) for value, _ in held)


def _stored(function: FunctionNode, own: str, names: set[str]) -> Iterator[tuple[str, ast.Assign]]:
    """The statements of a method that store in some attributes of its object."""
    for statement in statements_in(function.body):
        match statement:
            case ast.Assign(targets=[ast.Attribute(value=ast.Name(id=holder), attr=name)]):
                if holder == own and name in names:
                    yield name, statement
