"""What a loop over batches keeps of them from round to round, as it is written.

A name is followed through the body of the loop: what is a view of the batch (the same memory), and what is
put into a list or dict that the loop does not empty.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from typing import Final, NamedTuple

from dlint.source.nodes import names_in, walk
from dlint.source.statements import dotted, given_in, own_names, statements_in
from dlint.streams.batches.filled import Empties, is_emptied, is_let_go, joined_on, made_anew, trunk
from dlint.streams.batches.new_keys import AreNumbers, Keys
from dlint.streams.batches.put_by_helpers import GivenBack, Inside, Put, entry_of
from dlint.streams.batches.rounds import Tests, bounds, goes_on, stops
from dlint.streams.batches.treated import shows_holder
from dlint.streams.memory.held import Held
from dlint.streams.memory.known_keys import comes_out, speaks_of
from dlint.streams.memory.loops import as_list, stay, telling
from dlint.streams.memory.places import Named, Values, View, named
from dlint.streams.memory.transfer import Overwrites, bind, go_through, inner_blocks, nothing
from dlint.streams.memory.views import Callees

# Methods of a list and what they do with their argument: keep it, or what it gives when it is gone through.
_ADDS = {"append": False, "appendleft": False, "extend": True}
_PUTS = frozenset({*_ADDS, "insert", "update"})
# Where a call of a function of the project puts some of its arguments, every time.
PutsBy = Callable[[ast.Call, Held], list[Put]]
# What a call of a function of the project gives back that has a batch's memory.
Gives = Callable[[ast.Call, Held], GivenBack | None]


class Kept(NamedTuple):
    """What a round leaves behind: the expression, those of its parts that are views, where it goes, and
    whether it is gone through for that (``extend``); where it stands, should that be inside a function
    that the loop calls; and the function that gives it."""

    node: ast.expr
    views: tuple[View, ...]
    into: ast.expr | None
    gone_through: bool = False
    inside: Inside | None = None
    given_by: ast.FunctionDef | None = None


class _AnyTests:
    """Tests that let through whatever stands behind them."""

    def nearly_always(self, test: ast.expr, wanted: bool) -> bool:
        return False

    def lets_through(self, test: ast.expr, wanted: bool) -> bool:
        return True


_ANY: Final = _AnyTests()


def puts_nothing(_: ast.Call, __: Held) -> list[Put]:
    """What a call puts aside of which nobody asks what it does."""
    return []


def gives_nothing(_: ast.Call, __: Held) -> None:
    """What a call gives back of which nobody asks what it does."""


def kept_by(
    loop: ast.For,
    begun: Held,
    puts_by: PutsBy,
    gives: Gives,
    overwrites: Overwrites,
    empties: Empties,
    are_numbers: AreNumbers,
    tests: Tests,
    matters: Callable[[Kept], bool],
) -> list[Kept]:
    """What the body of a loop puts aside of the batches, in every round; ``begun`` is what has their memory
    where a round begins. What helpers do is asked only of what ``matters``, as far as it seems to be kept."""
    if not may_keep(loop, puts_by is not puts_nothing):
        return []
    # How tests come out is dear to ask: not of the many loops that keep nothing, or go through no loader.
    at_most = _Body(puts_by, gives, nothing, are_numbers, _ANY, loop)
    if not any(map(matters, at_most.kept(loop.body, begun.copy()))):
        return []
    if stops(loop.body, tests):
        return []
    first = _Body(puts_by, gives, nothing, are_numbers, tests, loop)
    found = list(first.kept(loop.body, begun.copy()))
    found = [kept for kept in found if matters(kept) and not is_emptied(loop, kept.into, empties)]
    if found:
        again = _Body(puts_by, gives, overwrites, are_numbers, tests, loop)
        still = again.kept(loop.body, begun.copy())
        into = {trunk(kept.into) for kept in found}
        found = [kept for kept in still if trunk(kept.into) in into]
    return found


def may_keep(loop: ast.For, helpers: bool) -> bool:
    """Whether the body of a loop has a statement that puts something aside, for all that its form says."""
    for statement in statements_in(loop.body):
        match statement:
            case ast.Expr(value=ast.Call(func=func)):
                if helpers or (isinstance(func, ast.Attribute) and func.attr in _PUTS):
                    return True
            case ast.AugAssign(op=ast.Add() | ast.BitOr()):
                return True
            case ast.Assign(targets=[ast.Subscript()]):
                return True
            case ast.Assign() if joined_on(statement):
                return True
    return False


def kept_by_comprehension(
    node: ast.ListComp | ast.SetComp | ast.DictComp, batch: ast.expr, callees: Callees, gives: Gives
) -> Iterator[Kept]:
    """What a list, set or dict is made of that goes through all batches at once."""
    if len(node.generators) != 1 or any(bounds(test) for test in node.generators[0].ifs):
        return
    each = node.value if isinstance(node, ast.DictComp) else node.elt
    held = Held(named(batch, Named(())), callees)
    found = held.views(each)
    given = gives(each, held) if isinstance(each, ast.Call) and not found else None
    kept = _of_call(each, None, given) if given is not None else None
    if found:
        yield Kept(each, tuple(found), None)
    elif kept is not None:
        yield kept


class _Body:
    """The body of one loop, statement by statement."""

    def __init__(
        self,
        puts_by: PutsBy,
        gives: Gives,
        overwrites: Overwrites,
        are_numbers: AreNumbers,
        tests: Tests,
        loop: ast.For,
    ) -> None:
        self._puts_by = puts_by
        self._gives = gives
        self._overwrites = overwrites
        self._tests = tests
        self._loop = loop
        self._keys = Keys(loop, are_numbers)
        # The lists that each round makes anew, and what was put into them.
        self._anew = made_anew(loop)
        self._lists: dict[str, View] = {}
        # Names that are put aside, and those that are changed; and of what functions have given back.
        self._put, self._changed = _names_put(loop)
        self._given: dict[str, GivenBack] = {}
        # The loops inside that tell the same things of each batch.
        self._told = [inner for inner in telling(loop).values() if stay(loop, inner)]

    def kept(self, block: list[ast.stmt], held: Held) -> Iterator[Kept]:
        """What a block keeps; ``held`` is what has a batch's memory, and is kept up to date."""
        for at, statement in enumerate(block):
            self._keys.learn(statement, held)
            if isinstance(statement, ast.For) and not stops(statement.body, self._tests):
                rounds = held.rounds(statement)
                for within in rounds:
                    yield from self.kept(statement.body, within)
                if not rounds and any(each is statement for inner in self._told for each in inner):
                    yield from self.kept(statement.body, held.copy())
            for put in self._put_aside(statement, held):
                found = _kept(put, held, self._lists) or self._kept_of_call(put, held)
                if found is not None and isinstance(put.into, ast.Name) and put.into.id in self._anew:
                    self._lists.setdefault(put.into.id, found.views[0])
                elif found is not None and not is_let_go(self._loop, put.into, statement):
                    yield found
            after = [held.copy() for _ in inner_blocks(statement)]
            for inside, known in zip(inner_blocks(statement), after, strict=True):
                if isinstance(statement, ast.If) and inside is statement.body:
                    of_key = held.where(statement.test)
                    if of_key is not None:
                        yield from self.kept(inside, of_key)
                if self._is_seldom(statement, inside is not getattr(statement, "orelse", None), held):
                    go_through(known, inside, self._overwrites)
                else:
                    some = known.copy()
                    if isinstance(statement, ast.If) and some.narrow():
                        yield from self.kept(inside, some)
                        go_through(known, inside, self._overwrites)
                    else:
                        yield from self.kept(inside, known)
            given = self._given_back(statement, held)
            bind(held, statement, self._overwrites)
            self._learn(statement, given, held)
            for known in after:
                held.meet(known)
            if goes_on(statement):
                held.narrow()
                if self._is_seldom(statement, False, held):
                    go_through(held, block[at + 1 :], self._overwrites)
                    return  # the rest is for some rounds only

    def _is_seldom(self, statement: ast.stmt, wanted: bool, held: Held) -> bool:
        """Whether the test of a branch comes out as ``wanted`` in some rounds only, or, about a key that is
        written out, does not do so, or may not."""
        if isinstance(statement, ast.If) and speaks_of(statement.test, held.written):
            return comes_out(statement.test, held.written) is not wanted
        return (
            isinstance(statement, ast.If)
            and bounds(statement.test)
            and not self._tests.lets_through(statement.test, wanted)
        )

    def _given_back(self, statement: ast.stmt, held: Held) -> GivenBack | None:
        """What a statement has a function of the project give back, should that be put aside later."""
        match statement:
            case ast.Assign(value=ast.Call() as call) if self._put & set(own_names(statement)):
                return self._gives(call, held)
        return None

    def _learn(self, statement: ast.stmt, given: GivenBack | None, held: Held) -> None:
        """Learn what names stand for that a statement gives to what a function gives back."""
        for name in own_names(statement):
            self._given.pop(name, None)
        match statement, given:
            case ast.Assign(targets=[target]), GivenBack(value=value):
                parts = [(target, value)]
                if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
                    parts = list(zip(target.elts, value.elts, strict=False))
                    if len(target.elts) != len(value.elts):
                        return
                held.entries.learn(given.held.entries)
                for part, source in parts:
                    view = given.held.view(source)
                    if isinstance(part, ast.Name) and view is not None:
                        held.names[part.id] = view.known
                    elif (
                        isinstance(part, ast.Name)
                        and part.id not in self._changed
                        and given.held.views(source)
                    ):
                        self._given[part.id] = given._replace(value=source)

    def _kept_of_call(self, put: Put, held: Held) -> Kept | None:
        """What is kept of what a function gives back, that is put somewhere as it is."""
        given: GivenBack | None = None
        if isinstance(put.given, ast.Call) and put.inside is None and not put.gone_through:
            given = self._gives(put.given, held)
        elif isinstance(put.given, ast.Name) and not put.gone_through:
            given = self._given.get(put.given.id)
        return _of_call(put.given, put.into, given) if given is not None else None

    def _put_aside(self, statement: ast.stmt, held: Held) -> Iterator[Put]:
        """What a statement puts where."""
        match statement:
            case ast.Expr(
                value=ast.Call(func=ast.Attribute(value=into, attr=method), args=[given], keywords=[])
            ) if method in _ADDS:
                yield Put(entry_of(into), given, _ADDS[method])
            case ast.Expr(
                value=ast.Call(func=ast.Attribute(value=into, attr="insert"), args=[_, given], keywords=[])
            ):
                yield Put(entry_of(into), given, False)
            case ast.AugAssign(target=ast.Name() | ast.Attribute() as into, op=ast.Add(), value=given):
                yield Put(into, given, True)
            case ast.Assign(targets=[ast.Name() | ast.Attribute() as into]) if added := joined_on(statement):
                for each, is_gone_through in added:
                    yield Put(into, each, is_gone_through)
            case ast.Assign(targets=[ast.Subscript(value=into, slice=key)], value=given) if (
                self._keys.are_new(key, held)
            ):
                yield Put(into, given, False)
            case ast.Expr(
                value=ast.Call(
                    func=ast.Attribute(value=into, attr="update"),
                    args=[ast.DictComp(key=key, generators=[generator]) as given],
                    keywords=[],
                )
            ) if self._keys.are_new(key, held.inside(generator)):
                yield Put(into, given, False)
            case ast.AugAssign(
                target=ast.Name() as into,
                op=ast.BitOr(),
                value=ast.DictComp(key=key, generators=[generator]) as given,
            ) if self._keys.are_new(key, held.inside(generator)):
                yield Put(into, given, False)
            case ast.Expr(value=ast.Call() as call):
                told = given_in(call)
                if any(held.views(each) for each in told):
                    yield from self._puts_by(call, held)


