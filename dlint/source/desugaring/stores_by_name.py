"""What stores in attributes of ``self`` by names that are written out, as assignments to them."""

from __future__ import annotations

import ast

_SELF = "self"
# By which a module of torch's gets an attribute.
_REGISTER = frozenset({"add_module", "register_buffer", "register_module", "register_parameter"})


def stores_by_name(statement: ast.stmt) -> list[ast.Assign]:
    """The assignments that do what a statement does: ``setattr(self, "file", file)``,
    ``self.__dict__.update(file=file)``, ``vars(self)["file"] = file``, ``self.register_buffer("mean", mean)``
    of torch's modules. None where it does anything else, or some name is not written out."""
    return [
        ast.copy_location(
            ast.Assign([ast.copy_location(_attribute(name, statement), statement)], value), statement
        )
        for name, value in _stored(statement)
    ]


def _attribute(name: str, statement: ast.stmt) -> ast.Attribute:
    own = ast.copy_location(ast.Name(_SELF, ast.Load()), statement)
    return ast.Attribute(own, name, ast.Store())


def _stored(statement: ast.stmt) -> list[tuple[str, ast.expr]]:
    found: list[tuple[ast.expr | None, ast.expr]] = []
    match statement:
        case ast.Expr(
            value=ast.Call(
                func=ast.Name(id="setattr") | ast.Attribute(value=ast.Name(id="object"), attr="__setattr__"),
                args=[ast.Name(id="self"), key, value],
                keywords=[],
            )
        ):
            found = [(key, value)]
        case ast.Expr(
            value=ast.Call(func=ast.Attribute(value=ast.Name(id="self"), attr=method), args=[key, value, *_])
        ) if method in _REGISTER:
            found = [(key, value)]
        case ast.Assign(targets=[ast.Subscript(value=held, slice=key)], value=value) if _is_own_dict(held):
            found = [(key, value)]
        case ast.Expr(
            value=ast.Call(func=ast.Attribute(value=held, attr="update"), args=[], keywords=keywords)
        ) if _is_own_dict(held):
            found = [
                (ast.Constant(keyword.arg) if keyword.arg else None, keyword.value) for keyword in keywords
            ]
        case ast.Expr(
            value=ast.Call(
                func=ast.Attribute(value=held, attr="update"),
                args=[ast.Dict(keys=keys, values=values)],
                keywords=[],
            )
        ) if _is_own_dict(held):
            found = list(zip(keys, values, strict=True))
    named = [
        (key.value, value)
        for key, value in found
        if isinstance(key, ast.Constant) and isinstance(key.value, str) and key.value.isidentifier()
    ]
    return named if len(named) == len(found) else []


def _is_own_dict(node: ast.expr) -> bool:
    """Whether an expression is the dict of the object's attributes."""
    match node:
        case ast.Attribute(value=ast.Name(id="self"), attr="__dict__"):
            return True
        case ast.Call(func=ast.Name(id="vars"), args=[ast.Name(id="self")], keywords=[]):
            return True
    return False
