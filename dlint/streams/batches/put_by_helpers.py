"""Functions that put what they are given into a list or dict that they are given as well, and methods that
put it into one of their object's."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Set
from typing import NamedTuple

from dlint.source.nodes import walk
from dlint.source.statements import FunctionNode, blocks, dotted, own_names, parameters, statements_in
from dlint.streams.batches.views import Held, Named

# Methods that take something out of a list or dict, and those that leave it at least as full as it was.
EMPTIES = frozenset({"clear", "pop", "popitem", "popleft", "remove"})
LEAVES_FULL = frozenset(
    {
        "append",
        "appendleft",
        "count",
        "extend",
        "get",
        "index",
        "insert",
        "items",
        "keys",
        "setdefault",
        "values",
    }
)
# So long a function does something else as well.
_LONGEST = 8


class Put(NamedTuple):
    """Where something is put, what that is, and whether it is gone through for that (``extend``)."""

    into: ast.expr
    given: ast.expr
    gone_through: bool


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


def put_by(function: ast.FunctionDef, given: Mapping[str, ast.expr]) -> list[Put]:
    """Where a call of a function puts some of its arguments, every time; ``given`` are the arguments by the
    names of their parameters. Nothing where that is not all that it does."""
    names = {parameter.arg for parameter in parameters(function)}
    statements = list(statements_in(function.body))
    if len(statements) > _LONGEST or any(names & set(own_names(each)) for each in statements):
        return []
    found: dict[str, Put] = {}
    for into, value, gone_through in _puts(function.body, names):
        root, keys = _steps(into)
        if value in given and root in given and root != value and not _empties(function):
            if _is_renewed(into, root, statements):
                continue
            held = given[root]
            for key in keys:
                if isinstance(key, str):
                    held = ast.Attribute(held, key, ast.Load())
                else:
                    at = given.get(key.id, key) if isinstance(key, ast.Name) else key
                    held = ast.Subscript(held, at, ast.Load())
                held = ast.copy_location(held, given[value])
            found.setdefault(value, Put(held, given[value], gone_through))
    return list(found.values())


def _is_renewed(into: ast.expr, root: str, statements: list[ast.stmt]) -> bool:
    """Whether a method binds the attribute into which it puts something, or calls others of its object that
    may."""
    while isinstance(into, ast.Subscript):
        into = into.value
    if not isinstance(into, ast.Attribute):
        return False
    return any(dotted(into) in own_names(each) for each in statements) or any(
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and dotted(node.func.value) == root
        for each in statements
        for node in walk(each)
    )


def may_empty(methods: list[FunctionNode]) -> bool:
    """Whether some of a class's methods, other than its constructor, empty what its objects hold, or hold
    another in its place."""
    return any(
        _empties(each)
        or any("." in name for statement in statements_in(each.body) for name in own_names(statement))
        for each in methods
        if each.name != "__init__"
    )


def _puts(block: list[ast.stmt], names: Set[str]) -> Iterator[tuple[ast.expr, str, bool]]:
    """What a block appends to what, or goes through for that, where it hangs on nothing but whether there is
    a list yet."""
    for statement in block:
        match statement:
            case ast.Expr(
                value=ast.Call(
                    func=ast.Attribute(value=into, attr="append" | "extend" as how), args=[given], keywords=[]
                )
            ) if (value := _viewed(given, names)) is not None:
                entry = entry_of(into)
                # The numbers of an array are copies.
                if _steps(entry)[0] in names and not (how == "extend" and _gives_array(given)):
                    yield entry, value, how == "extend"
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


def _viewed(node: ast.expr, names: Set[str]) -> str | None:
    """The parameter that an expression is, or has the memory of: ``y.detach().cpu()``."""
    view = Held((name, Named(())) for name in names).view(node)
    if view is None or view.known.casts:
        return None
    while not isinstance(node, ast.Name):
        match node:
            case (
                ast.Call(func=ast.Attribute(value=node))
                | ast.Attribute(value=node)
                | ast.Subscript(value=node)
            ):
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


def _steps(into: ast.expr) -> tuple[str, list[ast.expr | str]]:
    """The name that an entry is of, and the keys that lead there, or the attribute of it and the keys."""
    keys: list[ast.expr | str] = []
    while isinstance(into, ast.Subscript):
        keys.insert(0, into.slice)
        into = into.value
    if isinstance(into, ast.Attribute):
        keys.insert(0, into.attr)
        into = into.value
    return into.id if isinstance(into, ast.Name) else "", keys


def emptied(function: ast.FunctionDef) -> set[str]:
    """The parameters of which a function takes entries out, or that it empties, or may: a method of theirs is
    called that does not only read or add."""
    found: set[str] = set()
    for node in walk(function):
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=method)) if (
                method not in LEAVES_FULL
            ):
                found.add(name)
            case ast.Delete(targets=targets) | ast.Assign(targets=targets):
                found |= {
                    target.value.id
                    for target in targets
                    if isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name)
                    if isinstance(target.ctx, ast.Del) or isinstance(target.slice, ast.Slice)
                }
    return found & {parameter.arg for parameter in parameters(function)}


def _empties(function: FunctionNode) -> bool:
    """Whether a function takes anything out of what it is given."""
    for node in walk(function):
        match node:
            case ast.Delete() | ast.Assign(targets=[ast.Subscript(slice=ast.Slice())]):
                return True
            case ast.Call(func=ast.Attribute(attr=method)) if method in EMPTIES:
                return True
    return False
