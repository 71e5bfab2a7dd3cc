"""Attempts: loops that try so many times to read an item, and what is left when all of them have failed."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TypeGuard

from dlint.source.nodes import walk
from dlint.source.statements import own_names, statements_in
from dlint.streams.items.names import mentions
from dlint.values.frame import Point

_SMALLER = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)


def is_bounded(loop: ast.stmt | None) -> TypeGuard[ast.For | ast.While]:
    """Whether a loop makes so many attempts, and goes on when they have failed. As many as there are things
    are none: one of these may always be good."""
    match loop:
        case ast.For(iter=ast.Call(func=ast.Name(id="range")) as bound):
            pass
        case ast.While(test=bound) if compares_sizes(bound):
            pass
        case _:
            return False
    return not any(
        isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "len"
        for node in walk(bound)
    ) and not any(isinstance(inner, ast.Raise) for inner in statements_in(loop.body))


def is_attempt(node: ast.expr, function: ast.FunctionDef) -> bool:
    """Whether an expression stands in a loop that makes so many attempts."""
    return any(
        is_bounded(loop) and any(inner is node for inner in walk(loop))
        for loop in statements_in(function.body)
    )


def compares_sizes(test: ast.expr) -> bool:
    """Whether a test asks which of two is the smaller, as of the attempts and how many there may be."""
    return any(isinstance(inner, ast.Compare) and isinstance(inner.ops[0], _SMALLER) for inner in walk(test))


def asked_to_be_none(test: ast.expr) -> str:
    """The variable that a test asks to be None, or nothing."""
    match test:
        case (
            ast.Compare(left=ast.Name(id=name), ops=[ast.Is()], comparators=[ast.Constant(value=None)])
            | ast.UnaryOp(op=ast.Not(), operand=ast.Name(id=name))
        ):
            return name
    return ""


def retries(name: str, made: ast.stmt, point: Point, function: ast.FunctionDef) -> list[ast.AST]:
    """The tests by which loops try again while what a statement in them gives a variable is None: ``while
    item is None and tries < 5``, ``if item is not None: break``. Behind the loop it still is, when the
    attempts have run out."""
    found: list[ast.AST] = []
    for loop in statements_in(function.body):
        if is_bounded(loop) and any(inner is made for inner in statements_in(loop.body)):
            inside = any(inner is point.statement for inner in statements_in(loop.body))
            if not inside and not loop.orelse and not _is_asked_about(loop, function):
                found += _tests(name, loop)
    return found


def _is_asked_about(loop: ast.For | ast.While, function: ast.FunctionDef) -> bool:
    """Whether a test behind a loop is about what it has set, as about how many attempts it took."""
    names = {name for inner in statements_in([loop]) for name in own_names(inner)}
    return any(
        isinstance(statement, ast.If | ast.Assert | ast.While)
        and statement.lineno > (loop.end_lineno or 0)
        and mentions(statement.test, names)
        for statement in statements_in(function.body)
    )


def _tests(name: str, loop: ast.For | ast.While) -> Iterator[ast.expr]:
    if (
        isinstance(loop, ast.While)
        and isinstance(loop.test, ast.BoolOp)
        and isinstance(loop.test.op, ast.And)
    ):
        yield from (test for test in loop.test.values if asked_to_be_none(test) == name)
    for inner in statements_in(loop.body):
        match inner:
            case ast.If(test=test, body=[*_, ast.Continue()], orelse=[]) if asked_to_be_none(test) == name:
                yield test
            case ast.If(
                test=ast.Compare(
                    left=ast.Name(id=given), ops=[ast.IsNot()], comparators=[ast.Constant(value=None)]
                ) as found,
                body=[ast.Break()],
                orelse=[],
            ) if given == name:
                yield found
