"""How a function is written that may give None: the None itself, the tests and attempts around it, what is
put into a dict, and what is returned."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Set

from dlint.source.nodes import is_written_none, names_in, walk
from dlint.source.statements import head_name, statements_in

_KEEP = frozenset({"lru_cache", "cache", "no_grad", "inference_mode", "override", "final"})
_FORM = frozenset({"callable", "hasattr", "isinstance", "type"})
_BOUND = frozenset({"staticmethod", "classmethod"})
_LOOKED_INTO = (
    *(ast.Tuple, ast.List, ast.Dict, ast.ListComp, ast.DictComp, ast.IfExp, ast.Call, ast.Name),
    ast.Subscript,
)


def compares_names(test: ast.expr) -> bool:
    """Whether a test looks for one case of several, which may be complete."""
    return any(
        isinstance(operator, ast.Eq | ast.NotEq | ast.In | ast.NotIn)
        for inner in walk(test)
        if isinstance(inner, ast.Compare)
        for operator in inner.ops
    )


def speaks_of_none(test: ast.expr) -> bool:
    return any(map(is_written_none, walk(test)))


def asks_for_form(test: ast.expr) -> bool:
    """Whether a test asks of which type something is, or whether a row has so many entries: ``len(row) >
    2``."""
    for node in walk(test):
        match node:
            case ast.Call(func=ast.Name(id=name)) if name in _FORM:
                return True
            case ast.Compare(
                left=ast.Call(func=ast.Name(id="len")), comparators=[ast.Constant(value=int(number))]
            ) if number > 1 or (number == 1 and not isinstance(node.ops[0], ast.Lt | ast.GtE)):
                return True
    return False


def tries_again(loop: ast.stmt) -> bool:
    """Whether a loop goes so many times over the same, and not through things of which one is looked for."""
    match loop:
        case ast.For(iter=ast.Call(func=ast.Name(id="range"))):
            used = names_in(loop.target)
            return not any(
                isinstance(node, ast.Name) and node.id in used for each in loop.body for node in walk(each)
            )
        case ast.While():
            return True
    return False


def is_none(node: ast.expr | None) -> bool:
    """Whether an expression is None as it is written, or a tuple of nothing else."""
    if isinstance(node, ast.Tuple):
        return bool(node.elts) and all(is_none(each) for each in node.elts)
    return node is None or is_written_none(node)


def has_none(node: ast.expr | None, function: ast.FunctionDef) -> bool:
    """Whether an item is returned with None at a place where others of the function have something."""

    def nones(item: ast.expr | None) -> set[object]:
        match item:
            case ast.Tuple(elts=parts):
                return {at for at, part in enumerate(parts) if is_none(part)}
            case ast.Dict(keys=keys, values=parts):
                pairs = zip(keys, parts, strict=True)
                return {key.value for key, part in pairs if isinstance(key, ast.Constant) and is_none(part)}
            case ast.Call(func=ast.Name(id="dict"), args=[], keywords=entries):
                return {each.arg for each in entries if is_none(each.value)}
        return set()

    def of_like(item: ast.expr | None) -> bool:
        match item, node:
            case (ast.Tuple(elts=parts), ast.Tuple(elts=mine)):
                return len(parts) == len(mine)
            case (ast.Dict(), ast.Dict()):
                return True
            case (ast.Call(func=ast.Name(id="dict")), ast.Call(func=ast.Name(id="dict"))):
                return True
        return False

    mine = nones(node)
    returned = [each.value for each in statements_in(function.body) if isinstance(each, ast.Return)]
    return bool(mine) and any(of_like(each) and mine - nones(each) for each in returned)


def may_be_none(node: ast.expr) -> bool:
    """Whether an expression is of a kind that is looked into."""
    return isinstance(node, _LOOKED_INTO)


def given_to(name: str, statement: ast.stmt | None) -> ast.expr | None:
    """What a statement gives to a variable, be it in the test that it begins with: ``if (wave := read(path))
    is not None``."""
    match statement:
        case ast.Assign(targets=targets, value=value):
            if any(isinstance(target, ast.Name) and target.id == name for target in targets):
                return value
        case ast.If(test=test):
            for node in walk(test):
                if isinstance(node, ast.NamedExpr) and node.target.id == name:
                    return node.value
    return None


def does_something(function: ast.FunctionDef) -> bool:
    """Whether a function that gives None has more in it than its text: no ``pass``, ``...`` or abstract
    method."""
    body = list(statements_in(function.body))
    return all(is_none(each.value) for each in body if isinstance(each, ast.Return)) and any(
        not isinstance(each, ast.Pass | ast.Return | ast.Raise)
        and not (isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant))
        for each in body
    )


def is_used_besides(name: str, function: ast.FunctionDef) -> bool:
    """Whether anything but being returned is done with a variable, which may replace what is in it."""
    spared = {
        id(part)
        for statement in statements_in(function.body)
        if isinstance(statement, ast.Return) and statement.value is not None
        for part in handed(statement.value)
    }
    return is_read(name, function, spared)


def is_read(name: str, node: ast.AST, apart: Set[int]) -> bool:
    """Whether anything below a node reads a variable, some nodes left ``apart`` by their ids."""
    return any(
        isinstance(each, ast.Name)
        and each.id == name
        and isinstance(each.ctx, ast.Load)
        and id(each) not in apart
        for each in walk(node)
    )


def keeps_result(decorator: ast.expr) -> bool:
    """Whether a decorator surely hands on what the function returns."""
    return head_name(decorator) in _KEEP


def is_bound_only(decorator: ast.expr) -> bool:
    return isinstance(decorator, ast.Name) and decorator.id in _BOUND


def handed(node: ast.expr) -> list[ast.expr]:
    """An expression and its parts that are handed on as they are: those of a tuple or dict."""
    found = [node]
    for each in found:
        match each:
            case ast.Tuple(elts=parts) | ast.List(elts=parts) | ast.Dict(values=parts):
                found += parts
            case ast.Call(func=ast.Name(id="dict"), args=[], keywords=entries):
                found += [entry.value for entry in entries]
    return found


def stored(statement: ast.stmt, name: str) -> Iterator[tuple[str | int, ast.expr]]:
    """What a statement puts in the dict that a variable holds, and under which keys; where it makes the dict,
    too."""
    match statement:
        case ast.Assign(
            targets=[ast.Subscript(value=ast.Name(id=held), slice=ast.Constant(value=str() | int() as key))],
            value=value,
        ) if held == name:
            yield key, value
        case ast.Assign(targets=[ast.Name(id=held)], value=ast.Dict() as made) if held == name:
            yield from _entries(made)
        case ast.Assign(
            targets=[ast.Name(id=held)], value=ast.Call(func=ast.Name(id="dict"), keywords=given)
        ) if held == name:
            yield from ((each.arg, each.value) for each in given if each.arg is not None)
        case ast.Expr(
            value=ast.Call(
                func=ast.Attribute(value=ast.Name(id=held), attr="update"), args=args, keywords=given
            )
        ) if held == name:
            yield from ((each.arg, each.value) for each in given if each.arg is not None)
            for each in args:
                if isinstance(each, ast.Dict):
                    yield from _entries(each)


def names_all_keys(statement: ast.stmt) -> bool:
    """Whether a statement that puts things in a dict writes out the keys of all of them."""
    match statement:
        case ast.Expr(value=ast.Call(args=args, keywords=given)):
            return all(each.arg is not None for each in given) and all(
                isinstance(each, ast.Dict) and len(dict(_entries(each))) == len(each.keys) for each in args
            )
        case ast.Assign(targets=[ast.Subscript(slice=key)]):
            return isinstance(key, ast.Constant)
    return False


def _entries(made: ast.Dict) -> Iterator[tuple[str | int, ast.expr]]:
    for key, value in zip(made.keys, made.values, strict=True):
        if isinstance(key, ast.Constant) and isinstance(key.value, str | int):
            yield key.value, value


def table_of(statement: ast.stmt, name: str) -> ast.Name | None:
    """A variable where a statement puts something in the dict that it holds already."""
    match statement:
        case (
            ast.Assign(targets=[ast.Subscript(value=ast.Name(id=held) as table)])
            | ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=held) as table, attr="update")))
        ) if held == name:
            return table
    return None
