"""What a name of a function may stand for, and which part of that: what it is assigned, given, or what is put
into it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dlint.source.statements import MUTATORS, FunctionNode, dotted, parameters, statements_in
from dlint.streams.memory.stored import Field
from dlint.values.frame import Argument, Frame, Point

# Which part of an item, by its place, its key or its name as a record's field; None: all of it.
Place = int | str | Field | None
# A definition of a name: the expression, which of its parts, and where it stands.
_Definition = tuple[ast.expr, Place, Point]


def argument_of(frame: Frame, name: str) -> Argument | None:
    """What a call gives for a parameter, as far as that is written out."""
    if frame.arguments is None or frame.arguments.splats or not isinstance(frame.scope, FunctionNode):
        return None
    names = [each.arg for each in parameters(frame.scope)][1 if frame.receiver is not None else 0 :]
    if name in frame.arguments.keywords:
        return frame.arguments.keywords[name]
    at = names.index(name) if name in names else len(names)
    given = frame.arguments.positional
    return given[at] if at < len(given) and not frame.arguments.spread else None


def constant_part(at: ast.expr) -> Place:
    """The part that a subscript takes, where that is written out."""
    return at.value if isinstance(at, ast.Constant) and isinstance(at.value, int | str) else None


def definitions_of(name: str, index: Place, frame: Frame) -> Iterator[_Definition]:
    """What a name of a function may stand for, and what is put into it."""
    for statement in statements_in(frame.layout.body):
        if name not in frame.layout.bound_by(statement):
            continue
        at = Point(frame, statement)
        match statement:
            case ast.Assign(targets=targets, value=value):
                for target in targets:
                    yield from ((value, part, at) for part in _places(target, name, index))
            case ast.AugAssign(target=target, value=value):
                yield from ((value, part, at) for part in _places(target, name, index))
            case ast.For(target=target, iter=value):
                yield from ((value, None, at) for _ in _places(target, name, None))
            case ast.With(items=items):
                for item in items:
                    if item.optional_vars is not None and _places(item.optional_vars, name, None):
                        yield item.context_expr, None, at
            case ast.Expr(
                value=ast.Call(func=ast.Attribute(value=receiver, attr=method), args=args, keywords=told)
            ):
                if method in MUTATORS and dotted(receiver) == name:
                    yield from ((each, None, at) for each in args)
                    yield from ((word.value, None, at) for word in told if word.arg in (None, index))


def _places(target: ast.expr, name: str, index: Place) -> list[Place]:
    """Which parts of what is assigned go to a name: the wanted one where all of it goes there."""
    match target:
        case ast.Name(id=bound) if bound == name:
            return [index]
        case ast.Subscript(value=ast.Name(id=bound), slice=at) if bound == name:
            put = constant_part(at)
            return [] if isinstance(index, str) and put is not None and put != index else [None]
        case ast.Tuple(elts=items) | ast.List(elts=items):
            if any(isinstance(item, ast.Starred) for item in items):
                return [None] if any(_places(item, name, None) for item in items) else []
            return [at for at, item in enumerate(items) if _places(item, name, None)]
        case ast.Starred(value=inner_target):
            return [None] if _places(inner_target, name, None) else []
    return []
