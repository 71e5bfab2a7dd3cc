"""Whole streams: what gives all that a dataset goes through in an epoch, or a worker's share of it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.knowledge.iterables import opens
from dlint.source.statements import FunctionNode, dotted, statements_in, target_names
from dlint.streams.dividing.shares import Shares
from dlint.values.frame import Point, arguments_of, given_to
from dlint.values.functions import is_generator
from dlint.values.values import Function
from dlint.values.worlds import HERE

if TYPE_CHECKING:
    from dlint.calls.evaluator import Evaluator

_SAME = frozenset(
    f"builtins.{name}" for name in ("enumerate", "iter", "list", "reversed", "sorted", "tuple", "zip")
)
# What goes through all of its last argument, and gives what is made of it or chosen.
_OF_LAST = {"builtins.filter": 2, "builtins.map": 2, "itertools.chain.from_iterable": 1}
_FAR = 8  # variables and functions looked into
_REORDERS = frozenset({"shuffle", "sort", "reverse"})
_ENDLESS = frozenset({"itertools.count", "itertools.cycle", "itertools.chain", "itertools.repeat"})


def is_whole(
    evaluator: Evaluator, point: Point, node: ast.expr, far: int = 0, *, divided: bool = False
) -> bool:
    """Whether an expression surely gives the whole stream: a generator of the program, an open file,
    something endless, all that the dataset holds, or a worker's share of these. What is ``divided`` among
    workers, be it on one way only, may be held by the dataset's settings (``self.cfg.files``)."""
    match node:
        case ast.Attribute(value=holder):
            path = dotted(holder) or ""
            return path == "self" or (divided and path.startswith("self."))
        case ast.GeneratorExp() | ast.ListComp():
            return is_whole(evaluator, point, node.generators[0].iter, far, divided=divided)
        case ast.IfExp(body=body, orelse=orelse):
            divided = divided or _is_share(body, point) or _is_share(orelse, point)
            return all(is_whole(evaluator, point, each, far, divided=divided) for each in (body, orelse))
        case ast.Subscript(value=value) if _is_share(node, point):
            return is_whole(evaluator, point, value, far, divided=True)
        case ast.Subscript(value=value, slice=ast.Slice(upper=None, step=ast.expr())):
            return is_whole(evaluator, point, value, far, divided=divided)
        case ast.Name(id=name) if far < _FAR:
            held = list(_held(evaluator, point, name))
            divided = divided or any(value is not None and _is_share(value, at) for value, at in held)
            return bool(held) and all(
                value is not None and is_whole(evaluator, at, value, far + 1, divided=divided)
                for value, at in held
            )
        case ast.Call():
            return _makes_stream(evaluator, point, node, far)
    return False


def _is_share(node: ast.expr, point: Point) -> bool:
    """Whether an expression takes the part of what it is written with that begins with the worker's number,
    or one part behind another."""
    match node:
        case ast.Subscript(slice=ast.Slice(lower=ast.expr() as first, upper=None, step=ast.expr())):
            return not isinstance(first, ast.Constant)
        case ast.Subscript(slice=ast.Slice(step=None) as part):
            scope = point.frame.scope
            return isinstance(scope, FunctionNode) and Shares(scope).is_one_behind_another(part)
    return False


def _held(evaluator: Evaluator, point: Point, name: str) -> Iterator[tuple[ast.expr | None, Point]]:
    """What a variable may hold, by the statements that may have set it last, or by what a call gives."""
    given = given_to(point.frame, name)
    for statement, _ in evaluator.flow.definitions(name, point, HERE, passing=_reorders):
        value: ast.expr | None = None
        match statement:
            case None if given is not None and given.point is not None:
                yield given.expression, given.point
                continue
            case ast.Assign(targets=[ast.Name()], value=value):
                pass
            case ast.With(items=items):
                entered = [
                    each for each in items if each.optional_vars and name in target_names(each.optional_vars)
                ]
                value = entered[0].context_expr if len(entered) == 1 else None
        yield value, Point(point.frame, statement)


def _reorders(statement: ast.stmt) -> bool:
    """Whether a statement only gives things another order: ``random.shuffle(urls)``."""
    match statement:
        case ast.Expr(value=ast.Call(func=ast.Attribute(attr=name) | ast.Name(id=name))):
            return name in _REORDERS
    return False


def _makes_stream(evaluator: Evaluator, point: Point, call: ast.Call, far: int) -> bool:
    for value, _ in evaluator.values(call.func, point):
        if isinstance(value, Function) and isinstance(value.node, ast.FunctionDef):
            return is_generator(value.node) or (
                far < _FAR and _gives_stream(evaluator, point, value, call, far)
            )
        name = getattr(value, "name", "")
        if name in _ENDLESS or (opens(name) and name.endswith("open")):
            return True
        if name in _OF_LAST:
            return len(call.args) == _OF_LAST[name] and is_whole(evaluator, point, call.args[-1], far)
        if name in _SAME or (name == "itertools.islice" and _to_the_end(call)):
            given = call.args if name == "builtins.zip" else call.args[:1]
            return bool(given) and all(is_whole(evaluator, point, each, far) for each in given)
    return False


def _gives_stream(evaluator: Evaluator, point: Point, function: Function, call: ast.Call, far: int) -> bool:
    """Whether a function, be it a method of the same object, returns the whole stream, or a worker's share of
    what it is given."""
    if function.receiver is not None and function.receiver != point.frame.receiver:
        return False
    frame = evaluator.calls.enter(function, arguments_of(call, point), call, point)
    assert isinstance(function.node, ast.FunctionDef)
    returned = [each for each in statements_in(function.node.body) if isinstance(each, ast.Return)]
    return bool(returned) and all(
        each.value is not None and is_whole(evaluator, Point(frame, each), each.value, far + 1)
        for each in returned
    )


def _to_the_end(islice: ast.Call) -> bool:
    """Whether ``islice(stream, start, None, step)`` has no bound."""
    return len(islice.args) > 2 and isinstance(islice.args[2], ast.Constant) and islice.args[2].value is None
