"""What a loop over batches keeps of them from round to round, as it is written.

A name is followed through the body of the loop: what is a view of the batch (the same memory), and what is
put into a list or dict that the loop does not empty.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from dlint.knowledge.parts import tells_items_apart
from dlint.source.nodes import children, walk
from dlint.source.statements import blocks, dotted, expressions, own_names, statements_in
from dlint.streams.batches.loops import each_gone_through, stay, telling
from dlint.streams.batches.put_by_helpers import EMPTIES, LEAVES_FULL, GivenBack, Inside, Put, entry_of
from dlint.streams.batches.treated import shows_holder
from dlint.streams.batches.views import (
    Callees,
    Held,
    Named,
    Overwrites,
    Place,
    Values,
    View,
    as_list,
    inner_blocks,
    named,
    nothing,
)

# Methods of a list and what they do with their argument: keep it, or what it gives when it is gone through.
_ADDS = {"append": False, "appendleft": False, "extend": True}
_PUTS = frozenset({*_ADDS, "insert", "update"})
_FORWARDS = frozenset({"tqdm", "track", "iter", "enumerate"})
_SOME = frozenset({"islice", "zip", "chain", "cycle", "map", "filter", "takewhile"})
_BOUNDS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq)
# Where a call of a function of the project puts some of its arguments, every time.
PutsBy = Callable[[ast.Call, Held], list[Put]]
# What a call of a function of the project gives back that has a batch's memory.
Gives = Callable[[ast.Call, Held], GivenBack | None]
# Which of its arguments a call of a function of the project empties.
Empties = Callable[[ast.Call], list[ast.expr]]
# Whether what stands at a place of the batches are the numbers of the items.
AreNumbers = Callable[[Place], bool]


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


def puts_nothing(_: ast.Call, __: Held) -> list[Put]:
    """What a call puts aside of which nobody asks what it does."""
    return []


def gives_nothing(_: ast.Call, __: Held) -> None:
    """What a call gives back of which nobody asks what it does."""


def kept_by(
    loop: ast.For,
    batch: ast.expr,
    callees: Callees,
    puts_by: PutsBy,
    gives: Gives,
    overwrites: Overwrites,
    empties: Empties,
    are_numbers: AreNumbers,
    matters: Callable[[Kept], bool],
) -> list[Kept]:
    """What the body of a loop puts aside of the batches, in every round; what helpers do is asked only of
    what ``matters``, as far as it seems to be kept."""
    if not _may_keep(loop, puts_by is not puts_nothing) or _stops(loop.body):
        return []
    first = _Body(puts_by, gives, nothing, are_numbers, loop)
    found = list(first.kept(loop.body, Held(named(batch, Named(())), (), callees)))
    found = [kept for kept in found if matters(kept) and not _is_emptied(loop, kept.into, empties)]
    if found:
        again = _Body(puts_by, gives, overwrites, are_numbers, loop)
        still = again.kept(loop.body, Held(named(batch, Named(())), (), callees))
        into = {_trunk(kept.into) for kept in found}
        found = [kept for kept in still if _trunk(kept.into) in into]
    return found


def _may_keep(loop: ast.For, helpers: bool) -> bool:
    """Whether the body of a loop has a statement that puts something aside, for all that its form says."""
    for statement in statements_in(loop.body):
        match statement:
            case ast.Expr(value=ast.Call(func=func)):
                if helpers or (isinstance(func, ast.Attribute) and func.attr in _PUTS):
                    return True
            case ast.AugAssign(op=ast.Add()):
                return True
            case ast.Assign(targets=[ast.Subscript()]):
                return True
            case ast.Assign() if _added(statement) is not None:
                return True
    return False


def _is_emptied(loop: ast.For, into: ast.expr | None, empties: Empties) -> bool:
    """Whether a function that the loop calls empties what it fills: ``flush(kept)``."""
    path, _ = _trunk(into)
    renewed = {path, path.rpartition(".")[0]} if path is not None else set()
    for node in walk(loop):
        if isinstance(node, ast.Call):
            given = [*node.args, *(keyword.value for keyword in node.keywords)]
            if isinstance(node.func, ast.Attribute):
                given.append(node.func.value)
            owns = isinstance(node.func, ast.Attribute) and _owns(node.func.value, path)
            if (owns or any(_trunk(each)[0] in renewed for each in given)) and any(
                _trunk(each)[0] in renewed for each in empties(node)
            ):
                return True
    return False


def _owns(owner: ast.expr, path: str | None) -> bool:
    """Whether what fills up belongs to something that an object holds: ``self``, of ``self.meter.rows``."""
    name = dotted(owner)
    return name is not None and path is not None and path.startswith(f"{name}.")


def kept_by_comprehension(
    node: ast.ListComp | ast.SetComp | ast.DictComp, batch: ast.expr, callees: Callees, gives: Gives
) -> Iterator[Kept]:
    """What a list, set or dict is made of that goes through all batches at once."""
    if len(node.generators) != 1 or any(_bounds(test) for test in node.generators[0].ifs):
        return
    each = node.value if isinstance(node, ast.DictComp) else node.elt
    held = Held(named(batch, Named(())), (), callees)
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
        loop: ast.For,
    ) -> None:
        self._puts_by = puts_by
        self._gives = gives
        self._overwrites = overwrites
        self._are_numbers = are_numbers
        self._loop = loop
        self._counters = _counters(loop)
        # Names of numbers, with the parts of the batch that they were read of.
        self._numbers: dict[str, View] = {}
        # The lists that each round makes anew, and what was put into them.
        self._anew = _made_anew(loop)
        self._lists: dict[str, View] = {}
        # Names that are put aside, and those that are changed; and of what functions have given back.
        self._put, self._changed = _names_put(loop)
        self._given: dict[str, GivenBack] = {}
        # The loops inside that tell the same things of each batch.
        self._told = [inner for inner in telling(loop).values() if stay(loop, inner)]

    def kept(self, block: list[ast.stmt], held: Held) -> Iterator[Kept]:
        """What a block keeps; ``held`` is what has a batch's memory, and is kept up to date."""
        for at, statement in enumerate(block):
            self._number(statement, held)
            if isinstance(statement, ast.For) and not _stops(statement.body):
                within = held.within(statement)
                if within is not None:
                    yield from self.kept(statement.body, within)
                elif any(each is statement for inner in self._told for each in inner):
                    yield from self.kept(statement.body, held.copy())
            for put in self._put_aside(statement, held):
                found = _kept(put, held, self._lists) or self._kept_of_call(put, held)
                if found is not None and isinstance(put.into, ast.Name) and put.into.id in self._anew:
                    self._lists.setdefault(put.into.id, found.views[0])
                elif found is not None and not self._is_let_go(put.into, statement):
                    yield found
            seldom = isinstance(statement, ast.If) and _bounds(statement.test)
            after = [held.copy() for _ in inner_blocks(statement)]
            for inside, known in zip(inner_blocks(statement), after, strict=True):
                if seldom:
                    known.go_through(inside, self._overwrites)
                else:
                    some = known.copy()
                    if isinstance(statement, ast.If) and some.narrow():
                        yield from self.kept(inside, some)
                        known.go_through(inside, self._overwrites)
                    else:
                        yield from self.kept(inside, known)
            given = self._given_back(statement, held)
            held.bind(statement, self._overwrites)
            self._learn(statement, given, held)
            for known in after:
                held.meet(known)
            if _goes_on(statement):
                held.narrow()
                if seldom:
                    held.go_through(block[at + 1 :], self._overwrites)
                    return  # the rest is for some rounds only

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
                held.learn(given.held)
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
            case ast.Assign(targets=[ast.Name() | ast.Attribute() as into]) if (
                added := _added(statement)
            ) is not None:
                yield Put(into, added, True)
            case ast.Assign(targets=[ast.Subscript(value=into, slice=key)], value=given) if self._is_new(
                key, held
            ):
                yield Put(into, given, False)
            case ast.Expr(
                value=ast.Call(
                    func=ast.Attribute(value=into, attr="update"),
                    args=[ast.DictComp(key=key, generators=[generator]) as given],
                    keywords=[],
                )
            ) if self._is_new(key, held.inside(generator)):
                yield Put(into, given, False)
            case ast.Expr(value=ast.Call() as call):
                told = [*call.args, *(keyword.value for keyword in call.keywords)]
                if (len(told) == 1 and not isinstance(call.func, ast.Attribute)) or all(
                    not held.views(each) for each in told
                ):
                    return
                yield from self._puts_by(call, held)

    def _is_new(self, key: ast.expr, held: Held) -> bool:
        """Whether a key surely is another one in each round: it is, or has in it, what counts the rounds, a
        part of the batch itself or the number of one that is called as what tells items apart
        (``image_id.item()``), or that the dataset gives as such. What else is worked out from one (a label's
        number) may come again, and what is left of a division (``step % 20``) does.
        """
        if isinstance(key, ast.BinOp) and isinstance(key.op, ast.Mod | ast.FloorDiv):
            return isinstance(key.left, ast.Constant) and isinstance(key.left.value, str)
        if isinstance(key, ast.Name):
            if key.id in self._counters or key.id in held.names:
                return True
            number = self._numbers.get(key.id)
        else:
            number = _number_of(key, held)
        if number is not None:
            place = number.known.place
            return tells_items_apart(_called(number.node)) or (place is not None and self._are_numbers(place))
        return not isinstance(key, ast.Call | ast.Subscript | ast.Slice) and any(
            self._is_new(each, held) for each in children(key) if isinstance(each, ast.expr)
        )

    def _number(self, statement: ast.stmt, held: Held) -> None:
        """Learn which names a statement gives to numbers of the batch."""
        given: list[tuple[ast.expr, ast.expr]] = []
        match statement:
            case ast.Assign(targets=[target], value=value):
                given = [(target, value)]
            case ast.For(target=target, iter=through):
                given = list(each_gone_through(target, through))
        for name in own_names(statement):
            self._numbers.pop(name, None)
        for part, source in given:
            number = _number_of(source, held) if isinstance(part, ast.Name) else None
            if isinstance(part, ast.Name) and number is not None:
                self._numbers[part.id] = number

    def _is_let_go(self, into: ast.expr | None, by: ast.stmt) -> bool:
        """Whether the loop empties what it fills, or makes it anew, other than where that gets its first."""
        path, entries = _trunk(into)
        if path is None:
            return True
        renewed = {path, path.rpartition(".")[0]}

        def is_filled(node: ast.expr) -> bool:
            other, _ = _trunk(node) if entries else (_path(node), False)
            return other == path or (entries and other is not None and other.startswith(f"{path}."))

        for statement in (each for each in walk(self._loop) if isinstance(each, ast.stmt)):
            if entries and statement is not by and _is_first(statement, self._loop, path):
                continue
            for node in (each for expression in expressions(statement) for each in walk(expression)):
                match node:
                    case ast.Call(func=ast.Attribute(value=held, attr=method)) if method not in LEAVES_FULL:
                        if method == "update" and statement is by:
                            continue
                        if is_filled(held) or (method in EMPTIES and _path(held) in renewed):
                            return True
            match statement:
                case ast.Assign() if _added(statement) is not None:
                    pass
                case ast.Delete(targets=targets) | ast.Assign(targets=targets):
                    for part in (part for target in targets for part in _single(target)):
                        if _whole(part) in renewed or (entries and statement is not by and is_filled(part)):
                            return True
        return False


