"""What a constructor, or another function of the main process, runs: the functions that it calls at any
distance, and the properties, lengths and items that it asks objects for."""

from __future__ import annotations

import ast
from collections.abc import Container, Iterable, Iterator
from typing import TYPE_CHECKING

from dlint.fork.ways.surely import is_sure, parts_run
from dlint.knowledge.iterables import COLLECT, GO_THROUGH
from dlint.source.nodes import COMPREHENSIONS, children
from dlint.source.statements import expressions, last_name, statements_in
from dlint.values.frame import Arguments, Frame, Point, arguments_of
from dlint.values.functions import is_generator
from dlint.values.values import Class, Function, Instance, Key
from dlint.values.worlds import HERE

if TYPE_CHECKING:
    from dlint.calls.evaluator import Evaluator

_FAR = 4
_MOST = 40
_NONE = Arguments()
_GOES_THROUGH = ("__iter__", "__next__", "__getitem__")
# What enters a frame, where, and the frame.
Entered = tuple[ast.AST, Point, Frame]


def run_by(
    evaluator: Evaluator, frames: Iterable[Frame], *, surely: bool = False, but: Container[int] = ()
) -> list[Frame]:
    """Some frames, and those of the functions that they run (``surely``, and no constructors, which tell no
    more than what they leave), ``but`` some, by id of their node; of very many the nearest."""
    found: dict[Key, tuple[Frame, int]] = {frame.key: (frame, 0) for frame in frames}
    waiting = list(found.values())
    for frame, far in waiting:  # grows meanwhile
        for _, _, inside in entered(evaluator, frame, surely=surely) if far < _FAR else ():
            made = surely and getattr(inside.scope, "name", "") == "__init__"
            if inside.key in found or id(inside.scope) in but:
                continue
            if len(found) < _MOST and not made:
                found[inside.key] = (inside, far + 1)
                waiting.append((inside, far + 1))
    return [frame for frame, _ in found.values()]


def entered(
    evaluator: Evaluator, frame: Frame, *, surely: bool = False, beside: Point | None = None
) -> Iterator[Entered]:
    """The frames that one frame enters, each with what does so and where; ``surely``: those that it enters in
    every run (in which it comes to what stands ``beside``)."""
    scope = frame.scope
    if isinstance(scope, ast.Lambda) or (isinstance(scope, ast.Module | ast.ClassDef) and not surely):
        return
    for statement in statements_in(scope.body):
        at = Point(frame, statement)
        if surely and not is_sure(evaluator, at, beside):
            continue
        reached: bool | None = None
        for each in _entered_at(evaluator, statement, at, surely):
            if reached is None:  # most statements enter nothing: not asked for them
                reached = bool(evaluator.flow.reaching(at, HERE))
            if not reached:
                break
            yield each


def _entered_at(evaluator: Evaluator, statement: ast.stmt, at: Point, surely: bool) -> Iterator[Entered]:
    """The frames that a statement enters itself."""
    for expression in expressions(statement):
        for node, point in _nodes(evaluator, expression, at, surely):
            for inside in _entered_by(evaluator, node, point):
                yield node, point, inside
    match statement:
        case ast.For(iter=held):
            for inside in _gone_through(evaluator, held, at):
                yield held, at, inside
        case ast.With(items=items):
            for item in items:
                held = closed_by(item.context_expr)
                names = ("__enter__", "__exit__") if held is item.context_expr else ("close",)
                for inside in _methods(evaluator, held, names, held, at):
                    yield held, at, inside


def closed_by(context: ast.expr) -> ast.expr:
    """What a ``with`` ends: of ``contextlib.closing(reader)`` the reader."""
    match context:
        case ast.Call(func=ast.Name(id="closing") | ast.Attribute(attr="closing"), args=[held]):
            return held
    return context


def _entered_by(evaluator: Evaluator, node: ast.AST, point: Point) -> Iterator[Frame]:
    match node:
        case ast.Call():
            yield from _called(evaluator, node, point)
            if len(node.args) == 1 and last_name(node.func) in COLLECT:
                yield from _gone_through(evaluator, node.args[0], point)
        case ast.Attribute(ctx=ast.Load(), value=held):
            yield from _asked(evaluator, held, node.attr, node, point)
        case ast.Subscript(ctx=ast.Load(), value=held):
            yield from _methods(evaluator, held, ("__getitem__",), node, point)
        case ast.comprehension(iter=held) | ast.YieldFrom(value=held):
            yield from _gone_through(evaluator, held, point)


def _nodes(
    evaluator: Evaluator, node: ast.AST, point: Point, surely: bool
) -> Iterator[tuple[ast.AST, Point]]:
    """The nodes of an expression, each at its point; the bodies of lambdas are run later."""
    if isinstance(node, ast.Lambda):
        return
    yield node, point
    inside = evaluator.inside(node, point) if isinstance(node, COMPREHENSIONS) else point
    for child in parts_run(evaluator, node, point) if surely else children(node):
        yield from _nodes(evaluator, child, inside, surely)


def _called(evaluator: Evaluator, call: ast.Call, point: Point) -> Iterator[Frame]:
    """The frames that a call enters."""
    if isinstance(call.func, ast.Name) and call.func.id == "len" and len(call.args) == 1:
        yield from _methods(evaluator, call.args[0], ("__len__",), call, point)
        return
    for callee, _ in evaluator.values(call.func, point):
        match callee:
            case Function(node=ast.FunctionDef() as node) if not is_generator(node):
                yield evaluator.calls.enter(callee, arguments_of(call, point), call, point)
            case Class():
                yield from constructed(evaluator, call, point)


def constructed(evaluator: Evaluator, call: ast.Call, point: Point) -> Iterator[Frame]:
    """The frames of the constructors that a call of a class enters."""
    for made, _ in evaluator.values(call, point):
        if isinstance(made, Instance) and made.node is call:
            yield from (frame for _, frame in evaluator.initialisers.of(made))


def _gone_through(evaluator: Evaluator, held: ast.expr, point: Point) -> Iterator[Frame]:
    """The frames that going through something enters, be it one by one with others
    (``enumerate(self.places())``): the methods that give its items, or the generator that is called there."""
    which = GO_THROUGH.get(last_name(held.func)) if isinstance(held, ast.Call) else None
    if which is not None and isinstance(held, ast.Call):
        for each in held.args[which]:
            yield from _gone_through(evaluator, each, point)
        return
    yield from _methods(evaluator, held, _GOES_THROUGH, held, point)
    for callee, _ in evaluator.values(held.func, point) if isinstance(held, ast.Call) else ():
        match callee, held:
            case Function(node=ast.FunctionDef() as node), ast.Call() if is_generator(node):
                yield evaluator.calls.enter(callee, arguments_of(held, point), held, point)


def _asked(evaluator: Evaluator, held: ast.expr, name: str, node: ast.AST, point: Point) -> Iterator[Frame]:
    """The frames of the properties that an attribute may be."""
    for value, _ in evaluator.values(held, point):
        if isinstance(value, Instance):
            for getter, owner in evaluator.classes.properties(value.cls).get(name, ()):
                bound = Function(getter.node, getter.frame, value, owner)
                yield evaluator.calls.enter(bound, _NONE, node, point)


def _methods(
    evaluator: Evaluator, held: ast.expr, names: tuple[str, ...], node: ast.AST, point: Point
) -> Iterator[Frame]:
    """The frames of methods of what an expression stands for."""
    for value, _ in evaluator.values(held, point):
        if isinstance(value, Instance):
            for name in names:
                for method in evaluator.classes.methods(value, name):
                    yield evaluator.calls.enter(method, _NONE, node, point)
