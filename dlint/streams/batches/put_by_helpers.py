"""Functions that put what they are given, or parts of it, into a list or dict that they are given as well,
or that their module has, and methods that put it into one of their object's, or hand it on to what does; and
what functions give."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Set
from functools import partial
from typing import NamedTuple, Protocol

from dlint.knowledge.tensors import is_view
from dlint.source.module import Module
from dlint.source.nodes import walk
from dlint.source.statements import blocks, dotted, given_in, own_names, parameters, statements_in
from dlint.streams.memory.emptied import empties, leaves
from dlint.streams.memory.held import Held
from dlint.streams.memory.loops import as_list, called_on, stay, telling
from dlint.streams.memory.places import Named, View
from dlint.streams.memory.transfer import go_through
from dlint.streams.memory.views import Callees
from dlint.values.values import Function, Key, Value

# So long a function does something else as well.
_LONGEST = 16


class Asked(Callees, Protocol):
    """What is asked of the code around a statement of a function that is called."""

    @property
    def module(self) -> Module: ...

    def values(self, node: ast.expr) -> list[Value]:
        """What an expression may be there."""

    def puts_by(self, call: ast.Call, held: Held) -> list[Put]:
        """Where a call of a function of the project puts some of its arguments."""

    def joins(self, into: ast.expr, *, by_method: bool) -> bool:
        """Whether what a list holds is joined, which only tensors can be."""

    def overwrites(self, call: ast.Call) -> list[tuple[ast.expr, object]]:
        """The arguments of which a call overwrites entries, and the keys."""

    def is_method(self, callee: ast.Attribute) -> bool:
        """Whether what is called may be a method of an object, and is no object that it holds."""

    def lasts(self, name: str) -> bool:
        """Whether a name, as a function that is called has it, is one of the module, or of the function
        around both, and nobody empties what it stands for."""

    def once(self, mark: Key, make: Callable[[], ast.expr]) -> ast.expr:
        """An expression that is made up, the same each time that it is asked for."""


class GivenBack(NamedTuple):
    """What a call of a function gives back, every time, what has a batch's memory there, and the function."""

    value: ast.expr
    held: Held
    function: ast.FunctionDef

    @property
    def views(self) -> list[View]:
        """The parts of it that have a batch's memory."""
        return self.held.views(self.value)


class Inside(NamedTuple):
    """Where in a function that is called something is put aside: the function, what has a batch's memory
    there, and where it goes, as it is written there."""

    spot: Asked
    function: ast.FunctionDef
    held: Held
    into: ast.expr


class Put(NamedTuple):
    """Where something is put, what that is, and whether it is gone through for that (``extend``); and where
    what it is stands, should that be inside a function that is called."""

    into: ast.expr
    given: ast.expr
    gone_through: bool
    inside: Inside | None = None


def entry_of(into: ast.expr) -> ast.expr:
    """Where something goes, ``held.setdefault(key, [])`` as the entry that it is: ``held[key]``."""
    match into:
        case ast.Call(
            func=ast.Attribute(value=held, attr="setdefault"),
            args=[key, ast.List(elts=[]) | ast.Call(func=ast.Name(id="list" | "deque"), args=[])],
            keywords=[],
        ):
            return ast.copy_location(ast.Subscript(held, key, ast.Load()), into)
    return into


def put_by(
    function: ast.FunctionDef, call: ast.Call, given: Mapping[str, ast.expr], held: Held | None, spot: Asked
) -> list[Put]:
    """Where a call of a function puts some of its arguments, or parts of them, every time; ``given`` are the
    arguments by the names of their parameters, ``held`` is what has a batch's memory at the call (None: any
    argument may). What is put there as it was given stands at the call, all else in the function. Nothing
    where that is not all that it does."""
    statements = list(statements_in(function.body))
    if len(statements) > _LONGEST or empties(function):
        return []
    bound = {name for each in statements for name in own_names(each)}
    there = _told(call, given, held, spot)
    found: dict[object, Put] = {}
    for put, by in list(_puts(function, function.body, there, spot)):
        root = _root(put.into)
        if root in bound or _is_renewed(put.into, statements, by, spot):
            continue
        if root not in given and not spot.lasts(root):
            continue
        into = spot.once((put_by, id(call), id(put.into)), partial(as_outside, put.into, given))
        # What another function puts aside stands at its call.
        is_own = isinstance(by.func, ast.Attribute) and by.func.attr in ("append", "extend")
        name = _as_given(put) if is_own else None
        values = put.inside.held.values if put.inside is not None else {}
        if any(isinstance(each, ast.Name) and each.id in values for each in walk(put.given)):
            # Each of what a dict or the keywords hold: one of them says nothing of the others.
            for view in values.get(name or "", ()):
                found[id(view.node)] = Put(into, view.node, put.gone_through)
        elif (
            name is not None and name not in bound and any(given.get(name) is each for each in given_in(call))
        ):
            found.setdefault(name, Put(into, given[name], put.gone_through))
        else:
            key = tuple(put.inside.held.written.items()) if put.inside is not None else ()
            found[(id(put.given), key)] = put._replace(into=into)
    return list(found.values())


