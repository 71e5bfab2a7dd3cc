"""Records: dataclasses and the like, whose ``__init__`` is made from the fields that the class declares.

The one that Python makes is written out, so that what an object holds is found as in any other class.
"""

from __future__ import annotations

import ast
from typing import NamedTuple, TypeVar

from dlint.source.desugaring.validators import run_afterwards, validated
from dlint.source.statements import dotted, last_name

_DECORATORS = frozenset(
    {
        "attr.dataclass", "attr.define", "attr.s", "attrs.define", "dataclass", "dataclasses.dataclass",
        "define", "pydantic.dataclasses.dataclass",
    }
)  # fmt: skip
_RECORDS = frozenset({
    "BaseModel", "NamedTuple", "collections.namedtuple", "namedtuple", "pydantic.BaseModel",
    "typing.NamedTuple",
})  # fmt: skip
# Bases that declare no fields: those of the class itself come first.
_WITHOUT_FIELDS = frozenset({"ABC", "Dataset", "Generic", "IterableDataset", "Module", "Protocol", "object"})
_FIELDS = frozenset({"Field", "attrib", "field", "ib"})
# Methods that the made ``__init__`` calls in the end.
AFTER_INIT = frozenset({"__attrs_post_init__", "__post_init__"})
_FACTORIES = ("default_factory", "factory")
_Statement = TypeVar("_Statement", bound=ast.stmt)


class _Field(NamedTuple):
    """``default`` and ``factory`` are what its value is, or what is called for it, where none is given;
    ``given`` is False where nobody can give one, ``kept`` where the object keeps none."""

    name: str
    place: ast.AnnAssign
    default: ast.expr | None
    factory: ast.expr | None
    given: bool
    kept: bool


def write_out_init(node: ast.ClassDef) -> None:
    """Adds the ``__init__`` of a record to its class, and leaves the defaults in the class's body that are
    attributes of the class."""
    if not is_record(node) or any(isinstance(s, ast.FunctionDef) and s.name == "__init__" for s in node.body):
        return
    fields = [field for statement in node.body if (field := _field(statement)) is not None]
    if not fields:
        return
    for field in fields:
        if field.factory is not None:
            field.place.value = None
        elif field.default is not None:
            field.place.value = field.default
    node.body.append(_init(node, fields))


def is_record(node: ast.ClassDef) -> bool:
    """Whether a class is a record, by its decorators and bases."""
    decorators = (each.func if isinstance(each, ast.Call) else each for each in node.decorator_list)
    return any(dotted(each) in _DECORATORS for each in decorators) or any(
        dotted(base) in _RECORDS for base in node.bases
    )


def is_field(node: ast.ClassDef, name: str) -> bool:
    """Whether what the body of a record gives a name is the default of a field, which each object has for an
    attribute of its own."""
    return is_record(node) and any(
        isinstance(inner, ast.Attribute) and inner.attr == name and isinstance(inner.ctx, ast.Store)
        for method in node.body
        if isinstance(method, ast.FunctionDef) and method.name == "__init__"
        for inner in ast.walk(method)
    )


def _field(statement: ast.stmt) -> _Field | None:
    if not isinstance(statement, ast.AnnAssign) or not isinstance(statement.target, ast.Name):
        return None
    kind = statement.annotation
    kind_name = last_name(kind.value if isinstance(kind, ast.Subscript) else kind)
    if kind_name in ("ClassVar", "KW_ONLY"):
        return None
    default, factory, given = statement.value, None, True
    match statement.value:
        case ast.Call(func=func, args=args, keywords=words) if last_name(func) in _FIELDS:
            named = {word.arg: word.value for word in words}
            default = named.get("default", args[0] if args else None)
            factory = next((named[word] for word in _FACTORIES if word in named), None)
            given = not (isinstance(named.get("init"), ast.Constant) and not named["init"].value)  # type: ignore[attr-defined]
    if isinstance(default, ast.Constant) and default.value is ...:
        default = None  # pydantic's word for "must be given"
    return _Field(statement.target.id, statement, default, factory, given, kind_name != "InitVar")


