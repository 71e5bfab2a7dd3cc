"""Whether code that gives a pool work waits for what that gives."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.knowledge.processes.pools import MAPS, WAITS
from dlint.source.nodes import children
from dlint.source.statements import given_in, last_name, own_names, statements_in
from dlint.values.frame import Point
from dlint.values.functions import function_body
from dlint.values.values import Function

if TYPE_CHECKING:
    from dlint.calls.evaluator import Evaluator
    from dlint.workers.events import Event
    from dlint.workers.reach import Link

_READS_ALL = ("list", "tuple", "sum", "dict")


def waits(evaluator: Evaluator, event: Event, method: str) -> bool:
    """Whether the function that gives a pool work also waits for it, has a function wait for it, or gives it
    back to one that does."""
    of_multiprocessing = event.name.startswith("multiprocessing")
    if method in WAITS and of_multiprocessing:
        return True
    # A future has no ``get``: that is a queue's.
    asks = "get" if of_multiprocessing else "result"
    node: ast.AST | None = event.node
    point: Point | None = event.point
    link: Link | None = event.link
    while True:  # of functions of which each gives back what the one before has given the pool
        scope = point.frame.scope if point is not None else None
        if node is None or point is None or not isinstance(scope, ast.FunctionDef | ast.Lambda):
            return False
        if _waits_in(scope, node, asks, method) or _hands_to_waiting(evaluator, node, point, asks):
            return True
        if link is None or not _gives_back(scope, node):
            return False
        node, point, link = link.site, link.caller, link.above


def _waits_in(scope: ast.FunctionDef | ast.Lambda, node: ast.AST, asks: str, method: str) -> bool:
    """Whether a function waits for results, be they what ``node`` gives or not."""
    for each in function_body(scope):
        match each:
            case ast.Call(func=ast.Attribute(attr=name), args=[]) if name == asks:
                return True
            case ast.Call(func=ast.Name(id="wait" | "as_completed") | ast.Attribute(attr="as_completed")):
                return True
            case ast.Call(func=ast.Attribute(value=module, attr="wait"), args=[_, *_]):
                if last_name(module) == "futures":
                    return True
            case ast.Call(func=ast.Name(id=name), args=[inner]) if name in _READS_ALL and method in MAPS:
                if inner is node:
                    return True
            case ast.For(iter=source) if source is node:
                return True
    return False


def _gives_back(scope: ast.FunctionDef | ast.Lambda, node: ast.AST) -> bool:
    """Whether a function returns what it gives a pool, to be waited for by whoever calls it."""
    if isinstance(scope, ast.Lambda):
        return scope.body is node
    names = _names_of(scope, node)
    return any(
        isinstance(each, ast.Return)
        and each.value is not None
        and (each.value is node or (isinstance(each.value, ast.Name) and each.value.id in names))
        for each in function_body(scope)
    )


def _names_of(scope: ast.FunctionDef, node: ast.AST) -> set[str]:
    """The variables of a function that are bound to what a node gives, or to a list or dict of such."""
    found: set[str] = set()
    for statement in statements_in(scope.body):
        match statement:
            case ast.Assign(value=value) if value is node or _is_made_of(value, node):
                found |= {name for name in own_names(statement) if "." not in name}
            case ast.Expr(
                value=ast.Call(
                    func=ast.Attribute(value=ast.Name(id=name), attr="append" | "add"), args=[given]
                )
            ) if given is node:
                found.add(name)
    return found


def _is_made_of(value: ast.AST, node: ast.AST) -> bool:
    """Whether an expression is a list, set or dict of what a node gives."""
    match value:
        case ast.ListComp(elt=each) | ast.SetComp(elt=each) | ast.GeneratorExp(elt=each):
            return each is node
        case ast.DictComp(key=key, value=each):
            return each is node or key is node
        case ast.List(elts=given) | ast.Tuple(elts=given) | ast.Set(elts=given):
            return any(each is node for each in given)
    return False


def _hands_to_waiting(evaluator: Evaluator, node: ast.AST, point: Point, asks: str) -> bool:
    """Whether what a node gives goes to a function of the program that waits for it."""
    scope = point.frame.scope
    if not isinstance(scope, ast.FunctionDef):
        return False
    names = _names_of(scope, node)
    return any(
        isinstance(value, Function) and _waits_for_given(value, asks)
        for statement in statements_in(scope.body)
        for call in _calls_in(statement)
        if any(_is_given(each, node, names) for each in given_in(call))
        for value, _ in evaluator.values(call.func, Point(point.frame, statement))
    )


def _is_given(argument: ast.expr, node: ast.AST, names: set[str]) -> bool:
    if isinstance(argument, ast.Starred):
        argument = argument.value
    return (
        argument is node
        or _is_made_of(argument, node)
        or (isinstance(argument, ast.Name) and argument.id in names)
    )


def _waits_for_given(function: Function, asks: str) -> bool:
    """Whether a function asks things for their results, and not only those that are done."""
    called = [
        node.func.attr
        for node in function_body(function.node)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
    ]
    return asks in called and not {"done", "ready"} & set(called)


def _calls_in(node: ast.AST) -> Iterator[ast.Call]:
    """The calls in the expressions of a statement, those of statements inside it left aside."""
    for child in children(node):
        if isinstance(child, ast.Call):
            yield child
        if not isinstance(child, ast.stmt):
            yield from _calls_in(child)
