"""The names of a function that stand for an item: its number, and what was read for it."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Set

from dlint.source.nodes import children, is_text, names_in, walk
from dlint.source.statements import as_try, blocks, own_names, parameters, statements_in
from dlint.values.frame import Arguments, Frame

_NUMERIC = frozenset({"int", "len", "max", "min", "divmod"})
_ABOUT_NUMBERS = _NUMERIC | {"isinstance", "type"}
# Methods that put one thing into a list, or all of one.
_ADD = frozenset({"append", "appendleft", "add", "insert"})
_ADD_ALL = frozenset({"extend", "update"})


def concerns(test: ast.expr, index: frozenset[str], read: frozenset[str]) -> bool:
    """Whether a test is about what was read for the item; comparing the index with the length is not."""
    for node in walk(test):
        if isinstance(node, ast.Name) and node.id in read:
            return True
        if (
            isinstance(node, ast.Call | ast.Subscript)
            and mentions(node, index)
            and not _is_about_number(node)
        ):
            return True
    return False


def _is_about_number(node: ast.Call | ast.Subscript) -> bool:
    """Whether a call asks about the number that it is given, and not about the item."""
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _ABOUT_NUMBERS


def settled(function: ast.FunctionDef) -> frozenset[str]:
    """The variables that are the item's number, lengths and settings, or are worked out from them alone."""
    bindings: dict[str, list[ast.stmt]] = {}
    for statement in statements_in(function.body):
        for name in own_names(statement):
            bindings.setdefault(name, []).append(statement)
    found = set(bindings)
    while True:
        others = bindings.keys() - found
        gone = {
            name
            for name in found
            if not all(isinstance(s, ast.Assign) and _is_setting(s.value, others) for s in bindings[name])
        }
        if not gone:
            return frozenset(found)
        found -= gone


def _is_setting(value: ast.expr, others: Set[str]) -> bool:
    return not mentions(value, others) and all(
        isinstance(node.func, ast.Name) and node.func.id in _NUMERIC | {"getattr"}
        if isinstance(node, ast.Call)
        else not isinstance(node, ast.Subscript)
        for node in walk(value)
    )


def mentions(node: ast.AST, names: Set[str]) -> bool:
    """Whether an expression has one of some names in it."""
    return not names_in(node).isdisjoint(names)


def is_index(node: ast.AST, index: Set[str]) -> bool:
    """Whether an expression is the item's number, or only counts with it; a text with it names a thing."""
    return mentions(node, index) and all(
        isinstance(inner.func, ast.Name) and inner.func.id in _NUMERIC
        if isinstance(inner, ast.Call)
        else not isinstance(inner, ast.Subscript | ast.JoinedStr) and not is_text(inner)
        for inner in walk(node)
    )


def index_names(function: ast.FunctionDef) -> frozenset[str]:
    """The parameters of a ``__getitem__`` and the variables that are worked out from them alone."""
    return _worked_out(function, {parameter.arg for parameter in parameters(function)[1:]})


def index_names_in(frame: Frame, entries: tuple[str, ...]) -> frozenset[str]:
    """The same of any function that one of the ``entries`` of a dataset leads to: the parameters that are
    given such numbers, and what is worked out from these."""
    function = frame.scope
    if not isinstance(function, ast.FunctionDef):
        return frozenset()
    if function.name in entries:
        return index_names(function)
    names = [parameter.arg for parameter in parameters(function)][frame.receiver is not None :]
    arguments = frame.arguments or Arguments()
    given = [*zip(names, arguments.positional, strict=False), *arguments.keywords.items()]
    return _worked_out(
        function,
        {
            name
            for name, argument in given
            if argument.expression is not None
            and argument.point is not None
            and argument.point.frame is not frame
            and is_index(argument.expression, index_names_in(argument.point.frame, entries))
        },
    )


def _worked_out(function: ast.FunctionDef, found: set[str]) -> frozenset[str]:
    for statement in statements_in(function.body):
        if isinstance(statement, ast.Assign) and is_index(statement.value, found):
            found |= set(own_names(statement))
    return frozenset(found)


def read_from(function: ast.FunctionDef, index: frozenset[str], read: frozenset[str]) -> frozenset[str]:
    """The variables of a function that hold what belongs to the item."""
    found = set(read)
    for _ in range(2):  # a loop may use what its end has set
        for statement in statements_in(function.body):
            names = set(own_names(statement))
            if names and isinstance(statement, ast.Assign | ast.AugAssign | ast.For | ast.With):
                sources = [
                    child
                    for child in children(statement)
                    if not isinstance(child, ast.stmt) and not isinstance(getattr(child, "ctx", 0), ast.Store)
                ]
                for source in sources:
                    value = source.context_expr if isinstance(source, ast.withitem) else source
                    if mentions(value, index | found) and not is_index(value, index):
                        found |= names
        found.update(_gathered(function.body, index, found, False))
    return frozenset(found - index)


def _gathered(block: list[ast.stmt], index: frozenset[str], read: Set[str], varies: bool) -> Iterator[str]:
    """The lists into which a block puts as many things as the item has: in a loop over what was read for it,
    or where a test of that, or an error in reading it, may come between. What puts a thing in for each of so
    many settings makes a list of one length."""
    known = frozenset(read)
    for statement in block:
        match statement:
            case ast.Expr(
                value=ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=method), args=args)
            ):
                some = any(mentions(each, index | known) for each in args)
                if (varies and method in _ADD) or (method in _ADD_ALL and (varies or some)):
                    yield name
            case ast.Assign(targets=[ast.Subscript(value=ast.Name(id=name))]) if varies:
                yield name
        for role, inside, _ in blocks(statement):
            yield from _gathered(inside, index, known, varies or _varies(statement, role, index, known))


def _varies(statement: ast.stmt, role: str, index: frozenset[str], read: frozenset[str]) -> bool:
    """Whether it depends on the item how often control comes to what is in a block of a statement."""
    match statement:
        case ast.If(test=test):
            return concerns(test, index, read)
        case ast.For(iter=iterable, body=body):
            return is_of_item(iterable, index, read) or _is_left(body, index, read)
        case ast.While(test=test, body=body):
            return concerns(test, index, read) or _is_left(body, index, read)
    attempt = as_try(statement)
    if attempt is None or role != "body" or not attempt.handlers:
        return False
    return any(mentions(each, index | read) for each in attempt.body)


def is_of_item(iterable: ast.expr, index: frozenset[str], read: frozenset[str]) -> bool:
    """Whether a loop goes through what was read for the item; so many rounds from its number on are none."""
    match iterable:
        case ast.Call(func=ast.Name(id="range"), args=args):
            return any(concerns(each, index, read) for each in args)
    return mentions(iterable, index | read) and not is_index(iterable, index)


def _is_left(body: list[ast.stmt], index: frozenset[str], read: frozenset[str]) -> bool:
    """Whether a test of what was read ends a loop, or a round of it."""
    return any(
        isinstance(each, ast.If)
        and concerns(each.test, index, read)
        and any(isinstance(inner, ast.Break | ast.Continue) for inner in statements_in(each.body))
        for each in statements_in(body)
    )