def _added(statement: ast.Assign) -> ast.expr | None:
    """What a statement adds to a list by making a longer one of both: ``kept = kept + [y]``."""
    match statement:
        case ast.Assign(targets=[target], value=ast.BinOp(left=left, op=ast.Add(), right=right)):
            path = dotted(target)
            if path is not None and path in (dotted(left), dotted(right)):
                return right if dotted(left) == path else left
    return None


def _is_first(statement: ast.stmt, loop: ast.For, path: str) -> bool:
    """Whether a statement gives a dict an entry that it has not: ``if key not in held: held[key] = []``."""
    return any(
        isinstance(test, ast.Compare)
        and isinstance(test.ops[0], ast.NotIn)
        and _path(test.comparators[0]) == path
        and any(statement is inside for inside in each.body)
        for each in walk(loop)
        if isinstance(each, ast.If)
        for test in [each.test]
    )


def _made_anew(loop: ast.For) -> frozenset[str]:
    """The names of empty lists that every round of a loop begins with, and that nothing else is given to or
    taken out of."""
    made = {
        target.id
        for each in loop.body
        if isinstance(each, ast.Assign) and isinstance(each.value, ast.List) and not each.value.elts
        for target in each.targets
        if isinstance(target, ast.Name)
    }
    if made:
        bound = [name for each in walk(loop) if isinstance(each, ast.stmt) for name in own_names(each)]
        made = {name for name in made if bound.count(name) == 1}
    for node in walk(loop) if made else ():
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=method)) if method in EMPTIES:
                made.discard(name)
            case ast.Subscript(value=ast.Name(id=name), ctx=ast.Store() | ast.Del()):
                made.discard(name)
    return frozenset(made)


