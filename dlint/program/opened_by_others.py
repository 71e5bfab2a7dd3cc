"""Handles that others put on an object once it is made, or have it open (``dataset.open()``)."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.fork.early.starts import starts
from dlint.fork.handles import handle_of
from dlint.fork.order import comes_before
from dlint.fork.set_elsewhere import left_as_made
from dlint.fork.sides import renewed
from dlint.program.given import given_as
from dlint.program.stored_later import Later, is_surely_before, stored_later
from dlint.source.statements import FunctionNode, functions_in, statement_at
from dlint.values.frame import Arguments, Point
from dlint.values.values import Instance, Made

if TYPE_CHECKING:
    from dlint.calls.evaluator import Evaluator
    from dlint.knowledge.processes.handles import Handle
    from dlint.program.program import Program
    from dlint.workers.uses import WorkerUse


class Opened(NamedTuple):
    """A handle, what made it, and what put it on the object."""

    handle: Handle
    made: Made
    store: Later


def opened_by_others(
    program: Program, use: WorkerUse, judged: Instance, names: Collection[str]
) -> Iterator[Opened]:
    """The handles in some attributes of an object that others put there before the loader of a use is there:
    where nothing else is stored there, and nothing closes it by then."""
    evaluator = program.evaluator
    for owner, world in given_as(program, use, judged):
        later = [each for each in stored_later(evaluator, owner, world) if each.name in names]
        for name in dict.fromkeys(each.name for each in later):
            stores = [each for each in later if each.name == name]
            statements = [each.point.statement for each in stores if each.point.statement is not None]
            before = [each for each in stores if comes_before(evaluator, each.point, use)]
            if not before or not left_as_made(program, [use], owner, name, statements):
                continue
            handles = [
                Opened(handle, value, each)
                for each in before
                for value, _ in each.values
                if isinstance(value, Made)
                and (handle := handle_of(evaluator, value)) is not None
                and not renewed(program, use, value)
            ]
            if len(handles) != len(before) or _is_let_go(program, use, owner, before, name):
                continue
            for opened in handles:
                point, at_once = opened.store.point, opened.store.at_once
                if use.loader and is_surely_before(evaluator, point, use.loader, at_once=at_once):
                    yield opened


def _is_let_go(program: Program, use: WorkerUse, owner: Instance, stores: list[Later], name: str) -> bool:
    """Whether the code that has a handle opened may close it again before there are workers."""
    evaluator = program.evaluator
    closes = re.compile(rf"\.{re.escape(name)}\.(?:close|release)\(")
    frames = {id(each.point.frame.scope): each.point.frame for each in stores}
    for frame in frames.values():
        for node in frame.layout.nodes:
            if _closes(node, name):
                assert isinstance(node, ast.expr)
                if _comes_in_time(evaluator, node, Point(frame, statement_at(frame.scope, node)), use):
                    return True
    for above in evaluator.classes.line(owner.cls):
        for function in functions_in(above.node.body):
            if closes.search(above.module.text_of(function)):
                bound = evaluator.classes.methods(owner, function.name)
                for method in bound:
                    frame = evaluator.calls.enter(method, Arguments(), None, None)
                    if isinstance(method.node, FunctionNode) and any(
                        _comes_in_time(evaluator, site.call, site.point, use)
                        for site in evaluator.sites.of(method.node, frame)
                    ):
                        return True
    return False


def _comes_in_time(evaluator: Evaluator, node: ast.expr, point: Point, use: WorkerUse) -> bool:
    """Whether the parent comes to an expression before workers start: before their loader is there, or when
    it is, and before it is gone through."""
    return comes_before(evaluator, point, use) or (
        use.loader is not None
        and any(
            start.frame.scope is point.frame.scope and start.follows(evaluator, node, point)
            for start in starts(evaluator, use.loader)
            if start.places is not None
        )
    )


def _closes(node: ast.AST, name: str) -> bool:
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Attribute(attr=closed), attr="close" | "release")):
            return closed == name
    return False
