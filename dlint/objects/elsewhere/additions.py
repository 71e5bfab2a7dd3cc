"""Statements that add to a list or dict which an object keeps: ``self.steps.append(step)``,
``self.sets[name] = rows``."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final, NamedTuple

from dlint.knowledge.processes.pickling import keeps_arguments
from dlint.source.nodes import names_in
from dlint.source.statements import FunctionNode, parameters, statements_in
from dlint.values.values import Function, Instance, Items, Made, Partial, Value

# What follows the name of a container that grows.
GROWS: Final = r"\s*(?:\.(?:append|extend|insert|update|setdefault)\(|\+=|\[[^\]\n]{0,300}\]\s*=(?!=))"
_ONE = frozenset({"append", "insert"})
_CODE = (Function, Instance, Partial)


class Added(NamedTuple):
    """What is added to a list: an expression, and whether its elements are; or what is stored under a key."""

    value: ast.expr
    each: bool
    statement: ast.stmt
    keyed: bool = False
    key: ast.expr | None = None


def growths(statement: ast.stmt) -> Iterator[tuple[ast.expr, Added]]:
    """The list that a statement adds something to, and what it adds."""
    match statement:
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=held, attr=method), args=[*_, given])) if (
            method in _ONE or method == "extend"
        ):
            yield held, Added(given, method not in _ONE, statement)
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=held, attr="setdefault"), args=[at, given])):
            yield held, Added(given, False, statement, True, at)
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=held, attr="update")) as call):
            for keyword in call.keywords:
                if keyword.arg is not None:
                    name = ast.copy_location(ast.Constant(keyword.arg), keyword.value)
                    yield held, Added(keyword.value, False, statement, True, name)
            for each in call.args:
                if isinstance(each, ast.Dict):
                    for key, value in zip(each.keys, each.values, strict=True):
                        if key is not None:
                            yield held, Added(value, False, statement, True, key)
        case ast.AugAssign(target=held, op=ast.Add(), value=given):
            yield held, Added(given, True, statement)
        case ast.Assign(targets=[ast.Subscript(value=held, slice=at)], value=given):
            yield held, Added(given, False, statement, True, at)


def of_parameters(function: FunctionNode, name: str) -> Iterator[Added]:
    """What a method adds of what it is given to the list that its object has under a name."""
    names = [each.arg for each in parameters(function)]
    for statement in statements_in(function.body):
        for held, added in growths(statement):
            match held:
                case ast.Attribute(value=ast.Name(id=own), attr=attribute) if attribute == name:
                    given = names_in(added.value)
                    plain = not added.keyed or _is_as_given(added.value)
                    if plain and names[:1] == [own] and given & set(names[1:]):
                        yield added


def _is_as_given(value: ast.expr) -> bool:
    """Whether a method stores what it is given, as it is, and nothing that it makes of that, as caches do."""
    return isinstance(value, ast.Name) or (
        isinstance(value, ast.Tuple | ast.List) and all(isinstance(each, ast.Name) for each in value.elts)
    )


def has_code(value: Value, *, inside: bool = False) -> bool:
    """Whether something can be called, or runs code of its own: itself, or in a tuple (``inside``), where of
    what libraries make only that counts which keeps what it is given."""
    match value:
        case Items(items=items):
            return any(has_code(item, inside=True) for item in items)
        case Made(name=name):
            return not inside or keeps_arguments(name)
    return isinstance(value, _CODE)
