"""What pydantic's validators make of the fields of a record before its object holds them.

A validator of one field is a call with what was given, or with the default: where it only looks and hands
its value on, that is what the field holds. What one of the whole model makes of what it was given, before or
around pydantic's own work, is not known.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dlint.regex import regex
from dlint.source.nodes import speaks_of, walk
from dlint.source.statements import head_name

_OF_FIELDS = frozenset({"field_validator", "validator"})
_OF_MODELS = frozenset({"model_validator", "root_validator"})
_ALL = "*"
# ``Annotated[int, AfterValidator(f)]``
_IN_ANNOTATIONS = regex("Validator")
_AFTERWARDS = "model_post_init"
_FROM_FILE = "env_file"


def validated(node: ast.ClassDef, field: str, annotation: ast.expr, value: ast.expr) -> ast.expr:
    """What a field holds that is given a value."""
    unclear = any(_is_of_model(each) and _mode(each) != "after" for each in _decorators(node))
    unclear = unclear or any(_names(call, field) for call in _without_function(node))
    if unclear or speaks_of(_IN_ANNOTATIONS, annotation):
        return ast.Name(f"{node.name}.{field} as it is validated", ast.Load())  # bound nowhere
    for function in _functions(node):
        if any(_names(each, field) for each in function.decorator_list):
            method = ast.Attribute(ast.Name("self", ast.Load()), function.name, ast.Load())
            value = ast.Call(method, [value], [])
    return value


def run_afterwards(node: ast.ClassDef) -> Iterator[ast.Call]:
    """The calls of what pydantic runs when an object has all its fields."""
    for function in _functions(node):
        after = any(_is_of_model(each) and _mode(each) == "after" for each in function.decorator_list)
        if after or function.name == _AFTERWARDS:
            method = ast.Attribute(ast.Name("self", ast.Load()), function.name, ast.Load())
            yield ast.Call(method, [] if after else [ast.Constant(None)], [])


def may_change(node: ast.ClassDef, field: str) -> bool:
    """Whether what a class declares may give a field of its heirs another value than its default, or a file
    that it names for its settings may."""
    words = (each.arg for each in walk(node) if isinstance(each, ast.keyword))
    return (
        any(_is_of_model(each) or _names(each, field) for each in _decorators(node))
        or any(_names(each, field) for each in _without_function(node))
        or any(each.name == _AFTERWARDS for each in _functions(node))
        or _FROM_FILE in words
    )


def _functions(node: ast.ClassDef) -> Iterator[ast.FunctionDef]:
    return (each for each in node.body if isinstance(each, ast.FunctionDef))


def _decorators(node: ast.ClassDef) -> Iterator[ast.expr]:
    return (each for function in _functions(node) for each in function.decorator_list)


def _without_function(node: ast.ClassDef) -> Iterator[ast.expr]:
    """Validators that are made of functions elsewhere: ``_check = field_validator("x")(check)``."""
    for each in node.body:
        match each:
            case ast.Assign(value=ast.Call(func=ast.Call() as made)):
                yield made


def _names(decorator: ast.expr, field: str) -> bool:
    """Whether a decorator makes a validator of a field. That of attrs, ``@x.validator``, is no call, and what
    it decorates only looks."""
    if not isinstance(decorator, ast.Call) or head_name(decorator) not in _OF_FIELDS:
        return False
    return any(not isinstance(each, ast.Constant) or each.value in (_ALL, field) for each in decorator.args)


def _is_of_model(decorator: ast.expr) -> bool:
    return head_name(decorator) in _OF_MODELS


def _mode(decorator: ast.expr) -> object:
    words = decorator.keywords if isinstance(decorator, ast.Call) else []
    return next((getattr(each.value, "value", None) for each in words if each.arg == "mode"), None)
