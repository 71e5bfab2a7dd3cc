"""Where what a name, an attribute or a call gives may have been written: all places that the program shows,
whatever comes first."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dlint.calls.evaluator import Evaluator
from dlint.calls.parameters.written import is_static, written
from dlint.source.statements import dotted, functions_in, own_names, parameters, statements_in, target_names
from dlint.values.frame import Arguments, Frame, Point, arguments_of
from dlint.values.values import Function, Instance


def returned(
    evaluator: Evaluator, function: Function, node: ast.FunctionDef, call: ast.Call | None, at: Point
) -> Iterator[tuple[ast.expr, Point]]:
    """What a function returns, called at a place (a property without a call)."""
    frame = evaluator.calls.enter(function, arguments_of(call, at) if call is not None else None, call, at)
    for statement in statements_in(node.body):
        if isinstance(statement, ast.Return) and statement.value is not None:
            yield statement.value, Point(frame, statement)


def of_name(evaluator: Evaluator, name: str, at: Point) -> Iterator[tuple[ast.expr, Point]]:
    """All that a name is set to, wherever in its scope, and what its function is given for it."""
    frame: Frame | None = at.frame
    while frame is not None:
        yield from set_to(name, frame)
        scope = frame.scope
        is_given = isinstance(scope, ast.FunctionDef) and any(each.arg == name for each in parameters(scope))
        if is_given:
            yield from _given(evaluator, name, frame)
        if is_given or name in frame.layout.binds:
            return
        frame = frame.outer


def _given(evaluator: Evaluator, name: str, frame: Frame) -> Iterator[tuple[ast.expr, Point]]:
    scope = frame.scope
    assert isinstance(scope, ast.FunctionDef)
    static = frame.owner is None or is_static(scope)
    method = frame.receiver is not None if frame.arguments is not None else not static
    for each in given_in_all(evaluator, frame):
        argument = written(name, scope, each, method)
        if argument is not None and argument.expression is not None and argument.point is not None:
            yield argument.expression, argument.point


def given_in_all(evaluator: Evaluator, frame: Frame) -> list[Arguments]:
    """The arguments that a function was called with, or those of all calls of it."""
    scope = frame.scope
    if frame.arguments is not None or not isinstance(scope, ast.FunctionDef):
        return [frame.arguments] if frame.arguments is not None else []
    return [site.arguments for site in evaluator.sites.of(scope, frame)]


def of_attribute(evaluator: Evaluator, node: ast.Attribute, at: Point) -> Iterator[tuple[ast.expr, Point]]:
    """All that is stored in an attribute: in the function, by the methods of what has it, and by others; or
    what a property returns."""
    path = dotted(node)
    if path is not None:
        yield from set_to(path, at.frame)
    for holder, _ in evaluator.values(node.value, at):
        for above in evaluator.classes.line(holder.cls) if isinstance(holder, Instance) else ():
            outer = Frame(above.module, above.node, above.frame)
            yield from set_to(node.attr, outer)
            for function in functions_in(above.node.body):
                own = parameters(function)[:1]
                if own and isinstance(function, ast.FunctionDef):
                    bound = Function(function, outer, holder, above)
                    frame = evaluator.calls.enter(bound, None, None, None)
                    yield from set_to(f"{own[0].arg}.{node.attr}", frame)
            for made, _ in evaluator.classes.properties(above).get(node.attr, []):
                if isinstance(made.node, ast.FunctionDef):
                    of_holder = Function(made.node, made.frame, holder, made.owner)
                    yield from returned(evaluator, of_holder, made.node, None, at)
    for store in evaluator.attributes.outside.stores(node.attr):
        if store.value is not None:
            yield store.value, store.point


def set_to(path: str, frame: Frame) -> Iterator[tuple[ast.expr, Point]]:
    """What a scope's statements set a name or an attribute to, or take out of what they go through."""
    for statement in statements_in(frame.layout.body):
        if path not in own_names(statement):
            continue
        at = Point(frame, statement)
        match statement:
            case ast.Assign(targets=targets, value=value):
                for target in targets:
                    yield from ((part, at) for part in _parts(target, value, path))
            case ast.For(iter=value):
                yield value, at
            case ast.With(items=items):
                yield from ((item.context_expr, at) for item in items)


def _parts(target: ast.expr, value: ast.expr, path: str) -> list[ast.expr]:
    """Of what is assigned, what a name among the targets gets."""
    match target, value:
        case ast.Tuple(elts=targets) | ast.List(elts=targets), ast.Tuple(elts=values) | ast.List(elts=values):
            if len(targets) == len(values):
                return [
                    part
                    for inner, given in zip(targets, values, strict=True)
                    for part in _parts(inner, given, path)
                ]
    return [value] if path in target_names(target) else []
