"""What functions take out of a list or dict that they are given, or that their object or module has, and what
leaves that as it is."""

from __future__ import annotations

import ast
from collections.abc import Set

from dlint.source.nodes import walk
from dlint.source.statements import FunctionNode, own_names, parameters, self_name, statements_in

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


def lasts_in(scope: ast.Module | ast.FunctionDef, name: str) -> bool:
    """Whether a module, or a function, gives a name something once, at its top, takes nothing out of that,
    and gives it no other name; nor do the functions inside."""
    given = 0
    for node in walk(scope):
        match node:
            case ast.Global(names=names) | ast.Nonlocal(names=names) if name in names:
                return False
            case ast.Assign(value=ast.Name(id=held)) if held == name:
                return False
            case ast.Name(id=bound, ctx=ast.Store() | ast.Del()) if bound == name:
                given += 1
            case ast.Call(func=ast.Attribute(value=ast.Name(id=held), attr=method)) if held == name:
                if method not in LEAVES_FULL:
                    return False
            case ast.Subscript(value=ast.Name(id=held), slice=part, ctx=ctx) if held == name:
                if isinstance(ctx, ast.Del) or (isinstance(ctx, ast.Store) and isinstance(part, ast.Slice)):
                    return False
    top = [each for each in scope.body if name in own_names(each)]
    return len(top) == given == 1


def may_empty(methods: list[FunctionNode]) -> bool:
    """Whether some of a class's methods, other than its constructor, empty what its objects hold, or hold
    another in its place."""
    return any(
        empties(each)
        or any("." in name for statement in statements_in(each.body) for name in own_names(statement))
        for each in methods
        if each.name != "__init__"
    )


def empties(function: FunctionNode) -> bool:
    """Whether a function takes anything out of what it is given."""
    for node in walk(function):
        match node:
            case ast.Delete() | ast.Assign(targets=[ast.Subscript(slice=ast.Slice())]):
                return True
            case ast.Call(func=ast.Attribute(attr=method)) if method in EMPTIES:
                return True
    return False


def leaves(method: ast.FunctionDef, names: Set[str]) -> bool:
    """Whether a method does nothing to attributes of its object that go by some names, nor has others do it:
    of the object it only asks for attributes of other names, and calls no method."""
    own = self_name(method)
    asked = {
        id(node.value): node.attr
        for node in walk(method)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
    }
    called = {
        id(node.func.value)
        for node in walk(method)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
    }
    return (
        own is not None
        and not empties(method)
        and not any(
            isinstance(node, ast.Name)
            and node.id == own
            and (id(node) in called or id(node) not in asked or asked[id(node)] in names)
            for each in method.body
            for node in walk(each)
        )
    )
