"""What is None still: followed through a function from where a variable, or what a dict keeps, becomes None
to where it is handed on.

A test of it is understood (``if pair is not None: pair = crop(pair)`` lets None pass by), what binds it anew
ends it, and so does all else that is done with it: what works with None raises an error, and what is given it
may put something in its place.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from dlint.source.layout import Layout
from dlint.source.nodes import names_in, walk
from dlint.source.statements import as_try, expressions, own_names, statements_in
from dlint.streams.nones.endings import suppresses
from dlint.streams.nones.written import handed, is_none, is_read, stored
from dlint.values.frame import layout_of

_LOOPS = (ast.For, ast.AsyncFor, ast.While)
_Ways = tuple[bool, bool]  # whether a test of what is None may be true, and whether it may be false
_EITHER: _Ways = (True, True)
_NEITHER: _Ways = (False, False)


class Kept(NamedTuple):
    """A variable, or with a ``key`` what the dict in it keeps under that."""

    name: str
    key: str | int | None = None


def gives(kept: Kept, statement: ast.stmt) -> bool:
    """Whether a statement gives a variable something, or stores something under a key of its dict."""
    if kept.key is None:
        return kept.name in own_names(statement)
    return any(key == kept.key for key, _ in stored(statement, kept.name))


def gives_none(kept: Kept, statement: ast.stmt) -> bool:
    """Whether what a statement gives so is None as it is written."""
    if kept.key is None:
        return isinstance(statement, ast.Assign) and is_none(statement.value)
    return all(is_none(value) for key, value in stored(statement, kept.name) if key == kept.key)


def is_none_still(
    kept: Kept,
    made: ast.stmt,
    at: ast.stmt,
    function: ast.FunctionDef,
    spared: Sequence[ast.AST],
    never_returns: Callable[[ast.stmt], bool],
) -> bool:
    """Whether what a statement has ``made`` None may be so ``at`` another, which only hands it on. Some nodes
    are ``spared``: the tests by which a loop tries again. ``never_returns`` tells calls that end it all."""
    layout = layout_of(function)
    around = {id(each) for statement in (made, at) for each in _around(layout, statement)}
    way = _Way(kept, made, at, spared, never_returns, around)
    way.through(function.body, False)
    return way.comes


def _around(layout: Layout, statement: ast.stmt) -> Iterator[ast.AST]:
    """A statement, and those that it stands in."""
    at: ast.AST | None = statement
    while at is not None:
        yield at
        place = layout.places.get(id(at))
        at = place.owner if place is not None else layout.try_of.get(id(at))


class _Way:
    """One walk through a function, with whether the None may be there at each statement."""

    def __init__(
        self,
        kept: Kept,
        made: ast.stmt,
        at: ast.stmt,
        spared: Sequence[ast.AST],
        never_returns: Callable[[ast.stmt], bool],
        around: set[int],
    ) -> None:
        self.comes = False
        self._around = around
        self._kept, self._made, self._at = kept, made, at
        self._spared = {id(inner) for each in spared for inner in walk(each)}
        self._never_returns = never_returns
        self._broken = self._continued = False  # with it, the loop that is gone through
        self._met = False  # somewhere in the block that is tried
        self._told = set[str]()  # what was set where a test of it has told
        # By the id of a node, which each round of the loops around it goes past: whether it is used there.
        self._used: dict[int, bool] = {}

    def through(self, block: list[ast.stmt], here: bool) -> bool:
        """Whether it may be None behind a block."""
        for statement in block:
            here = self._past(statement, here)
        return here

    def _past(self, statement: ast.stmt, here: bool) -> bool:
        if not here and id(statement) not in self._around and self._kept.name not in names_in(statement):
            return False  # it is not there yet, and nothing here speaks of it
        self._met = self._met or here
        if statement is self._at:
            given = getattr(statement, "value", None)
            spared = {id(each) for each in handed(given)} if isinstance(given, ast.expr) else set()
            if not spared <= self._spared:
                self._spared |= spared
                self._used.clear()
            self.comes = self.comes or (here and not self._is_used(statement))
        if statement is self._made:
            return self._past_test(statement, statement.test, True) if isinstance(statement, ast.If) else True
        if isinstance(statement, _LOOPS):
            return self._past_loop(statement, here)
        attempt = as_try(statement)
        if attempt is not None:
            return self._past_attempt(attempt, here)
        match statement:
            case ast.Return() | ast.Raise():
                return False
            case ast.Break():
                self._broken = self._broken or here
                return False
            case ast.Continue():
                self._continued = self._continued or here
                return False
            case ast.If(test=test):
                return self._past_test(statement, test, here)
            case ast.With() | ast.AsyncWith():
                return self._past_manager(statement, here)
            case ast.Match():
                here = here and not self._is_used(statement.subject)
                ends = [self.through(case.body, here) for case in statement.cases]
                return any(ends) or (here and not any(map(_takes_all, statement.cases)))
        return here and not self._ends(statement)

    def _past_test(self, statement: ast.If, test: ast.expr, here: bool) -> bool:
        if self._names(test):
            inside = statements_in([statement])
            self._told.update(name for each in inside for name in own_names(each) if name != self._kept.name)
        yes, no = self._ways(test)
        after = self.through(statement.body, here and yes)
        return self.through(statement.orelse, here and no) or after

    def _past_manager(self, statement: ast.With | ast.AsyncWith, here: bool) -> bool:
        here = here and not any(map(self._is_used, expressions(statement)))
        before, self._met = self._met, False
        after = self.through(statement.body, here)
        if any(suppresses(item.context_expr) for item in statement.items):
            after = after or self._met
        self._met = self._met or before
        return after

    def _past_loop(self, loop: ast.For | ast.AsyncFor | ast.While, here: bool) -> bool:
        outside = self._broken, self._continued
        self._broken = self._continued = False
        leaves = False
        for _ in range(3):  # a round may find what the one before has left
            if isinstance(loop, ast.While):
                endless = isinstance(loop.test, ast.Constant) and bool(loop.test.value)
                yes, no = self._ways(loop.test)
                leaves, inside = leaves or (here and no and not endless), here and yes
            else:
                inside = here and not self._is_used(loop.iter)
                leaves = leaves or inside
                inside = inside and self._kept.name not in own_names(loop)
            here = self.through(loop.body, inside) or self._continued
        after = self.through(loop.orelse, leaves) or self._broken
        self._broken, self._continued = outside
        return after and not self._tries_otherwise(loop)

    def _tries_otherwise(self, loop: ast.stmt) -> bool:
        """Whether a loop makes it, and asks about it in a way that is not known for one that tries again so
        many times: it may go on until there is something."""
        inside = list(statements_in([loop]))
        return any(each is self._made for each in inside) and any(
            not isinstance(each, ast.Return) and any(map(self._is_used, expressions(each)))
            for each in inside
            if each is not self._made and each is not self._at
        )

    def _past_attempt(self, attempt: ast.Try, here: bool) -> bool:
        before, self._met = self._met, False
        after = self.through(attempt.orelse, self.through(attempt.body, here))
        met = self._met
        caught = [self.through(each.body, met) for each in attempt.handlers]
        after = self.through(attempt.finalbody, after or any(caught))
        self._met = self._met or before
        return after

    def _ends(self, statement: ast.stmt) -> bool:
        """Whether a plain statement does away with it: binds it anew, does anything with it, or ends all."""
        name, key = self._kept
        if name in own_names(statement) or self._is_used(statement):
            return True
        if isinstance(statement, ast.AugAssign) and self._names(statement.target):
            return True
        if isinstance(statement, ast.Assign) and key is not None:
            stored = [each for each in statement.targets if isinstance(each, ast.Subscript)]
            if any(self._is_entry(each) for each in stored):
                return True
        return self._never_returns(statement)

    def _ways(self, test: ast.expr) -> _Ways:
        match test:
            case ast.UnaryOp(op=ast.Not(), operand=inner):
                yes, no = self._ways(inner)
                return no, yes
            case ast.BoolOp(op=operator, values=values):
                return self._joined(values, isinstance(operator, ast.And))
            case ast.Compare(left=asked, ops=[operator], comparators=[ast.Constant(value=None)]) if (
                self._is_it(asked)
            ):
                if isinstance(operator, ast.Is | ast.Eq):
                    return (True, False)
                return (False, True) if isinstance(operator, ast.IsNot | ast.NotEq) else _NEITHER
            case ast.Call(func=ast.Name(id="isinstance"), args=[asked, kind]) if self._is_it(asked):
                return _NEITHER if "None" in ast.unparse(kind) else (False, True)
        if self._is_it(test):
            return (False, True)
        return _NEITHER if self._is_used(test) or self._is_told(test) else _EITHER

    def _joined(self, values: list[ast.expr], going_on: bool) -> _Ways:
        """What several tests come to, of which each is made only where those before were as ``going_on``
        says: true for ``and``, false for ``or``."""
        ends = False
        for each in values:
            yes, no = self._ways(each)
            ends = ends or (no if going_on else yes)
            if not (yes if going_on else no):
                return (False, ends) if going_on else (ends, False)
        return (True, ends) if going_on else (ends, True)

    def _is_told(self, test: ast.expr) -> bool:
        return not names_in(test).isdisjoint(self._told)

    def _is_it(self, node: ast.expr) -> bool:
        """Whether an expression is what may be None."""
        match node:
            case ast.Name(id=name) | ast.NamedExpr(target=ast.Name(id=name)):
                return self._kept == Kept(name)
            case ast.Subscript():
                return self._is_entry(node)
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id=name), attr="get"), args=[ast.Constant(value=str(key))]
            ):
                return self._kept == Kept(name, key)
        return False

    def _is_entry(self, node: ast.Subscript) -> bool:
        match node:
            case ast.Subscript(value=ast.Name(id=name), slice=ast.Constant(value=str() | int() as key)):
                return self._kept == Kept(name, key)
        return False

    def _names(self, node: ast.AST) -> bool:
        return self._kept.name in names_in(node)

    def _is_used(self, node: ast.AST) -> bool:
        """Whether a statement or an expression does anything with it but to store or take another entry."""
        known = self._used.get(id(node))
        if known is None:
            known = self._used[id(node)] = self._reads(node)
        return known

    def _reads(self, node: ast.AST) -> bool:
        name, key = self._kept
        if name not in names_in(node):
            return False
        if key is None:
            return is_read(name, node, self._spared)
        apart = set(self._spared)
        for each in walk(node):
            match each:
                case ast.Subscript(value=ast.Name() as held, slice=ast.Constant(value=other)) if (
                    other != key or isinstance(each.ctx, ast.Store)
                ):
                    apart.add(id(held))
        return is_read(name, node, apart)


def _takes_all(case: ast.match_case) -> bool:
    return isinstance(case.pattern, ast.MatchAs) and case.pattern.pattern is None and case.guard is None
