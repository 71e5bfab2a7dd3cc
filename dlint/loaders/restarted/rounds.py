"""What a round of a loop is, by how it is written: one for each batch, for each epoch, or one of a few."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from dlint.loaders.every_round import is_seldom
from dlint.loaders.iteration import Iterations
from dlint.regex import regex
from dlint.source.nodes import walk
from dlint.source.restarts import takes_first
from dlint.source.statements import blocks, dotted, given_in, statements_in, target_names
from dlint.values.frame import Point

_EPOCH = regex(r"epoch|(?:^|_)rounds?(?:_|$)|^ep$", re.IGNORECASE)
# What an epoch consists of: ``steps_per_epoch``, ``args.epoch_length``.
_IN_EPOCH = regex(
    r"(?:step|batch|iter|iteration|update)(?:e?s)?_?per_?epoch|len_?epoch$"
    r"|epoch_?(?:size|len|length|(?:step|batch|iter|iteration|update)(?:e?s)?)$",
    re.IGNORECASE,
)
# Calls that train for an epoch by their name, but for those that take one step.
_TRAINS = regex(r"epoch|train|(?:^|_)fit(?:_|$)", re.IGNORECASE)
_STEPS = regex(r"step|batch|iter", re.IGNORECASE)
# So many rounds, as written, are a look at some batches.
_FEW = 4
# What is given a loader and does not go through it.
_LOOKS = frozenset({"iter", "len", "next", "print", "type", "isinstance"})


def counts_rounds(test: ast.expr) -> bool:
    """Whether a test is about the number of the round: ``if step % 100: return``."""
    for node in walk(test):
        name = node.id if isinstance(node, ast.Name) else getattr(node, "attr", "")
        if isinstance(node, ast.Mod) or _STEPS.search(name) or _EPOCH.search(name):
            return True
    return False


def is_short(loop: ast.stmt) -> bool:
    """Whether a loop goes round a few times only, as it is written."""
    match loop:
        case ast.For(iter=ast.Call(func=ast.Name(id="range"), args=[ast.Constant(value=int(rounds))])):
            return rounds <= _FEW
        case (
            ast.For(iter=ast.Tuple(elts=parts) | ast.List(elts=parts) | ast.Set(elts=parts))
            | ast.For(iter=ast.Call(args=[ast.Tuple(elts=parts) | ast.List(elts=parts)]))
            | ast.For(iter=ast.Call(func=ast.Attribute(value=ast.Dict(values=parts)), args=[]))
        ):
            return len(parts) <= _FEW and not any(isinstance(part, ast.Starred) for part in parts)
    return False


def is_bound(node: ast.expr, target: ast.expr) -> bool:
    """Whether a loop gives what is read by its name alone."""
    return isinstance(node, ast.Name) and node.id in target_names(target)


def is_epoch_loop(
    loop: ast.For | ast.While, point: Point, iterations: Iterations, restarting: ast.AST | None = None
) -> bool:
    """Whether a loop goes round once an epoch: it goes through batches inside, or calls what does; the
    function that starts a loader again and takes one batch, or leads there, does not."""
    if speaks_of_epochs(loop):
        for node in (node for statement in loop.body for node in walk(statement)):
            if isinstance(node, ast.For | ast.While) or _hands_over(node, point, iterations, restarting):
                return True
        often = loop.body
    else:
        at = point.before(loop)
        of_steps = isinstance(loop, ast.For) and next(iterations.loaders_of(loop.iter, at), None) is not None
        often = list(_often(loop.body, loop, of_steps))
        seldom = any(
            isinstance(each, ast.If)
            and any(is_seldom(each.test, wanted, loop, of_steps=of_steps) for wanted in (True, False))
            for each in statements_in(loop.body)
        )
        if (seldom and not of_steps) and any(
            _hands_over(node, point, iterations, restarting) for each in often for node in walk(each)
        ):
            return True  # what is done in each round may be an epoch
    return any(
        iteration.to_end
        or (
            iteration.is_loop
            and not (
                isinstance(iteration.point.statement, ast.For) and takes_first(iteration.point.statement)
            )
        )
        for iteration in iterations.from_block(often, point.frame)
    )


def _often(body: list[ast.stmt], loop: ast.For | ast.While, of_steps: bool) -> Iterator[ast.stmt]:
    """The statements of a block, without those that one of many rounds comes to: an evaluation now and then
    makes no epochs of the rounds."""
    for statement in body:
        match statement:
            case ast.If(test=test) if is_seldom(test, True, loop, of_steps=of_steps):
                yield from _often(statement.orelse, loop, of_steps)
            case ast.If(test=test) if is_seldom(test, False, loop, of_steps=of_steps):
                yield from _often(statement.body, loop, of_steps)
                if isinstance(statement.body[-1], ast.Continue):
                    return
            case ast.If() | ast.With() if any(
                isinstance(each, ast.If) for each in statements_in([statement])
            ):
                for _, inner, _ in blocks(statement):
                    yield from _often(inner, loop, of_steps)
            case _:
                yield statement


def speaks_of_epochs(loop: ast.For | ast.While) -> bool:
    """Whether a loop goes round for epochs by the names in it."""
    return any(_EPOCH.search(name) and not _IN_EPOCH.search(name) for name in _head(loop))


def _head(loop: ast.For | ast.While) -> Iterator[str]:
    """The names that a loop binds, or those in its test."""
    if isinstance(loop, ast.For):
        yield from target_names(loop.target)
    for node in walk(loop.iter if isinstance(loop, ast.For) else loop.test):
        if isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.Attribute):
            yield node.attr


def _hands_over(node: ast.AST, point: Point, iterations: Iterations, restarting: ast.AST | None) -> bool:
    """Whether a call is given a loader, as an epoch hands one to the function that trains, or trains by its
    name where nobody can see how."""
    if not isinstance(node, ast.Call) or dotted(node.func) in _LOOKS:
        return False
    if restarting is not None and iterations.calls(node, point, restarting):
        return False
    given = given_in(node)
    if any(iterations.is_loader(each, point) for each in given if dotted(each)):
        return True
    name = node.func.attr if isinstance(node.func, ast.Attribute) else dotted(node.func) or ""
    if not _TRAINS.search(name) or _STEPS.search(name):
        return False
    if name == "train" and all(isinstance(each, ast.Constant) for each in given):
        return False  # `model.train()` only sets a mode
    return iterations.may_go_round(node.func, point)
