"""Calls that move a network where it is, to the GPU or back: ``net.cuda()``, ``net.to("cpu").eval()``."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, NamedTuple

from dlint.fork.gpu.networks import is_a_network
from dlint.knowledge.processes.devices import MOVES, asks_for_gpu, stays_there
from dlint.source.statements import dotted, given_in, own_names, statement_at
from dlint.values.frame import Frame, Point, arguments_of
from dlint.values.functions import passed
from dlint.values.places import tests_around
from dlint.values.values import Function

if TYPE_CHECKING:
    from dlint.calls.evaluator import Evaluator

# So many functions, one called in the other, are gone into that are given a network.
_DEEPEST = 3
_CPU = "cpu"


class Put(NamedTuple):
    """A call that puts something on the GPU, and where it stands."""

    call: ast.Call
    point: Point


def last_move(path: str, point: Point) -> Put | None:
    """The last statement of a scope before a point that moves what a path stands for, be it to the GPU or
    back."""
    text = point.frame.module.text_of(point.frame.scope)
    if f"{path}." not in text or not any(f".{move}(" in text for move in (*MOVES, _CPU)):
        return None
    end = _line_of(point)
    last: Put | None = None
    for node in point.frame.layout.nodes:
        call = _moves(node.value, path) if isinstance(node, ast.Expr) and node.lineno < end else None
        if call is not None and (last is None or call.lineno > last.call.lineno):
            assert isinstance(node, ast.stmt)
            last = Put(call, Point(point.frame, node))
    return last


def move_between(name: str, start: Point, end: Point) -> Put | None:
    """The last statement that moves what a scope has given away by its name, between two others; None where
    that is only under a test of something else than the GPU, or another may have the name."""
    last: Put | None = None
    for node in start.frame.layout.nodes:
        if not isinstance(node, ast.stmt) or not _line_of(start) < node.lineno < _line_of(end):
            continue
        moved = _moves(node.value, name) if isinstance(node, ast.Expr | ast.Assign) else None
        if moved is not None:
            if isinstance(node, ast.Assign) and [ast.unparse(each) for each in node.targets] != [name]:
                return None  # a tensor's method gives another, a network's itself, under two names
            last = Put(moved, Point(start.frame, node))
            if is_only_asked(last.point, start):
                return None
        elif name in own_names(node):
            return None
    return last


def is_brought_back(name: str, start: Point, end: Point) -> bool:
    """Whether the last statement between two others that moves what stands under a name says the CPU."""
    last = last_move(name, end)
    return last is not None and last.call.lineno > _line_of(start) and _names_cpu(last.call)


def is_only_asked(point: Point, other: Point) -> bool:
    """Whether a place is behind a test of something else than the GPU, which another is not behind."""
    tests, known = ({ast.unparse(test) for test, _, _ in tests_around(each)} for each in (point, other))
    return not all(map(asks_for_gpu, tests - known))


def may_come_back(evaluator: Evaluator, path: str, after: int, point: Point, far: int = 0) -> bool:
    """Whether something behind a line of a scope, and before a point, may move a network to the CPU where it
    is: a part of an expression (``torch.save(net.cpu().state_dict(), path)``), or a function that gets it."""
    frame, end = point.frame, _line_of(point)
    for node in frame.layout.nodes:
        if not isinstance(node, ast.Call) or not after < node.lineno < end:
            continue
        if _names_cpu(node) and _moves(node, path) is node:
            assert isinstance(node.func, ast.Attribute)
            moved = evaluator.values(node.func.value, _point_at(frame, node))
            if moved and all(is_a_network(evaluator, value) for value, _ in moved):
                return True
        elif far < _DEEPEST and path in [dotted(each) for each in given_in(node)]:
            at = _point_at(frame, node)
            for callee, _ in evaluator.values(node.func, at):
                if isinstance(callee, Function) and not isinstance(callee.node, ast.Lambda):
                    inside = evaluator.calls.enter(callee, arguments_of(node, at), node, at)
                    for name, argument in passed(callee, node).items():
                        if dotted(argument) == path and _is_brought_back(evaluator, name, inside, far):
                            return True
    return False


def _is_brought_back(evaluator: Evaluator, name: str, frame: Frame, far: int) -> bool:
    """Whether a function may move what it gets as a parameter to the CPU, and leave it there."""
    end = Point(frame, None)
    last = last_move(name, end)
    if last is not None and _names_cpu(last.call):
        return True
    after = last.call.lineno if last is not None else 0
    return may_come_back(evaluator, name, after, end, far + 1)


def _moves(node: ast.expr, path: str) -> ast.Call | None:
    """The last call of a chain of methods that moves what a path stands for; None where another method of the
    chain gives something else."""
    last: ast.Call | None = None
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        if node.func.attr in MOVES or node.func.attr == _CPU:
            last = last or node
        elif not stays_there(node.func.attr):
            return None
        node = node.func.value
    return last if dotted(node) == path else None


def _names_cpu(call: ast.Call) -> bool:
    """Whether a call says the CPU."""
    given = [ast.unparse(each) for each in given_in(call)]
    return (isinstance(call.func, ast.Attribute) and call.func.attr == _CPU) or any(
        _CPU in each for each in given
    )


def _point_at(frame: Frame, node: ast.expr) -> Point:
    return Point(frame, None if isinstance(frame.scope, ast.ClassDef) else statement_at(frame.scope, node))


def _line_of(point: Point) -> int:
    """The line of a point, behind all others at the end of a scope."""
    return point.statement.lineno if point.statement is not None else 1 << 30
