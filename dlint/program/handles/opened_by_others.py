"""Handles that others put on an object once it is made, or have it open (``dataset.open()``)."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.fork.early.let_go import drops_of, starts_inside, taken_away, takes_away
from dlint.fork.early.starts import starts
from dlint.fork.handles import handle_of
from dlint.fork.order import comes_before
from dlint.fork.set_elsewhere import left_as_made
from dlint.fork.sides import renewed
from dlint.program.given import given_as
from dlint.program.stored.put_by_calls import put_by_calls
from dlint.program.stored.stored_later import Later, is_surely_before, stored_later
from dlint.source.statements import FunctionNode, functions_in, own_nodes, statements_in
from dlint.values.frame import Arguments, Frame, Point
from dlint.values.values import Function, Instance, Made

if TYPE_CHECKING:
    from dlint.calls.evaluator import Evaluator
    from dlint.knowledge.processes.handles import Handle
    from dlint.loaders.loaders import Loader
    from dlint.program.program import Program
    from dlint.workers.uses import WorkerUse


class Opened(NamedTuple):
    """A handle, what made it, and what put it on the object, alone or in a container that that keeps."""

    handle: Handle
    made: Made
    store: Later
    alone: bool


def opened_by_others(
    program: Program, use: WorkerUse, judged: Instance, names: Collection[str]
) -> Iterator[Opened]:
    """The handles in some attributes of an object that others put there before the loader of a use is there:
    where nothing else is stored there, and nothing closes it by then."""
    evaluator = program.evaluator
    for owner, world in given_as(program, use, judged):
        later = list(stored_later(evaluator, owner, world, only=names))
        alone = {each.name for each in later}
        later += put_by_calls(evaluator, owner, world, [name for name in names if name not in alone])
        for name in dict.fromkeys(each.name for each in later):
            stores = [each for each in later if each.name == name]
            statements = [each.point.statement for each in stores if each.point.statement is not None]
            before = [each for each in stores if comes_before(evaluator, each.point, use, each.by)]
            if not before or not left_as_made(program, [use], owner, name, statements):
                continue
            handles = [
                Opened(handle, value, each, name in alone)
                for each in before
                for value, _ in each.values
                if isinstance(value, Made)
                and (handle := handle_of(evaluator, value)) is not None
                and not renewed(program, use, value)
            ]
            if (name in alone and len(handles) != len(before)) or _is_let_go(
                program, use, owner, before, name
            ):
                continue
            for opened in handles:
                point, at_once = opened.store.point, opened.store.at_once
                if use.loader is None or _is_over(opened.store, use.loader):
                    continue
                if is_surely_before(evaluator, point, use.loader, opened.store.by, at_once=at_once):
                    yield opened


def _is_over(store: Later, loader: Loader) -> bool:
    """Whether what opens a handle is a ``with`` that has ended where the same function makes a loader."""
    entering, end = store.point.statement, 0
    if isinstance(entering, ast.With) and any(item.context_expr is store.by for item in entering.items):
        end = entering.end_lineno or 0
    return 0 < end < loader.call.lineno and loader.point.frame.scope is store.point.frame.scope


def _is_let_go(program: Program, use: WorkerUse, owner: Instance, stores: list[Later], name: str) -> bool:
    """Whether the code that has a handle opened may close it again before there are workers."""
    evaluator = program.evaluator
    frames = {id(each.point.frame.scope): each.point.frame for each in stores}
    if any(takes_away_in(evaluator, use, frame, name) for frame in frames.values()):
        return True
    away = takes_away(name)
    for above in evaluator.classes.line(owner.cls):
        for function in functions_in(above.node.body):
            if away.search(above.module.text_of(function)):
                bound = evaluator.classes.methods(owner, function.name)
                for method in bound:
                    frame = evaluator.calls.enter(method, Arguments(), None, None)
                    if isinstance(method.node, FunctionNode) and any(
                        _comes_in_time(evaluator, site.call, site.point, use)
                        for site in evaluator.sites.of(method.node, frame)
                    ):
                        return True
    return False


def takes_away_in(evaluator: Evaluator, use: WorkerUse, frame: Frame, name: str) -> bool:
    """Whether a function closes what an attribute of that name holds, or takes it away, before workers start:
    itself, or by a function that it hands an object to."""
    scope, drops = frame.scope, drops_of(name)
    if isinstance(scope, ast.Lambda):
        return False
    for statement in statements_in(scope.body):
        point = Point(frame, statement)
        taken = [held for held, each in taken_away(statement, scope.body) if each in (name, None)]
        if any(_comes_in_time(evaluator, held, point, use) for held in taken):
            return True
        for call in _calls(statement):
            if any(
                isinstance(callee, Function)
                and drops.search(callee.module.text_of(callee.node))
                and _comes_in_time(evaluator, call, point, use)
                for callee, _ in evaluator.values(call.func, point)
            ):
                return True
    return False


def _comes_in_time(evaluator: Evaluator, node: ast.expr, point: Point, use: WorkerUse) -> bool:
    """Whether the parent comes to an expression before workers start, and is done with its ``with`` by then:
    before their loader is there, or when it is, and before it is gone through."""
    if use.loader is None:
        return False
    here = [start for start in starts(evaluator, use.loader) if start.frame.scope is point.frame.scope]
    if point.statement is not None and any(starts_inside(point.statement, start) for start in here):
        return False
    return comes_before(evaluator, point, use) or any(
        start.places is not None and start.call is not node and start.follows(evaluator, node, point)
        for start in here
    )


def _calls(statement: ast.stmt) -> Iterator[ast.Call]:
    """The calls of functions that a statement hands something to by its name."""
    for node in own_nodes(statement):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and any(isinstance(each, ast.Name) for each in node.args)
        ):
            yield node