def _told(call: ast.Call, given: Mapping[str, ast.expr], held: Held | None, spot: Asked) -> Held:
    """What has a batch's memory in a function that is called."""
    if held is not None:
        return held.when_called(given, spot)
    of = (called_on(call.func), call.func)  # an object is called itself
    return Held(((name, Named(())) for name, each in given.items() if each not in of), spot)


def as_outside(into: ast.expr, given: Mapping[str, ast.expr]) -> ast.expr:
    """Where something goes, as the caller would write it."""
    match into:
        case ast.Name(id=name):
            return given.get(name, into)
        case ast.Attribute(value=below, attr=attribute):
            made: ast.expr = ast.Attribute(as_outside(below, given), attribute, ast.Load())
        case ast.Subscript(value=below, slice=key):
            at = given.get(key.id, key) if isinstance(key, ast.Name) else key
            made = ast.Subscript(as_outside(below, given), at, ast.Load())
        case _:
            return into
    return ast.copy_location(made, into)


def _is_renewed(into: ast.expr, statements: list[ast.stmt], by: ast.Call, spot: Asked) -> bool:
    """Whether a function binds the attribute into which it puts something, or calls other methods of that, or
    of what it is of, that may."""
    if isinstance(into, ast.Subscript) and _binds_entry(statements):
        return True
    while isinstance(into, ast.Subscript):
        into = into.value
    owners: set[str] = set()
    names: set[str] = set()
    while isinstance(into, ast.Attribute):
        path, into = dotted(into), into.value
        if path is None or any(path in own_names(each) for each in statements):
            return True
        owners.add(dotted(into) or "")
        names.add(path.partition(".")[2])
    return any(
        isinstance(node, ast.Call)
        and node is not by
        and isinstance(node.func, ast.Attribute)
        and dotted(node.func.value) in owners
        and spot.is_method(node.func)
        and not (dotted(node.func.value) == dotted(into) and _leave_as_it_is(spot.values(node.func), names))
        for each in statements
        for node in walk(each)
    )


def _leave_as_it_is(methods: list[Value], names: Set[str]) -> bool:
    """Whether methods of an object surely leave attributes of it as they are: they empty nothing, give these
    nothing else, and neither call others of the object nor tell anybody of it."""
    return bool(methods) and all(
        isinstance(each, Function) and isinstance(each.node, ast.FunctionDef) and leaves(each.node, names)
        for each in methods
    )


def given_back(
    function: ast.FunctionDef, call: ast.Call, given: Mapping[str, ast.expr], held: Held, spot: Asked
) -> GivenBack | None:
    """What a call of a function gives back, where it has but one end; ``given`` are its arguments by the
    names of their parameters, ``held`` is what has a batch's memory at the call."""
    match function.body:
        case [*before, ast.Return(value=ast.expr() as value)] if len(before) <= _LONGEST:
            ends = (ast.Return, ast.Raise)
            nodes = (node for each in function.body for node in walk(each))
            if any(isinstance(each, ends) for each in statements_in(before)) or any(
                isinstance(node, ast.Yield | ast.YieldFrom) for node in nodes
            ):
                return None
            there = _told(call, given, held, spot)
            go_through(there, before, spot.overwrites)
            return GivenBack(value, there, function)
    return None


def _binds_entry(statements: list[ast.stmt]) -> bool:
    """Whether statements give an entry of something another value than the list that it begins with."""
    begins = {
        id(each)
        for statement in statements
        if isinstance(statement, ast.If) and isinstance(statement.test, ast.Compare)
        if isinstance(statement.test.ops[0], ast.In | ast.NotIn)
        for each in (*statement.body, *statement.orelse)
        if isinstance(each, ast.Assign) and isinstance(each.value, ast.List | ast.Call)
    }
    return any(
        isinstance(each, ast.Assign)
        and id(each) not in begins
        and any(isinstance(target, ast.Subscript) for target in each.targets)
        for each in statements
    )


