"""Named tuples that a call makes, as the classes that they are.

``Options = namedtuple("Options", "workers keep")``, and ``class Options(namedtuple("Options", ...))``, become
classes that declare their fields, as one does that is derived from ``typing.NamedTuple``.
"""

from __future__ import annotations

import ast

from dlint.source.statements import dotted

_MAKERS = frozenset({"NamedTuple", "collections.namedtuple", "namedtuple", "typing.NamedTuple"})


def as_class(statement: ast.Assign) -> ast.ClassDef | None:
    """The class that an assignment of a named tuple stands for; None where it is another assignment, or its
    fields are not written out, or it goes by another name than it has."""
    match statement:
        case ast.Assign(
            targets=[ast.Name(id=name)], value=ast.Call(args=[ast.Constant(value=called), *_]) as call
        ) if name == called:
            fields = _fields(call)
            if fields:
                cls = ast.ClassDef(name, [call.func], [], [*fields], [])
                return ast.copy_location(cls, statement)
    return None


def derive_plainly(node: ast.ClassDef) -> None:
    """Gives a class that is derived from such a call the fields itself."""
    match node.bases:
        case [ast.Call() as call]:
            fields = _fields(call)
            if fields:
                node.bases = [call.func]
                node.body[:0] = fields


def _fields(call: ast.Call) -> list[ast.AnnAssign]:
    """The fields of a named tuple, with their defaults; none where these are not written out."""
    if dotted(call.func) not in _MAKERS or len(call.args) != 2:
        return []
    names, defaults = _names(call.args[1]), list[ast.expr]()
    for keyword in call.keywords:
        match keyword:
            case ast.keyword(arg="defaults", value=ast.Tuple(elts=given) | ast.List(elts=given)):
                defaults = given
            case ast.keyword(arg="module"):
                pass
            case _:
                return []
    if not all(map(str.isidentifier, names)) or len(defaults) > len(names):
        return []
    made: list[ast.AnnAssign] = []
    for at, name in enumerate(names, len(defaults) - len(names)):
        field = ast.AnnAssign(
            ast.copy_location(ast.Name(name, ast.Store()), call),
            ast.copy_location(ast.Name("object", ast.Load()), call),
            defaults[at] if at >= 0 else None,
            1,
        )
        made.append(ast.copy_location(field, call))
    return made


def _names(fields: ast.expr) -> list[str]:
    """The names of fields: ``"workers keep"``, ``["workers", "keep"]``, ``[("workers", int)]``."""
    match fields:
        case ast.Constant(value=str(text)):
            return text.replace(",", " ").split()
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            first = [part.elts[0] if isinstance(part, ast.Tuple) and part.elts else part for part in parts]
            return [str(getattr(each, "value", "")) for each in first]
    return []
