"""Functions that put what they are given into a list or dict that they are given as well."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Set

from dlint.source.nodes import walk
from dlint.source.statements import blocks, dotted, own_names, parameters, statements_in

_EMPTIES = frozenset({"clear", "pop", "popitem", "popleft", "remove"})
# So long a function does something else as well.
_LONGEST = 8


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


def put_by(function: ast.FunctionDef, given: Mapping[str, ast.expr]) -> tuple[ast.expr, ast.expr] | None:
    """Where a call of a function puts one of its arguments, every time, and which of them; ``given`` are the
    arguments by the names of their parameters. None where that is not all that it does."""
    names = {parameter.arg for parameter in parameters(function)}
    statements = list(statements_in(function.body))
    if len(statements) > _LONGEST or any(names & set(own_names(each)) for each in statements):
        return None
    for into, value in _puts(function.body, names):
        root, keys = _steps(into)
        if value in given and root in given and root != value and not _empties(function):
            held = given[root]
            for key in keys:
                at = given.get(key.id, key) if isinstance(key, ast.Name) else key
                held = ast.copy_location(ast.Subscript(held, at, ast.Load()), given[value])
            return held, given[value]
    return None


def _puts(block: list[ast.stmt], names: Set[str]) -> Iterator[tuple[ast.expr, str]]:
    """What a block appends to what, where that hangs on nothing but whether there is a list yet."""
    for statement in block:
        match statement:
            case ast.Expr(
                value=ast.Call(
                    func=ast.Attribute(value=into, attr="append"), args=[ast.Name(id=value)], keywords=[]
                )
            ) if value in names:
                entry = entry_of(into)
                if _steps(entry)[0] in names:
                    yield entry, value
            case ast.If(test=test) if _asks_for_entry(test, names):
                for _, inside, _ in blocks(statement):
                    yield from _puts(inside, names)
            case _ if any(isinstance(each, ast.Return | ast.Raise) for each in statements_in([statement])):
                return


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


def _steps(into: ast.expr) -> tuple[str, list[ast.expr]]:
    """The name that an entry is of, and the keys that lead there."""
    keys: list[ast.expr] = []
    while isinstance(into, ast.Subscript):
        keys.insert(0, into.slice)
        into = into.value
    return into.id if isinstance(into, ast.Name) else "", keys


def emptied(function: ast.FunctionDef) -> set[str]:
    """The parameters of which a function takes entries out, or that it empties."""
    found: set[str] = set()
    for node in walk(function):
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=method)) if method in _EMPTIES:
                found.add(name)
            case ast.Delete(targets=targets) | ast.Assign(targets=targets):
                found |= {
                    target.value.id
                    for target in targets
                    if isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name)
                    if isinstance(target.ctx, ast.Del) or isinstance(target.slice, ast.Slice)
                }
    return found & {parameter.arg for parameter in parameters(function)}


def _empties(function: ast.FunctionDef) -> bool:
    """Whether a function takes anything out of what it is given."""
    for node in walk(function):
        match node:
            case ast.Delete() | ast.Assign(targets=[ast.Subscript(slice=ast.Slice())]):
                return True
            case ast.Call(func=ast.Attribute(attr=method)) if method in _EMPTIES:
                return True
    return False