def _puts(
    function: ast.FunctionDef, block: list[ast.stmt], held: Held, spot: Asked
) -> Iterator[tuple[Put, ast.Call]]:
    """What a block of a function puts where, and by which call, where it hangs on nothing but whether there
    is a list yet; ``held`` is kept up to date."""
    for statement in block:
        match statement:
            case ast.Expr(
                value=ast.Call(
                    func=ast.Attribute(value=into, attr="append" | "extend" as how), args=[given], keywords=[]
                ) as call
            ):
                if held.views(as_list(given) if how == "extend" else given):
                    entry = spot.once((entry_of, id(into)), partial(entry_of, into))
                    yield (
                        Put(entry, given, how == "extend", Inside(spot, function, held.copy(), entry)),
                        call,
                    )
            case ast.Expr(value=ast.Call() as handed):
                for put in _handed_on(function, handed, held, spot):
                    yield put, handed
            case ast.For(target=ast.Name(id=name), iter=through) if _tells_all(function, statement):
                for each in statement.body:
                    if not (isinstance(each, ast.Expr) and isinstance(each.value, ast.Call)):
                        continue
                    for put in _handed_on(function, each.value, held, spot):
                        if _root(put.into) == name:
                            mark = (_tells_all, id(statement), id(put.into))
                            of = spot.once(mark, partial(as_outside, put.into, {name: through}))
                            yield put._replace(into=of), each.value
            case ast.For() if not any(
                isinstance(each, ast.Break | ast.Continue) for each in statements_in(statement.body)
            ):
                for within in held.rounds(statement):
                    yield from _puts(function, statement.body, within, spot)
            case ast.If(test=test) if _asks_for_entry(test, {each.arg for each in parameters(function)}):
                for _, inside, _ in blocks(statement):
                    yield from _puts(function, inside, held.copy(), spot)
            case ast.With():
                yield from _puts(function, statement.body, held.copy(), spot)
        if any(isinstance(each, ast.Return | ast.Raise) for each in statements_in([statement])):
            return
        go_through(held, [statement], spot.overwrites)


def _handed_on(function: ast.FunctionDef, call: ast.Call, held: Held, spot: Asked) -> Iterator[Put]:
    """What a call inside a function puts where, of what has a batch's memory there."""
    if any(held.views(each) for each in given_in(call)):
        for put in spot.puts_by(call, held):
            here = Inside(spot, function, held.copy(), put.into)
            yield put if put.inside is not None else put._replace(inside=here)


def _tells_all(function: ast.FunctionDef, loop: ast.For) -> bool:
    """Whether a loop does nothing but call methods of each of the things that an object holds: callbacks."""
    return any(
        loop in loops and dotted(loop.iter) is not None and stay(function, loops)
        for loops in telling(function).values()
    )


def _asks_for_entry(test: ast.expr, names: Set[str]) -> bool:
    """Whether a test asks whether a dict that was given has a key: ``key in held.keys()``."""
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return _asks_for_entry(operand, names)
        case ast.Compare(ops=[ast.In() | ast.NotIn()], comparators=[held]):
            if (
                isinstance(held, ast.Call)
                and isinstance(held.func, ast.Attribute)
                and held.func.attr == "keys"
            ):
                held = held.func.value
            return dotted(held) in names
    return False


def _as_given(put: Put) -> str | None:
    """The name of which something that is put aside is a view, and no part: ``y.detach().cpu()``."""
    assert put.inside is not None
    view, node = put.inside.held.view(put.given), put.given
    if isinstance(node, ast.Name) and node.id in put.inside.held.displays:
        return node.id
    if view is None or view.known.casts or (put.gone_through and _gives_array(node)):
        return None
    while not isinstance(node, ast.Name):
        match node:
            case (
                ast.Call(func=ast.Attribute(value=node, attr=name)) | ast.Attribute(value=node, attr=name)
            ) if is_view(name) or name == "to":
                pass
            case _:
                return None
    return node.id


def _gives_array(node: ast.expr) -> bool:
    """Whether an expression gives NumPy's array: by its last step that is no other view."""
    for each in walk(node):
        match each:
            case ast.Call(func=ast.Attribute(attr="numpy" | "asarray") | ast.Name(id="asarray")):
                return True
    return False


def _root(into: ast.expr) -> str:
    """The name that an entry is of, or an attribute."""
    while isinstance(into, ast.Subscript | ast.Attribute):
        into = into.value
    return into.id if isinstance(into, ast.Name) else ""