def _of_call(node: ast.expr, into: ast.expr | None, given: GivenBack) -> Kept | None:
    """What is kept of what a function gives back: none of a dict's values that may be anything."""
    views = [view for view in given.views if not _is_dim(view) and given.held.whole(view)]
    return Kept(node, tuple(views), into, given_by=given.function) if views else None


def _names_put(loop: ast.For) -> tuple[set[str], set[str]]:
    """The names in what the body of a loop puts aside or tells others, and those that it changes parts of."""
    put: set[str] = set()
    changed: set[str] = set()
    for node in walk(loop):
        match node:
            case ast.Expr(value=ast.Call(args=args, keywords=keywords)):
                told = [*args, *(keyword.value for keyword in keywords)]
                put |= {each.id for arg in told for each in walk(arg) if isinstance(each, ast.Name)}
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name))):
                changed.add(name)
            case ast.AugAssign(value=given) | ast.Assign(targets=[ast.Subscript()], value=given):
                put |= {each.id for each in walk(given) if isinstance(each, ast.Name)}
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
    views = [held.left_of(view) for view in held.views(given)]
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


def _number_of(node: ast.expr, held: Held) -> View | None:
    """The part of a batch of which an expression is the number, or the numbers."""
    match node:
        case ast.Call(func=ast.Attribute(value=part, attr="item" | "tolist"), args=[]):
            pass
        case ast.Call(func=ast.Name(id="int" | "str"), args=[part]):
            number = _number_of(part, held)
            if number is not None:
                return number
        case ast.Subscript(value=part, slice=ast.Constant(value=int())):
            return _number_of(part, held)
        case _:
            return None
    return held.view(part)


