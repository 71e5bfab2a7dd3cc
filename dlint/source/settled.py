"""Whether a name that a closure reads is settled by the time the closure is made.

It is looked up when the closure is called; whoever looks it up earlier must know that nothing gives it
another value in between.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from dlint.source.closures import Binding, bindings
from dlint.source.nodes import COMPREHENSIONS, walk
from dlint.source.statements import as_try, ends, innermost_statement, parameters

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_LOOPS = (ast.For, ast.AsyncFor, ast.While)


def unsettled(name: str, scope: ast.AST, trail: Sequence[ast.AST]) -> str | None:
    """Why a name of ``scope`` may have another value after the last node of ``trail`` (which begins with the
    scope) has been evaluated, or none yet; None where it has one, and keeps it."""
    if isinstance(scope, COMPREHENSIONS):
        return f"{name} changes from round to round"
    if any(isinstance(node, ast.Nonlocal) and name in node.names for node in walk(scope)):
        return f"{name} is set by another function too"
    places = [each for each in bindings(scope) if each.name == name and not _excludes(each.trail, trail)]
    for place in places:
        reason = _changes(place, trail)
        if reason is not None:
            return reason
    if not (_is_parameter(scope, name) or _surely_bound_before(name, trail)):
        return f"{name} may not be set yet"
    return None


def _changes(place: Binding, trail: Sequence[ast.AST]) -> str | None:
    if isinstance(place.node, ast.ExceptHandler) or isinstance(getattr(place.node, "ctx", None), ast.Del):
        return f"{place.name} is deleted again"
    if share_a_loop(place.trail, trail):
        return f"{place.name} changes from round to round"
    if not is_before(place.trail, trail):
        return f"{place.name} is set later"
    return None


def share_a_loop(one: Sequence[ast.AST], other: Sequence[ast.AST]) -> bool:
    """Whether two places, as trails from the same scope, stand in the same loop."""
    return any(a is b and isinstance(a, _LOOPS) for a, b in zip(one, other, strict=False))


def is_before(one: Sequence[ast.AST], other: Sequence[ast.AST]) -> bool:
    """Whether what a place binds is bound before another place is come to (loops aside)."""
    mine, theirs = _parting(one, other)
    if mine is None or theirs is None:
        return one[-1] is not other[-1] and isinstance(one[-1], ast.arg)
    if isinstance(mine, ast.arg):
        return True
    first, second = _place(mine), _place(theirs)
    around = innermost_statement(one)
    if around is not None and around is innermost_statement(other):
        # A target is bound after the value; an item of `with` before the body and the items after it.
        return isinstance(around, ast.With | ast.AsyncWith) and first < second
    return first < second


def _excludes(one: Sequence[ast.AST], other: Sequence[ast.AST]) -> bool:
    """Whether two places stand in branches of one ``if`` of which only one is run."""
    for index, (a, b) in enumerate(zip(one, other, strict=False)):
        if a is not b:
            above = one[index - 1]
            if not isinstance(above, ast.If) or share_a_loop(one, other):
                return False
            return {_field(above, a), _field(above, b)} == {"body", "orelse"}
    return False


def _field(branch: ast.If, node: ast.AST) -> str:
    if any(node is each for each in branch.body):
        return "body"
    return "orelse" if any(node is each for each in branch.orelse) else "test"


def _parting(one: Sequence[ast.AST], other: Sequence[ast.AST]) -> tuple[ast.AST | None, ast.AST | None]:
    for a, b in zip(one, other, strict=False):
        if a is not b:
            return a, b
    return None, None


def _place(node: ast.AST) -> tuple[int, int]:
    at = next(each for each in walk(node) if hasattr(each, "lineno"))
    return at.lineno, at.col_offset  # type: ignore[attr-defined]


def _is_parameter(scope: ast.AST, name: str) -> bool:
    return isinstance(scope, _FUNCTIONS) and any(each.arg == name for each in parameters(scope))


def _surely_bound_before(name: str, trail: Sequence[ast.AST]) -> bool:
    for index in range(len(trail) - 1):
        above, below = trail[index], trail[index + 1]
        for _, block in _blocks(above):
            at = next((i for i, each in enumerate(block) if each is below), None)
            if at is not None and any(_surely_binds(each, name) for each in block[:at]):
                return True
            if at is not None and isinstance(above, ast.With | ast.AsyncWith) and _items_bind(above, name):
                return True
    return False


def _blocks(node: ast.AST) -> Iterator[tuple[str, list[ast.AST]]]:
    for field in ("body", "orelse", "finalbody"):
        block = getattr(node, field, None)
        if isinstance(block, list):
            yield field, block


def _surely_binds(statement: ast.AST, name: str) -> bool:
    match statement:
        case ast.Assign(targets=targets):
            return any(_binds(target, name) for target in targets)
        case ast.AnnAssign(target=target, value=value):
            return value is not None and _binds(target, name)
        case ast.AugAssign(target=target):
            return _binds(target, name)
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            return statement.name == name
        case ast.Import() | ast.ImportFrom():
            return any((each.asname or each.name.partition(".")[0]) == name for each in statement.names)
        case ast.With() | ast.AsyncWith():
            return _items_bind(statement, name)
        case ast.If():
            branches = [statement.body, statement.orelse]
            return any(_all(each, name) for each in branches) and all(
                _all(each, name) or ends(each) for each in branches
            )
    attempt = as_try(statement)
    if attempt is None:
        return False
    if _all(attempt.finalbody, name):
        return True
    return (_all(attempt.body, name) or _all(attempt.orelse, name)) and all(
        _all(each.body, name) or ends(each.body) for each in attempt.handlers
    )


def _all(block: Sequence[ast.AST], name: str) -> bool:
    return any(_surely_binds(each, name) for each in block)


def _items_bind(statement: ast.With | ast.AsyncWith, name: str) -> bool:
    return any(
        each.optional_vars is not None and _binds(each.optional_vars, name) for each in statement.items
    )


def _binds(target: ast.expr, name: str) -> bool:
    match target:
        case ast.Name(id=found):
            return found == name
        case ast.Tuple(elts=items) | ast.List(elts=items):
            return any(_binds(each, name) for each in items)
        case ast.Starred(value=inner):
            return _binds(inner, name)
    return False