def _of_call(node: ast.expr, into: ast.expr | None, given: GivenBack) -> Kept | None:
    """What is kept of what a function gives back: none of a dict's values that may be anything."""
    views = [view for view in given.views if not _is_dim(view) and given.held.entries.whole(view)]
    return Kept(node, tuple(views), into, given_by=given.function) if views else None


def _names_put(loop: ast.For) -> tuple[set[str], set[str]]:
    """The names in what the body of a loop puts aside or tells others, and those that it changes parts of."""
    put: set[str] = set()
    changed: set[str] = set()
    for node in walk(loop):
        match node:
            case ast.Expr(value=ast.Call() as call):
                put |= {name for given in given_in(call) for name in names_in(given)}
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name))):
                changed.add(name)
            case ast.AugAssign(value=given) | ast.Assign(targets=[ast.Subscript()], value=given):
                put |= names_in(given)
            case ast.Subscript(value=ast.Name(id=name), ctx=ast.Store() | ast.Del()):
                changed.add(name)
    return put, changed


def _kept(put: Put, held: Held, lists: Mapping[str, View]) -> Kept | None:
    """What is kept of what is put somewhere, None where that is nothing of a batch; ``lists`` are lists of
    views."""
    into, given, gone_through, inside = put
    if inside is not None:
        held, lists = inside.held, {}
    if gone_through and isinstance(given, ast.Call) and dotted(given.func) in ("list", "tuple"):
        given = given.args[0] if len(given.args) == 1 else given
    if gone_through:
        match given:
            case ast.List(elts=[ast.Starred(value=each)]) | ast.Tuple(elts=[ast.Starred(value=each)]):
                given = each
        given = as_list(given)
    if isinstance(given, ast.Name) and given.id in lists:
        return Kept(given, (lists[given.id]._replace(node=given, is_list=True),), into, gone_through)
    views = [held.entries.left_of(view) for view in held.views(given)]
    found = [view for view in views if view is not None and not _is_dim(view)]
    if gone_through:
        # What a display holds is put there itself.
        found = [
            view.rows() if view.node is given and view.known.is_array is not False else view for view in found
        ]
    spread = gone_through and any(view.node is given for view in found)
    return Kept(given, tuple(found), into, spread, inside) if found else None


def _is_dim(view: View) -> bool:
    """Whether a view is one of some of a dict's values, and does not itself show that it is a tensor."""
    return view.known.place is not None and Values.SOME in view.known.place and not shows_holder(view)
