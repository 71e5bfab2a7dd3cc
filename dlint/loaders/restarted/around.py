"""The loop around a restart that goes round for every batch of one loader."""

from __future__ import annotations

import ast

from dlint.loaders.restarted.made_again import plain_call
from dlint.loaders.restarted.rounds import is_bound, is_short
from dlint.source.nodes import names_in, walk
from dlint.source.restarts import Restart, base_of
from dlint.source.statements import target_names


def loop_around(restart: Restart) -> tuple[ast.For | ast.While | None, ast.expr]:
    """The innermost loop of the same function around a restart, if it goes round for every batch of one
    loader; and what holds the loader, or all of those that a loop inside goes through."""
    trail, picks, held = restart.trail, frozenset[str](), restart.source
    nothing = (None, held)
    if base_of(restart.source) is None and plain_call(restart.source) is None:
        return nothing
    if isinstance(restart.source, ast.Subscript):
        picks = names_in(restart.source.slice)
    for index in range(len(trail) - 1, 0, -1):
        at, above = trail[index], trail[index - 1]
        if isinstance(above, ast.FunctionDef) and above.name.startswith("test"):
            return nothing
        if isinstance(at, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
            return nothing
        if isinstance(above, ast.While) and at is above.test:
            return nothing if _may_be_left_out(at, restart.taking) else (above, held)
        if isinstance(above, ast.For | ast.While) and any(at is statement for statement in above.body):
            if isinstance(above, ast.For) and picks & set(target_names(above.target)):
                continue  # another loader each time: the loop around it comes back to them
            if isinstance(above, ast.For) and held is restart.source and is_bound(held, above.target):
                held = above.iter
                continue
            if is_short(above):
                continue
            return above, held
    return nothing


def is_asked_by(loop: ast.For | ast.While, restart: Restart) -> bool:
    """Whether a restart stands in the test of a loop, which each round makes."""
    return isinstance(loop, ast.While) and any(node is loop.test for node in restart.trail)


def goes_on(loop: ast.For | ast.While) -> bool:
    """Whether a loop may come to its test again."""
    return not any(isinstance(each, ast.Break | ast.Return | ast.Raise) for each in loop.body)


def _may_be_left_out(test: ast.AST, asked: ast.expr) -> bool:
    """Whether a loop may go on without having asked for a part of its test."""
    return any(
        isinstance(node, ast.IfExp | ast.Lambda | ast.comprehension)
        or (
            isinstance(node, ast.BoolOp)
            and isinstance(node.op, ast.Or)
            and not any(each is asked for each in walk(node.values[0]))
        )
        for node in walk(test)
        if any(each is asked for each in walk(node))
    )
