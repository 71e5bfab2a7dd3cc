"""A generator that the body of a class makes: an attribute of the class, which its objects share, or a field
of a dataclass, of which each object has one."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass

import libcst as cst

from dlint.changes.mentions import mentions
from dlint.changes.stores import Kin
from dlint.finding import Finding
from dlint.program.program import Program
from dlint.rewriting.each_process.attribute import (
    check_class,
    is_dataclass,
    is_free,
    lines_of,
    read_by_class,
)
from dlint.rewriting.each_process.made import Made, StaysShared, receiver_of
from dlint.rewriting.each_process.moved.hints import (
    class_of,
    dict_by_worker,
    dict_type,
    is_evaluated_later,
    is_hinted,
)
from dlint.rewriting.each_process.per_process import (
    PerProcess,
    entered,
    fitted,
    kept_under,
    property_text,
)
from dlint.rewriting.edits import Edits
from dlint.rewriting.header import spaced
from dlint.rewriting.pieces import statements
from dlint.rewriting.pieces.imports import name_for
from dlint.rewriting.source import Source
from dlint.values.values import Class, External

_FIELD = "dataclasses.field"
# What goes through the fields of a dataclass, or takes them by name.
_GOES_THROUGH = ("asdict", "astuple", "fields")
_COPIES = frozenset({"copy.replace", "dataclasses.replace", "functools.partial"})


@dataclass(frozen=True)
class InBody:
    """A statement of a class's body that makes a generator; ``field``: the call that says how each object of
    a dataclass gets its own."""

    statement: cst.Assign | cst.AnnAssign
    target: cst.Name
    value: cst.Call
    owner: cst.ClassDef
    field: cst.Call | None = None

    @property
    def name(self) -> str:
        """What the attribute is called."""
        return self.target.value


def in_class_body(source: Source, finding: Finding) -> InBody | None:
    """The statement that the finding points at; None where it is not of a class's body, or no plain one."""
    node = source.at(finding, cst.Call, cst.Assign, cst.AnnAssign)
    statement = source.statement_of(node)
    if not isinstance(statement, cst.Assign | cst.AnnAssign) or source.function_of(statement) is not None:
        return None
    owner = source.enclosing(statement, cst.ClassDef)
    targets = [each.target for each in statement.targets] if isinstance(statement, cst.Assign) else []
    target = statement.target if isinstance(statement, cst.AnnAssign) else targets[0]
    if owner is None or len(targets) > 1 or not isinstance(target, cst.Name):
        return None
    if source.parent(source.line_of(statement)) is not owner.body:
        return None
    value = statement.value
    if not isinstance(value, cst.Call):
        return None
    made = _factory(value) if source.qualified(value.func) == _FIELD else value
    if made is None or node not in (made, receiver_of(made), statement):
        return None
    return InBody(statement, target, made, owner, None if made is value else value)


def _factory(field: cst.Call) -> cst.Call | None:
    """What a field's ``default_factory=lambda: make()`` makes."""
    for arg in field.args:
        match arg:
            case cst.Arg(
                keyword=cst.Name(value="default_factory"),
                value=cst.Lambda(params=cst.Parameters(params=[]), body=cst.Call() as made),
            ):
                return made
    return None


def is_field(kin: Kin, body: InBody) -> bool:
    """Whether each object of a dataclass is made with one: those who make it may give another."""
    if body.field is not None:
        return True
    if isinstance(body.statement, cst.Assign) or _of_class(body.statement) is not None:
        return False
    return is_dataclass(kin)


