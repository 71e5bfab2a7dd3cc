"""What the text of a function says of its parameters, and that of a call of its arguments."""

from __future__ import annotations

import ast

from dlint.source.statements import FunctionNode
from dlint.values.frame import Argument, Arguments


def written(
    name: str, scope: FunctionNode | ast.Lambda, arguments: Arguments, method: bool
) -> Argument | None:
    """The argument that a call gives to a parameter, where it is written out there."""
    names = [a.arg for a in [*scope.args.posonlyargs, *scope.args.args]][1 if method else 0 :]
    given = arguments.keywords.get(name)
    if given is None and name in names and names.index(name) < len(arguments.positional):
        given = arguments.positional[names.index(name)]
    is_whole = given is not None and not given.element and given.expression is not None
    return given if is_whole and given is not None and given.point is not None else None


def default_of(name: str, scope: FunctionNode | ast.Lambda) -> ast.expr | None:
    """The default of a parameter."""
    spec = scope.args
    positional = [*spec.posonlyargs, *spec.args]
    for parameter, default in zip(reversed(positional), reversed(spec.defaults), strict=False):
        if parameter.arg == name:
            return default
    for parameter, value in zip(spec.kwonlyargs, spec.kw_defaults, strict=True):
        if parameter.arg == name:
            return value
    return None


def is_class_method(scope: FunctionNode | ast.Lambda | ast.ClassDef | ast.Module) -> bool:
    """Whether a function is a ``@classmethod``."""
    return any(
        isinstance(decorator, ast.Name) and decorator.id == "classmethod"
        for decorator in getattr(scope, "decorator_list", ())
    )


def is_static(scope: FunctionNode | ast.Lambda) -> bool:
    """Whether a function is a static method."""
    return isinstance(scope, ast.FunctionDef) and any(
        isinstance(decorator, ast.Name) and decorator.id == "staticmethod"
        for decorator in scope.decorator_list
    )