def _init(node: ast.ClassDef, fields: list[_Field]) -> ast.FunctionDef:
    taken = [field for field in fields if field.given]
    optional = [field.default is not None or field.factory is not None for field in taken]
    others = [dotted(base.value if isinstance(base, ast.Subscript) else base) or "" for base in node.bases]
    alone = all(other in _RECORDS or other.rpartition(".")[2] in _WITHOUT_FIELDS for other in others)
    # Those of a base come before its own.
    by_position = alone and optional == sorted(optional)
    names = [ast.arg(field.name, field.place.annotation) for field in taken]
    defaults = [
        field.default
        if field.default is not None
        else ast.Constant(None)
        if field.factory is not None
        else None
        for field in taken
    ]
    body: list[ast.stmt] = []
    if not alone:
        handed = ast.Call(
            ast.Attribute(ast.Call(ast.Name("super", ast.Load()), [], []), "__init__", ast.Load()),
            [ast.Starred(ast.Name("args", ast.Load()), ast.Load())],
            [ast.keyword(None, ast.Name("kwargs", ast.Load()))],
        )
        body.append(_at(ast.Expr(handed), fields[0].place))
    body += [_at(_stored(node, field), field.place) for field in fields if _is_stored(field)]
    for method in node.body:
        if isinstance(method, ast.FunctionDef) and method.name in AFTER_INIT:
            after = ast.Attribute(ast.Name("self", ast.Load()), method.name, ast.Load())
            given = _passed_on(fields) if alone and method.name == "__post_init__" else []
            body.append(_at(ast.Expr(ast.Call(after, given, [])), fields[-1].place))
    body += [_at(ast.Expr(call), fields[-1].place) for call in run_afterwards(node)]
    arguments = ast.arguments(
        [],
        [ast.arg("self"), *(names if by_position else [])],
        None if alone else ast.arg("args"),
        [] if by_position else names,
        [] if by_position else defaults,
        None if alone else ast.arg("kwargs"),
        [default for default in defaults if default is not None] if by_position else [],
    )
    made = ast.FunctionDef("__init__", arguments, body or [ast.Pass()], [], None)
    _at(made, fields[0].place)
    made.end_lineno, made.end_col_offset = fields[-1].place.end_lineno, fields[-1].place.end_col_offset
    return made


def _passed_on(fields: list[_Field]) -> list[ast.expr]:
    """What the constructor of a dataclass hands on to ``__post_init__``: what its objects do not keep."""
    return [ast.Name(field.name, ast.Load()) for field in fields if not field.kept]


def _is_stored(field: _Field) -> bool:
    return field.kept and (field.given or field.default is not None or field.factory is not None)


def _stored(node: ast.ClassDef, field: _Field) -> ast.Assign:
    """``self.x = x``, or what stands for x."""
    value: ast.expr = ast.Name(field.name, ast.Load())
    if field.factory is not None:
        made = _called(field.factory)
        missing = ast.Compare(ast.Name(field.name, ast.Load()), [ast.Is()], [ast.Constant(None)])
        value = ast.IfExp(missing, made, value) if field.given else made
    elif not field.given and field.default is not None:
        value = field.default
    value = validated(node, field.name, field.place.annotation, value)
    return ast.Assign([ast.Attribute(ast.Name("self", ast.Load()), field.name, ast.Store())], value)


def _called(factory: ast.expr) -> ast.expr:
    """What a factory gives; that of a lambda is written out: each object makes its own."""
    if isinstance(factory, ast.Lambda) and not any(
        (factory.args.args, factory.args.vararg, factory.args.kwarg)
    ):
        return factory.body
    return ast.Call(factory, [], [])


def _at(node: _Statement, place: ast.stmt) -> _Statement:
    """A node with the place of a field, and those inside it that have none."""
    for inner in ast.walk(node):
        if isinstance(inner, ast.stmt | ast.expr | ast.arg | ast.keyword) and not hasattr(inner, "lineno"):
            ast.copy_location(inner, place)
    return node
