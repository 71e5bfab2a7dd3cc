"""The rounds of a loop over batches: what counts them, and what only some of them do."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from typing import Protocol

from dlint.knowledge.loading import GIVES_NO_BATCHES
from dlint.source.nodes import walk
from dlint.source.statements import blocks, last_name, own_names

# What is assigned to a name.
Assigned = Callable[[str], Iterable[ast.expr]]

_FORWARDS = frozenset({"tqdm", "track", "iter", "enumerate"})
_OTHERS = GIVES_NO_BATCHES | {"islice", "zip", "chain", "cycle", "map", "filter", "takewhile"}
_AS_BEFORE = -1
_BOUNDS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq)


def batch_in(target: ast.expr, iterable: ast.expr, assigned: Assigned) -> ast.expr | None:
    """The part of a loop's target that is the batch, where every batch is gone through: past ``enumerate``
    and a bar of progress, under a name that they were ``assigned`` to, too."""
    if not goes_through_all(iterable):
        return None
    numbered = _numbered(iterable, assigned, frozenset())
    if numbered is None:
        return None
    for _ in range(numbered):
        if not (isinstance(target, ast.Tuple) and len(target.elts) == 2):
            return None
        target = target.elts[1]
    return target


def hands_on_all(call: ast.Call) -> bool:
    """Whether a call gives all that it is given, be it with numbers: ``enumerate``, a bar of progress."""
    return last_name(call.func) in _FORWARDS


def _numbered(iterable: ast.expr, assigned: Assigned, names: frozenset[str]) -> int | None:
    """How many numbers stand before a batch, one inside another; None where that is not always the same."""
    numbered = 0
    while isinstance(iterable, ast.Call) and iterable.args and last_name(iterable.func) in _FORWARDS:
        numbered += last_name(iterable.func) == "enumerate"
        iterable = iterable.args[0]
    if not isinstance(iterable, ast.Name):
        return numbered
    name = iterable.id
    if name in names:  # ``bar = tqdm(bar)`` changes nothing, ``bar = enumerate(bar)`` may
        return None if numbered else _AS_BEFORE
    ways = {_numbered(value, assigned, names | {name}) for value in assigned(name)} - {_AS_BEFORE}
    if not ways:
        return numbered
    inside = ways.pop()
    return None if ways or inside is None else numbered + inside


def goes_through_all(iterable: ast.expr) -> bool:
    """Whether an iterable may be a loader, or goes through all of one: what takes some batches (``islice``,
    ``zip``) does not."""
    while isinstance(iterable, ast.Call) and iterable.args and last_name(iterable.func) in _FORWARDS:
        iterable = iterable.args[0]
    if isinstance(iterable, ast.Call):
        return last_name(iterable.func) not in _OTHERS
    return isinstance(iterable, ast.Name | ast.Attribute | ast.Subscript)


def counters(loop: ast.For) -> frozenset[str]:
    """The names that count the rounds: of an ``enumerate`` around the batches, or that only grow."""
    found: set[str] = set()
    through: ast.expr = loop.iter
    while isinstance(through, ast.Call) and through.args and last_name(through.func) != "enumerate":
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


class Tests(Protocol):
    """How tests in a loop come out, round by round."""

    def nearly_always(self, test: ast.expr, wanted: bool) -> bool:
        """Whether a test comes out as ``wanted`` in nearly all rounds."""

    def lets_through(self, test: ast.expr, wanted: bool) -> bool:
        """Whether a test, where it comes out as ``wanted`` at all, does so in all rounds, or nearly all."""


def stops(body: list[ast.stmt], tests: Tests) -> bool:
    """Whether a loop may end before its last round, and not only where a test comes out as it nearly never
    does."""
    ways = [*_ways_out(body)]
    if [] in ways:
        return True
    return not all(any(tests.nearly_always(test, not wanted) for test, wanted in way) for way in ways)


def _ways_out(body: list[ast.stmt], *, returns: bool = False) -> Iterator[list[tuple[ast.expr, bool]]]:
    """The ways out of a loop, by the tests that lead there and how they come out; of those out of one inside
    it such that ``returns``."""
    for each in body:
        if isinstance(each, ast.Return) or (isinstance(each, ast.Break) and not returns):
            yield []
        inside = returns or isinstance(each, ast.For | ast.AsyncFor | ast.While)
        for role, inner, _ in blocks(each):
            # What stands in the else of a loop leaves the one around it.
            for way in _ways_out(inner, returns=inside and (returns or role == "body")):
                yield [(each.test, role == "body"), *way] if isinstance(each, ast.If) else way


def goes_on(statement: ast.stmt) -> bool:
    """Whether a branch goes on to the next round, or leaves the loop."""
    return isinstance(statement, ast.If) and isinstance(statement.body[-1], ast.Continue | ast.Break)


def bounds(test: ast.expr) -> bool:
    """Whether a test may let only some rounds through: one that counts or compares."""
    return any(
        isinstance(node, ast.Mod) or (isinstance(node, ast.Compare) and isinstance(node.ops[0], _BOUNDS))
        for node in walk(test)
    ) or isinstance(test, ast.UnaryOp | ast.Call)