def _called(node: ast.expr) -> str:
    """What something is called: by its variable, attribute or key."""
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case ast.Subscript(slice=ast.Constant(value=str(name))):
            return name
        case ast.Subscript(value=whole) | ast.Call(func=ast.Attribute(value=whole)):
            return _called(whole)
    return ""


def _counters(loop: ast.For) -> frozenset[str]:
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


def _single(target: ast.expr) -> Iterator[ast.expr]:
    """The targets in a target."""
    if isinstance(target, ast.Tuple | ast.List):
        for part in target.elts:
            yield from _single(part)
    else:
        yield target


def _whole(target: ast.expr) -> str | None:
    """What a target sets or deletes as a whole: a variable, or all or many of its entries (``kept[:]``)."""
    match target:
        case ast.Subscript(value=held, slice=ast.Slice()):
            return _path(held)
    return _path(target)


def _path(node: ast.expr | None) -> str | None:
    """What fills up, as one text: a variable, an attribute, an entry of either with a known key."""
    match node:
        case ast.Subscript(value=base, slice=ast.Constant(value=str(key))):
            below = _path(base)
            return f"{below}.{key}" if below is not None else None
        case None:
            return None
    return dotted(node)


def _trunk(node: ast.expr | None) -> tuple[str | None, bool]:
    """What fills up, as one text, and whether that is some entry of it: ``res[key]`` is one of ``res``."""
    entries = False
    while isinstance(node, ast.Subscript) and not (
        isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str)
    ):
        entries, node = True, node.value
    return _path(node), entries


def _stops(body: list[ast.stmt]) -> bool:
    """Whether a loop may end before its last round."""
    return any(
        isinstance(each, ast.Break | ast.Return)
        or (
            not isinstance(each, ast.For | ast.AsyncFor | ast.While)
            and any(_stops(inner) for _, inner, _ in blocks(each))
        )
        or (
            isinstance(each, ast.For | ast.While) and any(isinstance(node, ast.Return) for node in walk(each))
        )
        for each in body
    )


def _goes_on(statement: ast.stmt) -> bool:
    """Whether a branch goes on to the next round, or leaves the loop."""
    return isinstance(statement, ast.If) and isinstance(statement.body[-1], ast.Continue | ast.Break)


def _bounds(test: ast.expr) -> bool:
    """Whether a test may let only some rounds through: one that counts or compares."""
    return any(
        isinstance(node, ast.Mod) or (isinstance(node, ast.Compare) and isinstance(node.ops[0], _BOUNDS))
        for node in walk(test)
    ) or isinstance(test, ast.UnaryOp | ast.Call)
