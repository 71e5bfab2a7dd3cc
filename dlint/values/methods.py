"""What kind of method a function is, as its decorators and its body say."""

from __future__ import annotations

import ast

from dlint.knowledge.names import CACHED_PROPERTIES
from dlint.source.statements import FunctionNode, bare_name
from dlint.values.values import Function, Value

_PROPERTIES = frozenset({"property"}) | CACHED_PROPERTIES
_ABSTRACT = frozenset({"abstractmethod", "abstractproperty"})
_CACHES = frozenset({"lru_cache", "cache"}) | CACHED_PROPERTIES


def is_property(node: ast.AST) -> bool:
    """Whether a function is a property: reading the attribute calls it."""
    return isinstance(node, ast.FunctionDef) and any(
        decorated_by(decorator) in _PROPERTIES for decorator in node.decorator_list
    )


def is_setter(node: ast.AST) -> bool:
    """Whether a function is what storing in a property of its class calls: ``@size.setter``."""
    return isinstance(node, ast.FunctionDef) and any(
        isinstance(decorator, ast.Attribute)
        and decorator.attr in ("setter", "deleter")
        and isinstance(decorator.value, ast.Name)
        and decorator.value.id == node.name
        for decorator in node.decorator_list
    )


def is_abstract(value: Value) -> bool:
    """Whether what a class has under a name is a function that only the classes below it fill: one that is
    declared so, or does nothing but refuse."""
    return isinstance(value, Function) and is_only_declared(value.node)


def is_only_declared(node: ast.AST) -> bool:
    """Whether a method is left to the classes below its own."""
    if not isinstance(node, FunctionNode):
        return False
    if any(decorated_by(decorator) in _ABSTRACT for decorator in node.decorator_list):
        return True
    match node.body[-1]:
        case ast.Raise(exc=ast.Call(func=ast.Name(id=name)) | ast.Name(id=name)):
            return name == "NotImplementedError" and all(
                isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant) for each in node.body[:-1]
            )
    return False


def decorated_by(node: ast.expr) -> str:
    """What a decorator is called, whatever stands before its name."""
    if isinstance(node, ast.Call):
        node = node.func
    return bare_name(node)


def is_cached(scope: ast.AST) -> bool:
    """Whether a decorator keeps what a function gives: it is run once in a process."""
    return _is_decorated(scope, _CACHES)


def is_cached_beside(scope: ast.AST) -> bool:
    """Whether a decorator keeps what a method gives beside the object, which is pickled without it:
    ``lru_cache``, and no ``cached_property``."""
    return is_cached(scope) and not _is_decorated(scope, CACHED_PROPERTIES)


def _is_decorated(scope: ast.AST, names: frozenset[str]) -> bool:
    return any(decorated_by(decorator) in names for decorator in getattr(scope, "decorator_list", ()))
