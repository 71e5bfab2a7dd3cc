"""Whether what a place goes through may be an iterator: that is gone on with, where others start anew."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dlint.calls.evaluator import Evaluator
from dlint.calls.parameters import is_static, written
from dlint.source.statements import (
    dotted,
    functions_in,
    own_names,
    parameters,
    statements_in,
    target_names,
)
from dlint.values.frame import Frame, Point, arguments_of
from dlint.values.functions import is_generator
from dlint.values.values import Function, Instance

# What gives an iterator, and what gives the one that it is given; by name: one of the program's own makes
# what it likes of it.
_MAKES = frozenset({"iter", "cycle"})
_SAME = frozenset({"tqdm", "closing", "nullcontext"})
# So many expressions are looked at before it is left open.
_MOST = 60


def may_be_iterator(evaluator: Evaluator, node: ast.expr, point: Point) -> bool:
    """Whether an expression may stand for an iterator: on some way to it stands ``iter(x)``, ``cycle(x)`` or
    the call of a generator, or there are too many to say."""
    waiting = [(node, point)]
    seen = set[tuple[int, int]]()
    while waiting:
        each, at = waiting.pop()
        if (id(each), at.frame.key) in seen:
            continue
        seen.add((id(each), at.frame.key))
        if len(seen) > _MOST:
            return True
        match each:
            case ast.Call(func=func, args=args):
                name = func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "")
                if name in _MAKES:
                    return True
                if name in _SAME:
                    waiting += [(given, at) for given in args[:1]]
                for value, _ in evaluator.values(func, at):
                    if isinstance(value, Function) and isinstance(value.node, ast.FunctionDef):
                        if is_generator(value.node):
                            return True
                        waiting += _returned(evaluator, value, value.node, each, at)
            case ast.Name(id=name):
                waiting += _of_name(evaluator, name, at)
            case ast.Attribute():
                waiting += _of_attribute(evaluator, each, at)
            case ast.Subscript(value=inner) | ast.Starred(value=inner) | ast.NamedExpr(value=inner):
                waiting.append((inner, at))
            case ast.ListComp(elt=inner) | ast.DictComp(value=inner) | ast.GeneratorExp(elt=inner):
                waiting.append((inner, at))
            case ast.IfExp(body=one, orelse=other):
                waiting += [(one, at), (other, at)]
            case (
                ast.BoolOp(values=parts)
                | ast.Tuple(elts=parts)
                | ast.List(elts=parts)
                | ast.Dict(values=parts)
            ):
                waiting += [(part, at) for part in parts]
    return False


def _returned(
    evaluator: Evaluator, function: Function, node: ast.FunctionDef, call: ast.Call, at: Point
) -> Iterator[tuple[ast.expr, Point]]:
    frame = evaluator.calls.enter(function, arguments_of(call, at), call, at)
    for statement in statements_in(node.body):
        if isinstance(statement, ast.Return) and statement.value is not None:
            yield statement.value, Point(frame, statement)


def _of_name(evaluator: Evaluator, name: str, at: Point) -> Iterator[tuple[ast.expr, Point]]:
    """All that a name is set to, wherever in its scope, and what its function is given for it."""
    frame: Frame | None = at.frame
    while frame is not None:
        yield from _set_to(name, frame)
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
    if frame.arguments is not None:
        given = [written(name, scope, frame.arguments, frame.receiver is not None)]
    else:
        method = frame.owner is not None and not is_static(scope)
        given = [written(name, scope, site.arguments, method) for site in evaluator.sites.of(scope, frame)]
    for argument in given:
        if argument is not None and argument.expression is not None and argument.point is not None:
            yield argument.expression, argument.point


def _of_attribute(evaluator: Evaluator, node: ast.Attribute, at: Point) -> Iterator[tuple[ast.expr, Point]]:
    """All that is stored in an attribute: in the function, by the methods of what has it, and by others."""
    path = dotted(node)
    if path is not None:
        yield from _set_to(path, at.frame)
    for holder, _ in evaluator.values(node.value, at):
        for above in evaluator.classes.line(holder.cls) if isinstance(holder, Instance) else ():
            outer = Frame(above.module, above.node, above.frame)
            yield from _set_to(node.attr, outer)
            for function in functions_in(above.node.body):
                own = parameters(function)[:1]
                if own and isinstance(function, ast.FunctionDef):
                    bound = Function(function, outer, holder, above)
                    frame = evaluator.calls.enter(bound, None, None, None)
                    yield from _set_to(f"{own[0].arg}.{node.attr}", frame)
    for store in evaluator.attributes.outside.stores(node.attr):
        if store.value is not None:
            yield store.value, store.point


def _set_to(path: str, frame: Frame) -> Iterator[tuple[ast.expr, Point]]:
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
