"""The rounds of a loop over batches: what counts them, and what only some of them do."""

from __future__ import annotations

import ast

from dlint.source.nodes import walk
from dlint.source.statements import blocks, dotted, own_names

_FORWARDS = frozenset({"tqdm", "track", "iter", "enumerate"})
_SOME = frozenset({"islice", "zip", "chain", "cycle", "map", "filter", "takewhile"})
_BOUNDS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq)


def batch_in(target: ast.expr, iterable: ast.expr) -> ast.expr | None:
    """The part of a loop's target that is the batch, where every batch is gone through: past ``enumerate``
    and a bar of progress."""
    if not goes_through_all(iterable):
        return None
    while isinstance(iterable, ast.Call) and iterable.args and _last(iterable) in _FORWARDS:
        if _last(iterable) == "enumerate":
            if not (isinstance(target, ast.Tuple) and len(target.elts) == 2):
                return None
            target = target.elts[1]
        iterable = iterable.args[0]
    return target


def goes_through_all(iterable: ast.expr) -> bool:
    """Whether an iterable may be a loader, or goes through all of one: what takes some batches (``islice``,
    ``zip``) does not."""
    while isinstance(iterable, ast.Call) and iterable.args and _last(iterable) in _FORWARDS:
        iterable = iterable.args[0]
    if isinstance(iterable, ast.Call):
        return _last(iterable) not in _SOME
    return isinstance(iterable, ast.Name | ast.Attribute | ast.Subscript)


def _last(call: ast.Call) -> str:
    return (dotted(call.func) or "").rpartition(".")[2]


def counters(loop: ast.For) -> frozenset[str]:
    """The names that count the rounds: of an ``enumerate`` around the batches, or that only grow."""
    found: set[str] = set()
    through: ast.expr = loop.iter
    while isinstance(through, ast.Call) and through.args and _last(through) != "enumerate":
        through = through.args[0]
    if isinstance(through, ast.Call) and isinstance(loop.target, ast.Tuple):
        first = loop.target.elts[0]
        if isinstance(first, ast.Name):
            found.add(first.id)
    grown: set[str] = set()
    others: set[str] = set()
    for each in walk(loop):
        match each:
            case ast.AugAssign(target=ast.Name(id=name), op=ast.Add()):
                grown.add(name)
            case ast.stmt():
                others.update(own_names(each) if each is not loop else ())
    return frozenset(found | (grown - others))


def stops(body: list[ast.stmt]) -> bool:
    """Whether a loop may end before its last round."""
    return any(
        isinstance(each, ast.Break | ast.Return)
        or (
            not isinstance(each, ast.For | ast.AsyncFor | ast.While)
            and any(stops(inner) for _, inner, _ in blocks(each))
        )
        or (
            isinstance(each, ast.For | ast.While) and any(isinstance(node, ast.Return) for node in walk(each))
        )
        for each in body
    )


def goes_on(statement: ast.stmt) -> bool:
    """Whether a branch goes on to the next round, or leaves the loop."""
    return isinstance(statement, ast.If) and isinstance(statement.body[-1], ast.Continue | ast.Break)


def bounds(test: ast.expr) -> bool:
    """Whether a test may let only some rounds through: one that counts or compares."""
    return any(
        isinstance(node, ast.Mod) or (isinstance(node, ast.Compare) and isinstance(node.ops[0], _BOUNDS))
        for node in walk(test)
    ) or isinstance(test, ast.UnaryOp | ast.Call)
