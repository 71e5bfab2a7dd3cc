"""Loaders that get what a call gives for their worker_init_fn, where that surely is nothing for workers."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.knowledge.randomness import SEED_RESULTS
from dlint.program.origins import given_in_all, of_attribute, of_name, returned
from dlint.randomness.init_functions import result_of
from dlint.source.nodes import written_text
from dlint.source.statements import bare_name, changed_names, dotted, statements_in, steps
from dlint.values.frame import Arguments, Point
from dlint.values.values import Function, Made, Value, is_none

if TYPE_CHECKING:
    from dlint.calls.evaluator import Evaluator
    from dlint.loaders.loaders import Loader
    from dlint.program.program import Program

_ARGUMENT = "worker_init_fn"
# What gives a dict with the same entries, by its name.
_SAME = frozenset({"copy", "deepcopy"})
# So many expressions are looked at.
_MOST = 60

# An expression, and the keys of the dicts in it under which what is meant lies.
_Place = tuple[ast.expr, Point, tuple[str, ...]]


class Called(NamedTuple):
    """A call whose result a loader gets, and what that is ("None")."""

    call: ast.Call
    point: Point
    gives: str


def called_init(program: Program, loader: Loader) -> Called | None:
    """The call that gives a loader its worker_init_fn, written there or where a variable or a dict of options
    gets it; None where it may give a function."""
    evaluator = program.evaluator
    written = loader.written(_ARGUMENT)
    if isinstance(written, ast.Call):
        evaluator.start()
        return _judged(evaluator, written, loader.point)
    given = [value for value in loader.values(_ARGUMENT) if value is not None]
    if not given or not all(map(_is_no_function, given)):
        return None
    evaluator.start()
    return _among(evaluator, loader)


def _is_no_function(value: Value) -> bool:
    return is_none(value) or (isinstance(value, Made) and value.name in SEED_RESULTS)


def _judged(evaluator: Evaluator, call: ast.Call, point: Point) -> Called | None:
    whats = {result_of(callee) for callee, _ in evaluator.values(call.func, point)}
    what = whats.pop() if len(whats) == 1 else None
    return Called(call, point, what) if what is not None else None


def _among(evaluator: Evaluator, loader: Loader) -> Called | None:
    """The first such call among all places that the argument may have come from."""
    waiting = list(_begun(loader))
    seen = set[tuple[int, int, tuple[str, ...]]]()
    while waiting and len(seen) < _MOST:
        node, at, keys = waiting.pop(0)
        mark = (id(node), at.frame.key, keys)
        if mark in seen:
            continue
        seen.add(mark)
        found = _judged(evaluator, node, at) if isinstance(node, ast.Call) and not keys else None
        if found is not None:
            return found
        waiting += _behind(evaluator, node, at, keys)
    return None


def _begun(loader: Loader) -> Iterator[_Place]:
    """Where the argument is written, and the dicts of options that may have it."""
    arguments, signature = loader.arguments, loader.kind.signature
    place = signature.index(_ARGUMENT) if _ARGUMENT in signature else len(arguments.positional)
    by_place = arguments.positional[place : place + 1]
    if by_place and by_place[0].expression is not None and by_place[0].point is not None:
        yield by_place[0].expression, by_place[0].point, ()
    else:
        yield from _of_call(arguments, (_ARGUMENT,))


def _behind(evaluator: Evaluator, node: ast.expr, at: Point, keys: tuple[str, ...]) -> Iterator[_Place]:
    """What an expression stands for, one step back; the entry under some keys of it."""
    match node:
        case ast.Name(id=name):
            yield from ((each, there, keys) for each, there in of_name(evaluator, name, at))
            yield from _stored(name, at, keys)
            yield from _handed_on(evaluator, name, at, keys)
        case ast.Attribute():
            yield from ((each, there, keys) for each, there in of_attribute(evaluator, node, at))
            yield from _stored(dotted(node), at, keys)
        case ast.Subscript(value=inner, slice=ast.Constant(value=str(key))):
            yield inner, at, (key, *keys)
        case ast.IfExp(body=one, orelse=other):
            yield from ((each, at, keys) for each in (one, other))
        case ast.Dict(keys=names, values=values) if keys:
            for name_of, value in zip(names, values, strict=True):
                yield from _entry(None if name_of is None else written_text(name_of) or "", value, at, keys)
        case ast.BinOp(op=ast.BitOr(), left=one, right=other) if keys:
            yield from ((each, at, keys) for each in (one, other))
        case ast.Call(func=ast.Name(id="dict"), args=args, keywords=keywords) if keys:
            yield from ((each, at, keys) for each in args)
            for word in keywords:
                yield from _entry(word.arg, word.value, at, keys)
        case ast.Call(func=func, args=args):
            if bare_name(func) in _SAME:
                same = args[:1] or ([func.value] if isinstance(func, ast.Attribute) else [])
                yield from ((each, at, keys) for each in same)
            for callee, _ in evaluator.values(func, at):
                if isinstance(callee, Function) and isinstance(callee.node, ast.FunctionDef):
                    for each, there in returned(evaluator, callee, callee.node, node, at):
                        yield each, there, keys


def _handed_on(evaluator: Evaluator, name: str, at: Point, keys: tuple[str, ...]) -> Iterator[_Place]:
    """What calls of a function give by keywords that it takes as they come (``**kwargs``)."""
    scope = at.frame.scope
    rest = scope.args.kwarg if isinstance(scope, ast.FunctionDef) else None
    if keys and rest is not None and rest.arg == name:
        for arguments in given_in_all(evaluator, at.frame):
            yield from _of_call(arguments, keys)


def _of_call(arguments: Arguments, keys: tuple[str, ...]) -> Iterator[_Place]:
    """What a call gives by a keyword, or the dicts of options that may have it."""
    given = arguments.keywords.get(keys[0])
    for argument, left in [(given, keys[1:])] if given is not None else [(x, keys) for x in arguments.splats]:
        if argument.expression is not None and argument.point is not None:
            yield argument.expression, argument.point, left


def _entry(name: str | None, value: ast.expr, at: Point, keys: tuple[str, ...]) -> Iterator[_Place]:
    """What is put under a name of a dict, or a dict whose entries are put in it (None), where it is asked
    for."""
    if name is None:
        yield value, at, keys
    elif name == keys[0]:
        yield value, at, keys[1:]


def _stored(path: str | None, at: Point, keys: tuple[str, ...]) -> Iterator[_Place]:
    """What the scope stores under some keys of what it calls so, or below the first of them."""
    if path is None or not keys:
        return
    for statement in statements_in(at.frame.layout.body):
        if path not in changed_names(statement):
            continue
        there = Point(at.frame, statement)
        match statement:
            case ast.Assign(targets=[ast.Subscript() as target], value=value):
                root, names = steps(target)
                told = tuple(written_text(each) or "" for each in names)
                if dotted(root) == path and keys[: len(told)] == told:
                    yield value, there, keys[len(told) :]
            case ast.Expr(value=ast.Call(func=ast.Attribute(attr="update", value=target)) as call) if (
                dotted(target) == path
            ):
                yield from ((each, there, keys) for each in call.args)
                for word in call.keywords:
                    yield from _entry(word.arg, word.value, there, keys)
            case ast.Expr(
                value=ast.Call(func=ast.Attribute(attr="setdefault", value=target), args=[name, value])
            ) if dotted(target) == path:
                yield from _entry(written_text(name) or "", value, there, keys)
