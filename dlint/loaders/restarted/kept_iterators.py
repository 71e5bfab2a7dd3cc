"""An object that keeps an iterator over a loader: how much a loop takes of that in a round
in which it has the object begin again."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from dlint.calls.site import Site
from dlint.source.nodes import walk
from dlint.source.statements import dotted, self_name, statement_at
from dlint.values.frame import Point
from dlint.values.values import Class, Function, Instance

if TYPE_CHECKING:
    from dlint.calls.evaluator import Evaluator

_ROUNDS = (ast.For, ast.AsyncFor, ast.While, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_LATER = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
_NEXTS = frozenset({"next", "__next__"})


def takes_one_by_one(evaluator: Evaluator, site: Site, loop: ast.For | ast.While, kept: str) -> bool:
    """Whether a round of a loop surely takes a few things, as often as that is written, and no more from the
    object that a call in it makes, or has begin again: ``fetch.reset()``, and then ``fetch.next()``. ``kept``
    is the attribute by which the object has its iterator."""
    scope, call = site.point.frame.scope, site.call
    if isinstance(scope, ast.Lambda):
        return False
    called = [value for value, _ in evaluator.values(call.func, site.point)]
    first: list[Function] = []
    if called and all(isinstance(value, Class) for value in called):
        holder = _name_given(loop, call)
        for made, _ in evaluator.values(call, site.point):
            if isinstance(made, Instance):
                first += evaluator.classes.methods(made, "__init__")
    else:
        holder = _called_on(call)
        first = [value for value in called if isinstance(value, Function)]
    inside = [node for node in walk(loop) if _is_held(node, holder, call)]
    if len(first) < len(called) or not inside or not _are_in_rounds(inside, loop, holder, scope):
        return False
    asked = list(first)
    called_there = {id(node.func) for node in walk(loop) if isinstance(node, ast.Call)}
    for node in walk(loop):
        match node:
            case ast.Call(func=ast.Attribute(value=on) as method) if _is_held(on, holder, call):
                at = Point(site.point.frame, statement_at(scope, method))
                found = [value for value, _ in evaluator.values(method, at)]
                if not found or not all(isinstance(value, Function) for value in found):
                    return False
                asked += [value for value in found if isinstance(value, Function)]
            case ast.Attribute(value=on) if _is_held(on, holder, call) and id(node) not in called_there:
                return False
    return _take_few(evaluator, asked, kept)


def _name_given(loop: ast.For | ast.While, call: ast.Call) -> str | None:
    """The name that a statement of a loop gives to what a call makes."""
    for node in walk(loop):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if value is call:
                return name
    return None


def _called_on(call: ast.Call) -> str | None:
    match call.func:
        case ast.Attribute(value=ast.Name(id=name)):
            return name
    return None


def _is_held(node: ast.AST, holder: str | None, call: ast.Call) -> bool:
    """Whether an expression is the object: by its name, or where it is made."""
    match node:
        case ast.Name(id=name, ctx=ast.Load()):
            return name == holder
    return holder is None and node is call


def _are_in_rounds(
    inside: list[ast.AST], loop: ast.For | ast.While, holder: str | None, scope: ast.AST
) -> bool:
    """Whether a loop only asks an object for something, in no loop inside, and no other
    code that the scope runs, or hands on, knows the object."""
    asked = {id(node.value) for node in walk(loop) if isinstance(node, ast.Attribute)}
    if any(id(node) not in asked for node in inside):
        return False
    known = {id(node) for node in inside}
    again = (node for node in walk(loop) if isinstance(node, _ROUNDS) and node is not loop)
    later = (node for node in walk(scope) if isinstance(node, _LATER) and node is not scope)
    return not any(id(each) in known for node in again for each in walk(node)) and not any(
        isinstance(each, ast.Name) and each.id == holder for node in later for each in walk(node)
    )


def _take_few(evaluator: Evaluator, methods: list[Function], kept: str) -> bool:
    """Whether methods, and those of their object that they call, take something of what their object keeps,
    never in a loop, and give the iterator to nobody."""
    takes, waiting, seen = False, list(methods), set[int]()
    while waiting:
        method = waiting.pop()
        node, own = method.node, method.receiver
        if id(node) in seen:
            continue
        seen.add(id(node))
        if not isinstance(node, ast.FunctionDef) or not isinstance(own, Instance):
            return False
        holder = self_name(node)
        mentions = {
            id(each)
            for each in walk(node)
            if isinstance(each, ast.Attribute)
            and each.attr == kept
            and isinstance(each.ctx, ast.Load)
            and dotted(each.value) == holder
        }
        calls = [each for each in walk(node) if isinstance(each, ast.Call)]
        taken = {id(one) for each in calls if (one := _takes_from(each)) is not None}
        called = [each for each in calls if _called_on(each) == holder]
        rounds = {
            id(each)
            for loop in walk(node)
            if isinstance(loop, (*_ROUNDS, *_LATER)) and loop is not node
            for each in walk(loop)
        }
        if mentions - taken or any(isinstance(each, ast.Yield | ast.YieldFrom) for each in walk(node)):
            return False
        if mentions & rounds or any(id(each) in rounds for each in called):
            return False
        takes = takes or bool(mentions)
        for each in called:
            assert isinstance(each.func, ast.Attribute)
            waiting += evaluator.classes.methods(own, each.func.attr)
    return takes


def _takes_from(call: ast.Call) -> ast.expr | None:
    """What a call takes one thing of."""
    match call:
        case ast.Call(func=ast.Name(id="next"), args=[source, *_]):
            return source
        case ast.Call(func=ast.Attribute(value=source, attr=name)) if name in _NEXTS:
            return source
    return None
