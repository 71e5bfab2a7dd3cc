"""Where a file makes an iterator and takes one thing out of it: ``next(iter(x))``, in one step or in two."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from dlint.source.module import Module
from dlint.source.nodes import walk
from dlint.source.statements import dotted

_NEXTS = ("next", "__next__")
_AGAIN = (ast.For, ast.AsyncFor, ast.While, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


class Restart(NamedTuple):
    """One of them: the nodes down to it, the call that takes the thing, what is gone through, and whether it
    is written as one expression."""

    trail: list[ast.AST]
    call: ast.Call
    source: ast.expr
    at_once: bool


def restarts(module: Module) -> Iterator[Restart]:
    """Every place of a module that starts an iterator for one thing."""
    for trail in module.paths_to("iter"):
        if len(trail) < 3:
            continue
        inner, outer = trail[-2], trail[-3]
        if not isinstance(inner, ast.Call) or inner.func is not trail[-1] or len(inner.args) != 1:
            continue
        if isinstance(outer, ast.Attribute) and outer.attr in _NEXTS and len(trail) > 3:
            call = trail[-4]
            if isinstance(call, ast.Call) and call.func is outer:
                yield Restart(trail[:-3], call, inner.args[0], True)
        elif isinstance(outer, ast.Call) and isinstance(outer.func, ast.Name) and outer.func.id == "next":
            yield Restart(trail[:-2], outer, inner.args[0], True)
        elif isinstance(outer, ast.Assign) and outer.value is inner and isinstance(trail[-4], _AGAIN):
            taken = _taken(trail[-4], outer)
            if taken is not None:
                yield Restart(trail[:-2], taken, inner.args[0], False)


def _taken(loop: ast.AST, statement: ast.Assign) -> ast.Call | None:
    """The call that takes one thing out of what a statement of a loop's body has just made, if nothing else
    is done with it there."""
    body = getattr(loop, "body", [])
    match statement.targets:
        case [ast.Name(id=name)] if statement in body:
            pass
        case _:
            return None
    taken: list[ast.Call] = []
    others = 0
    for each in body[body.index(statement) + 1 :]:
        again = isinstance(each, _AGAIN)
        for node in walk(each):
            again = again or isinstance(node, _AGAIN)
            match node:
                case ast.Call(func=ast.Name(id="next"), args=[ast.Name(id=given), *_]) if given == name:
                    taken.append(node)
                case ast.Call(func=ast.Attribute(value=ast.Name(id=given), attr=method)) if given == name:
                    if method in _NEXTS:
                        taken.append(node)
                case ast.Name(id=given) if given == name:
                    others += 1
        if again and any(isinstance(node, ast.Name) and node.id == name for node in walk(each)):
            return None
    return taken[0] if len(taken) == others == 1 else None


def base_of(source: ast.expr) -> str | None:
    """The dotted name of what is gone through, or of what it is picked from (``loaders[k]``)."""
    return dotted(source.value if isinstance(source, ast.Subscript) else source)
