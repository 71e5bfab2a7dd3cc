"""Calls of a script's functions by their names as texts: ``globals()[args.task](args)``.

Told only of functions that nothing else calls, that the file names in a text (``choices=["train", "test"]``)
or whose names begin as the one that is asked for, and that take what is passed.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.calls.indirect.starting import Trail, calls_through
from dlint.calls.site import Site
from dlint.regex import regex
from dlint.source.module import Module
from dlint.source.nodes import walk
from dlint.source.statements import FunctionNode
from dlint.values.frame import arguments_of

if TYPE_CHECKING:
    from dlint.calls.interface import Evaluator

_ASKING = ("globals()", "sys.modules[", "eval(")
_ASKS = regex(r"\bglobals\(\)\s*(?:\[|\.get\()|\bgetattr\(\s*sys\.modules\[__name__\]|\beval\(")


def sites_by_name(evaluator: Evaluator, module: Module, scope: FunctionNode) -> Iterator[Site]:
    """The calls of what its own module has under a name that may be this function's."""
    # Most files ask nothing so, and finding a text is much faster than a pattern.
    if not any(each in module.text for each in _ASKING) or scope not in module.tree.body:
        return
    if not module.says(_ASKS):
        return
    is_text = any(f"{quote}{scope.name}{quote}" in module.text for quote in "\"'")
    for trail in module.trails_at(module.lines_like(_ASKS)):
        for asked, calls in _asked(module, trail):
            for call, way in calls if _may_mean(asked, scope.name, is_text) else ():
                if _takes(scope, call):
                    point = evaluator.sites.point_of(module, way)
                    yield Site(call, point, arguments_of(call, point))


def _asked(module: Module, trail: Trail) -> Iterator[tuple[ast.expr, list[tuple[ast.Call, Trail]]]]:
    """The names that a statement asks its module for, each with the calls of what stands there."""
    statement = trail[-1]
    match statement:
        case ast.Assign(targets=[ast.Name(id=variable)], value=value):
            name = _name_in(value)
            if name is not None:
                around = _function_around(trail)
                calls = [
                    each for each in calls_through(module, variable) if _function_around(each[1]) is around
                ]
                yield name, calls
    for node in walk(statement) if isinstance(statement, ast.stmt) else ():
        if isinstance(node, ast.Call) and (name := _name_in(node.func)) is not None:
            yield name, [(node, [*trail, node.func])]


def _name_in(node: ast.expr) -> ast.expr | None:
    """The name that an expression looks up among those of the module it stands in."""
    match node:
        case ast.Subscript(value=ast.Call(func=ast.Name(id="globals"), args=[]), slice=name):
            return name
        case ast.Call(
            func=ast.Attribute(value=ast.Call(func=ast.Name(id="globals"), args=[]), attr="get"),
            args=[name, *_],
        ):
            return name
        case ast.Call(
            func=ast.Name(id="getattr"),
            args=[
                ast.Subscript(
                    value=ast.Attribute(value=ast.Name(id="sys"), attr="modules"),
                    slice=ast.Name(id="__name__"),
                ),
                name,
                *_,
            ],
        ):
            return name
        case ast.Call(func=ast.Name(id="eval"), args=[name]):
            return name
    return None


def _may_mean(name: ast.expr, function: str, is_text: bool) -> bool:
    """Whether a name that is asked for may be a function's: ``is_text`` where the file has that in a text."""
    match name:
        case ast.Name() | ast.Attribute() | ast.Subscript():
            return is_text
        case ast.Constant(value=text):
            return bool(text == function)
        case ast.BinOp(left=ast.Constant(value=str(text)), op=ast.Add(), right=ast.Name() | ast.Attribute()):
            return bool(text) and function.startswith(text)
        case ast.JoinedStr(values=[ast.Constant(value=str(text)), ast.FormattedValue()]):
            return function.startswith(text)
    return False


def _function_around(trail: Trail) -> ast.AST | None:
    return next((node for node in reversed(trail[:-1]) if isinstance(node, FunctionNode)), None)


def _takes(scope: FunctionNode, call: ast.Call) -> bool:
    """Whether a function can be called so, as far as that is written out."""
    spec = scope.args
    names = [each.arg for each in [*spec.posonlyargs, *spec.args]]
    open_ended = any(isinstance(each, ast.Starred) for each in call.args) or any(
        keyword.arg is None for keyword in call.keywords
    )
    if open_ended or spec.vararg is not None or spec.kwarg is not None:
        return True
    given = {keyword.arg for keyword in call.keywords}
    if len(call.args) > len(names) or given - {*names, *(each.arg for each in spec.kwonlyargs)}:
        return False
    required = names[: len(names) - len(spec.defaults)]
    return set(required[len(call.args) :]) <= given