def check_body(source: Source, program: Program, kin: Kin, body: InBody) -> None:
    """Raise CannotRepair unless the attribute can become a property."""
    name, kept = body.name, kept_under(body.name, by_worker=True)
    if name.startswith("__"):
        raise StaysShared("the attribute's name is private to the class")
    if body.field is not None and (not is_dataclass(kin) or source.has_comments(body.field)):
        raise StaysShared("it is made within another expression")
    here, (first, last) = source.surroundings.module(source), lines_of(source, body.statement)
    for store in kin.stores(name):
        if store.module is not here or not first <= getattr(store.node, "lineno", 0) <= last:
            raise StaysShared(f"{name} is also set elsewhere ({store})")
    field = is_field(kin, body)
    for cls in kin.classes:
        mine = cls.node is kin.cls.node
        check_class(kin, cls, name, declares=mine, may_have_slots=mine, of_class=body.field is None)
    if sum(name in _bound_by(each) for each in kin.cls.node.body) > 1:
        raise StaysShared(f"the class {kin.cls.name} sets {name} more than once")
    if any(each.id == name for each in read_by_class(kin.cls, last)):
        raise StaysShared(f"below it the class {kin.cls.name} reads {name}, which a property would hide")
    for mention in mentions(program, name):
        node = mention.node
        if isinstance(node, ast.Attribute) and kin.may_be_class(node.value, mention.module, mention.trail):
            raise StaysShared(f"{mention.module.relative}:{node.lineno} asks the class for it, no object")
    if not is_free(kin, kept):
        raise StaysShared(f"the name {kept} is in use")
    if field:
        _check_never_given(program, kin, name, _fields_before(body))


def _bound_by(statement: ast.stmt) -> set[str]:
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return {statement.name}
    return {n.id for n in ast.walk(statement) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}


def _fields_before(body: InBody) -> int:
    """How many arguments at the least come before that of a field."""
    found = 0
    for line in body.owner.body.body:
        for each in line.body if isinstance(line, cst.SimpleStatementLine) else ():
            if each is body.statement:
                return found
            found += isinstance(each, cst.AnnAssign) and _of_class(each) is None
    return found


def _check_never_given(program: Program, kin: Kin, name: str, before: int) -> None:
    """Refuse where what makes an object may give it a generator, or something goes through its fields."""
    index, home = program.modules.index, kin.cls.module.relative
    near = {home, *program.boundaries.importers(home)}
    for word in _GOES_THROUGH:
        for relative in near.intersection(index.naming(word)):
            raise StaysShared(f"{relative} may go through the fields of {kin.cls.name} ({word})")
    for cls in kin.classes:
        for mention in mentions(program, cls.node.name):
            call = mention.trail[-2] if len(mention.trail) > 1 else None
            if isinstance(call, ast.Call) and call.func is mention.node and _gives(call, name, before):
                raise StaysShared(f"{mention.module.relative}:{call.lineno} may give one")
    for mention in mentions(program, name):
        call = mention.trail[-2] if len(mention.trail) > 1 else None
        if isinstance(mention.node, ast.keyword) and isinstance(call, ast.Call):
            point = program.evaluator.sites.point_of(mention.module, mention.trail[:-1])
            for value, _ in program.evaluator.values(call.func, point):
                known = isinstance(value, External) and value.name not in _COPIES
                if not known and not (isinstance(value, Class) and not kin.has(value)):
                    raise StaysShared(f"{mention.module.relative}:{call.lineno} may give one")


def _gives(call: ast.Call, name: str, before: int) -> bool:
    """Whether a call may give an argument that comes after so many."""
    if any(isinstance(each, ast.Starred) for each in call.args) or len(call.args) > before:
        return True
    return any(each.arg in (None, name) for each in call.keywords)


def as_property_of_body(source: Source, edits: Edits, kin: Kin, body: InBody, how: PerProcess) -> None:
    """Turn ``rng = make()`` in the body of a class into a property that makes one for each worker."""
    kept = kept_under(body.name, by_worker=True)
    hint = _hint(source, body)
    if hint is not None and hint.partition(".")[0] == body.name:
        hint = None  # to who reads the class, its own name hides the module's
    methods = [each for each in body.owner.body.body if isinstance(each, cst.FunctionDef)]
    _keep(source, edits, kin, body, kept, hint)
    text = "\n" + property_text(source, body.name, kept, body.statement, how, "", hint)
    lines = list(body.owner.body.body)
    makers = [each for each in methods if each.name.value in ("__init__", "__post_init__")]
    line = source.line_of(body.statement)
    first = lines.index(methods[0]) if methods else 0
    after = makers[-1] if makers else lines[first - 1] if first > lines.index(line) else lines[-1]
    edits.insert_after(after, statements.parse(source, text))
    at = lines.index(after) + 1
    if at < len(lines):
        edits.change(lines[at], lambda node: spaced(node, 1))
    edits.claim(body.owner)


