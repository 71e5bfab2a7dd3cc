"""Whether an attribute can become a property: asked of the whole program, not of one file."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator

import libcst as cst

from dlint.changes.stores import Kin, Store
from dlint.program.program import Program
from dlint.rewriting.each_process.made import Made, StaysShared
from dlint.rewriting.source import Source
from dlint.source.nodes import walk
from dlint.source.statements import FunctionNode, functions_in, parameters, statements_in
from dlint.values.frame import layout_of
from dlint.values.values import Class, External, Unknown
from dlint.values.values import Made as MadeByLibrary

_SPECIAL = ("__setattr__", "__delattr__", "__getattr__", "__getattribute__", "__reduce__", "__reduce_ex__")
# What reads of a file or an archive what there is, and keeps none of it.
_READERS = frozenset({"len", "list", "sorted", "sum", "json.load", "pickle.load", "yaml.safe_load"})
DATACLASS = frozenset({"dataclass", "dataclasses.dataclass"})
_SLOTTED = ("attr.", "attrs.", "pydantic.dataclasses.")
# Of those, what makes slots only where it is told to.
_SLOTTED_IF_TOLD = frozenset({"attr.s", "attr.attrs", "attr.attributes", "attr.dataclass"})
_STRANGE_BASES = frozenset({"typing.NamedTuple", "typing.TypedDict", "enum.Enum", "builtins.tuple"})


def kin_of(source: Source, program: Program, owner: cst.ClassDef) -> Kin:
    """The class of the analysis that a class of the file is, with its kin."""
    trail = source.surroundings.trail(source, owner, ast.ClassDef)
    node = trail[-1]
    assert isinstance(node, ast.ClassDef)
    frame = program.evaluator.sites.frame_of(source.surroundings.module(source), trail)
    return Kin(program, Class(node, frame))


def declaration(source: Source, kin: Kin, owner: cst.ClassDef, name: str) -> cst.AnnAssign | None:
    """The line of a class that only says what an attribute will be: ``rng: Generator``, or
    ``rng: Generator = field(init=False)`` in a dataclass."""
    record = is_dataclass(kin)
    for line in owner.body.body:
        match line:
            case cst.SimpleStatementLine(body=[cst.AnnAssign(target=cst.Name(value=said)) as found]):
                pass
            case _:
                continue
        if said != name:
            continue
        if re.search(r"\b(?:ClassVar|InitVar|Final)\b", source.code(found.annotation.annotation)):
            return None
        match found.value:
            case None if not record:
                return found
            case cst.Call(func=func, args=args) if source.qualified(func) == "dataclasses.field" and record:
                given = {arg.keyword.value: source.code(arg.value) for arg in args if arg.keyword is not None}
                if given.get("init") == "False" and not {"default", "default_factory"} & given.keys():
                    return found
        return None
    return None


def is_dataclass(kin: Kin) -> bool:
    """Whether a class is a dataclass."""
    decorators = kin.cls.node.decorator_list
    called = (each.func if isinstance(each, ast.Call) else each for each in decorators)
    return any(kin.name_of(each, kin.cls) in DATACLASS for each in called)


def check_property(
    source: Source,
    kin: Kin,
    name: str,
    own: cst.CSTNode,
    known: Collection[cst.CSTNode] = (),
    *,
    declared: cst.AnnAssign | None = None,
    may_have_slots: bool = False,
    slot: cst.SimpleString | None = None,
) -> None:
    """Raise CannotRepair unless ``name`` can become a property, where the statement ``own`` alone stores it;
    ``known`` are nodes that the repair changes along with it, and so is what is ``declared`` in the class.
    ``may_have_slots``: those that a dataclass makes of its fields do no harm; ``slot``: the attribute's own
    in the class, which will be that of what is kept instead."""
    if name.startswith("__"):
        raise StaysShared("the attribute's name is private to the class")
    here = source.surroundings.module(source)
    lines = [lines_of(source, node) for node in (own, *known)]
    for store in kin.stores(name):
        line = getattr(store.node, "lineno", 0)
        if store.module is not here or not any(first <= line <= last for first, last in lines):
            if any(_begins_with_none(cls, store) for cls in kin.classes):
                raise StaysShared(f"{name} is None ({store}) until it is first needed")
            raise StaysShared(f"{name} is also set elsewhere ({store})")
    for cls in kin.classes:
        mine = declared is not None and cls.node is kin.cls.node
        written = slot is not None and cls.node is kin.cls.node
        check_class(
            kin, cls, name, declares=mine, may_have_slots=mine and may_have_slots, names_slots=written
        )
    if any(each.id == name for each in read_by_class(kin.cls, lines[0][1])):
        raise StaysShared(f"below it the class {kin.cls.name} reads {name}, which a property would hide")


def read_by_class(cls: Class, line: int) -> Iterator[ast.Name]:
    """The names that the body of a class reads below a line when it is made, in the heads of methods, too."""
    later = "from __future__ import annotations" in cls.module.text
    for statement in cls.node.body:
        if statement.lineno <= line:
            continue
        parts: list[ast.AST] = [statement]
        if isinstance(statement, FunctionNode):
            given = statement.args
            hints = [each.annotation for each in parameters(statement)]
            known = [*given.defaults, *given.kw_defaults, *([] if later else [*hints, statement.returns])]
            parts = [*statement.decorator_list, *(each for each in known if each is not None)]
        for part in parts:
            yield from (node for node in walk(part) if isinstance(node, ast.Name))


def _begins_with_none(cls: Class, store: Store) -> bool:
    """Whether a constructor of a class only says there that an attribute is still to be made."""
    return any(
        isinstance(statement, ast.Assign)
        and any(target is store.node for target in statement.targets)
        and isinstance(statement.value, ast.Constant)
        and statement.value.value is None
        for function in functions_in(cls.node.body)
        if function.name == "__init__"
        for statement in statements_in(function.body)
    )


def check_not_handed_on(source: Source, made: Made) -> None:
    """Raise CannotRepair where the method that makes an object gives it to another, which would keep it."""
    assert made.method is not None
    for each in source.descendants(made.method.body, cst.Attribute):
        parent = source.parent(each)
        if source.code(each) != f"self.{made.name}" or isinstance(parent, cst.AssignTarget | cst.AnnAssign):
            continue
        if each is made.among:
            continue
        if isinstance(parent, cst.Arg):
            call = source.parent(parent)
            if isinstance(call, cst.Call) and source.code(call.func) in _READERS:
                continue
            if (
                isinstance(call, cst.Call)
                and isinstance(source.parent(call), cst.For | cst.CompFor)
                and source.code(call.func) in ("enumerate", "zip")
            ):
                continue
        elif isinstance(parent, cst.Attribute | cst.Subscript | cst.For | cst.CompFor) or _is_test(parent):
            continue
        raise StaysShared("it is handed on where it is made, and kept there")


def _is_test(node: cst.CSTNode | None) -> bool:
    """Whether what stands in a node is only tested, for truth or for None: ``if not self.env: raise``."""
    match node:
        case cst.If() | cst.Assert() | cst.UnaryOperation(operator=cst.Not()):
            return True
        case cst.Comparison(comparisons=[cst.ComparisonTarget(comparator=cst.Name(value="None"))]):
            return True
    return False


def is_free(kin: Kin, name: str) -> bool:
    """Whether no kin of a class has anything under a name."""
    return not any(True for _ in kin.stores(name)) and not any(
        name in layout_of(cls.node).binds for cls in kin.classes
    )


def defining(kin: Kin, name: str) -> list[Class]:
    """The kin that define a method."""
    return [cls for cls in kin.classes if any(f.name == name for f in functions_in(cls.node.body))]


def unknown_bases(kin: Kin) -> list[str]:
    """The bases of a class and those above it that are not of the program, by name ("" where unknown)."""
    found: list[str] = []
    for cls in kin.above:
        for values in kin.bases(cls):
            for value in values:
                if isinstance(value, External | MadeByLibrary):
                    found.append(value.name)
                elif isinstance(value, Unknown):
                    found.append("")
    return found


def check_class(
    kin: Kin,
    cls: Class,
    name: str,
    *,
    declares: bool = False,
    may_have_slots: bool = False,
    names_slots: bool = False,
    of_class: bool = False,
) -> None:
    """Raise CannotRepair unless the objects of a class can have a property; ``declares``: its body has the
    attribute, and will have another in its place; ``may_have_slots``: that is a field of a dataclass, which
    has slots of its fields; ``names_slots``: its body names them, and one will be another;
    ``of_class``: the class keeps it, not the objects."""
    layout = layout_of(cls.node)
    declared = (each.target for each in cls.node.body if isinstance(each, ast.AnnAssign))
    if not declares and (
        name in layout.binds or any(isinstance(each, ast.Name) and each.id == name for each in declared)
    ):
        raise StaysShared(f"the class {cls.name} has {name} in its body")
    if "__slots__" in layout.binds and not (of_class or names_slots):
        raise StaysShared(f"the class {cls.name} has __slots__")
    for special in _SPECIAL:
        if special in layout.binds:
            raise StaysShared(f"the class {cls.name} defines {special}")
    if any(keyword.arg == "metaclass" for keyword in cls.node.keywords) and not _is_abc(cls.node):
        raise StaysShared(f"the class {cls.name} has a metaclass")
    for decorator in cls.node.decorator_list:
        called = decorator.func if isinstance(decorator, ast.Call) else decorator
        meant = kin.name_of(called, cls)
        slots = isinstance(decorator, ast.Call) and any(k.arg == "slots" for k in decorator.keywords)
        slotted = meant.startswith(_SLOTTED) and (meant not in _SLOTTED_IF_TOLD or slots)
        if slotted or (meant in DATACLASS and slots and not (may_have_slots or of_class)):
            raise StaysShared(f"the class {cls.name} may have __slots__")
    if _STRANGE_BASES.intersection(
        each.name for v in kin.bases(cls) for each in v if isinstance(each, External)
    ):
        raise StaysShared(f"the objects of the class {cls.name} take no attributes")


def slot_of(kin: Kin, owner: cst.ClassDef, name: str) -> cst.SimpleString | None:
    """What names the slot of an attribute in the body of a class that writes its slots out; None where it
    does not, or where the object's state is said to pickle by hand."""
    if any(defining(kin, method) for method in ("__getstate__", "__setstate__", "__reduce__")):
        return None
    for line in owner.body.body:
        small = line.body[0] if isinstance(line, cst.SimpleStatementLine) and len(line.body) == 1 else None
        match small:
            case cst.Assign(
                targets=[cst.AssignTarget(cst.Name("__slots__"))], value=cst.Tuple() | cst.List() as slots
            ):
                said = [each.value for each in slots.elements]
                found = [e for e in said if isinstance(e, cst.SimpleString) and e.raw_value == name]
                return found[0] if len(found) == 1 else None
    return None


def _is_abc(node: ast.ClassDef) -> bool:
    return all(
        ast.unparse(keyword.value).rpartition(".")[2] == "ABCMeta"
        for keyword in node.keywords
        if keyword.arg == "metaclass"
    )


def lines_of(source: Source, node: cst.CSTNode) -> tuple[int, int]:
    """The first and the last line of a node, as the file has them."""
    (first, _), (last, _) = source.range(node)
    return source.line_in_file(first), source.line_in_file(last)