def _hint(source: Source, body: InBody) -> str | None:
    """How the file says what is made, where it says such things."""
    made = Made(body.statement, body.value, body.name, None, body.owner)
    if isinstance(body.statement, cst.AnnAssign):
        inner = _of_class(body.statement)
        if inner is None:
            return class_of(source, made)
        said = body.statement.annotation.with_changes(annotation=inner)
        return class_of(
            source, Made(body.statement.with_changes(annotation=said), body.value, "", None, None)
        )
    methods = (each for each in body.owner.body.body if isinstance(each, cst.FunctionDef))
    if not any(map(is_hinted, methods)) or not is_evaluated_later(source):
        return None  # in the body of a class hints are evaluated, by whatever Python
    return class_of(source, made)


def _of_class(statement: cst.AnnAssign) -> cst.BaseExpression | None:
    """What a statement says that an attribute of the class is, None where it says that of the objects'."""
    match statement.annotation.annotation:
        case cst.Subscript(
            value=cst.Name(value="ClassVar") | cst.Attribute(attr=cst.Name(value="ClassVar")),
            slice=[cst.SubscriptElement(slice=cst.Index(value=inner))],
        ):
            return inner
    return None


def _keep(source: Source, edits: Edits, kin: Kin, body: InBody, kept: str, hint: str | None) -> None:
    """Have the class keep the generators of all workers under another name."""
    entry = f"{{None: {source.code(body.value)}}}"
    held = dict_by_worker(source, edits, hint) if hint is not None else ""
    if body.field is not None:
        held = held or dict_type(source)
        _keep_field(source, edits, kin, body, f"{kept}: {held} = ", entry)
        return
    of_class = isinstance(body.statement, cst.AnnAssign) and _of_class(body.statement) is not None
    if held and (of_class or is_field(kin, body) or is_dataclass(kin)):
        held = f"{_class_variable(source, edits)}[{held}]"
    if isinstance(body.statement, cst.AnnAssign) or held:
        said = f": {held}" if held else ""
        edits.replace(
            body.statement, statements.small(entered(source, body.statement, f"{kept}{said}", entry))
        )
        return
    edits.replace(body.target, cst.Name(kept))
    edits.replace(body.value, statements.expression(entry))


def _class_variable(source: Source, edits: Edits) -> str:
    """How the file says ``ClassVar``."""
    for each in source.descendants(source.module, cst.ImportFrom):
        if each.module is not None and source.code(each.module) == "typing":
            names = [] if isinstance(each.names, cst.ImportStar) else each.names
            if any(alias.evaluated_name == "ClassVar" and alias.asname is None for alias in names):
                return "ClassVar"
    return f"{name_for(source, edits, 'typing', 'typing')}.ClassVar"


def _keep_field(source: Source, edits: Edits, kin: Kin, body: InBody, start: str, entry: str) -> None:
    field = body.field
    assert field is not None
    said = {arg.keyword.value: source.code(arg.value) for arg in field.args if arg.keyword is not None}
    args = {"default_factory": f"lambda: {entry}", "init": "False", "repr": "False"}
    if _is_hashed(kin):
        args["compare"] = "False"
    args |= {name: value for name, value in said.items() if name not in ("default_factory", "init")}
    call = f"{source.code(field.func)}({', '.join(f'{name}={value}' for name, value in args.items())})"
    column = source.range(body.statement)[0][1]
    edits.replace(body.statement, statements.small(start + fitted(source, call, column, len(start))))


def _is_hashed(kin: Kin) -> bool:
    """Whether the objects of a dataclass have a hash of their fields: a dict has none."""
    calls: Sequence[ast.expr] = kin.cls.node.decorator_list
    return any(
        keyword.arg in ("frozen", "unsafe_hash")
        for each in calls
        if isinstance(each, ast.Call)
        for keyword in each.keywords
    )
