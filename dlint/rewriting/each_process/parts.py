"""Parts of a handle that its object keeps as well, ``self.images = self.file["images"]``: properties, too.

Of a cursor each process keeps its own: what it was asked for belongs to it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import libcst as cst

from dlint.changes.stores import Kin
from dlint.rewriting.each_process.attribute import check_not_handed_on, check_property, is_free
from dlint.rewriting.each_process.made import Made, StaysShared, cursor_of
from dlint.rewriting.each_process.moved.kept_arguments import is_parameter, on_self
from dlint.rewriting.each_process.moved.locals import local_names, with_names
from dlint.rewriting.each_process.per_process import PerProcess, kept_under, property_text
from dlint.rewriting.edits import Edits
from dlint.rewriting.pieces import statements
from dlint.rewriting.pieces.imports import name_for
from dlint.rewriting.refusal import CannotRepair
from dlint.rewriting.source import Source

PARTS_BY_HAND = "open the file in each process, keyed on os.getpid(), and take its parts there"


@dataclass(frozen=True)
class Part:
    """An attribute that holds what a handle gives under keys that are known, or a cursor of it."""

    statement: cst.Assign
    name: str
    value: cst.BaseExpression

    @property
    def is_cursor(self) -> bool:
        """Whether it is a cursor, which each process has to keep."""
        return cursor_of(self.value) is not None


def parts_of(source: Source, made: Made) -> list[Part]:
    """The parts that the method which makes a handle stores. Raises CannotRepair where it stores none so."""
    assert made.method is not None
    found: list[Part] = []
    for line in made.method.body.body:
        small = line.body[0] if isinstance(line, cst.SimpleStatementLine) and len(line.body) == 1 else None
        match small:
            case cst.Assign(
                targets=[cst.AssignTarget(cst.Attribute(cst.Name("self"), cst.Name(name)))], value=value
            ) if source.code(_whole_of(value) or cursor_of(value) or value) == f"self.{made.name}":
                found.append(Part(small, name, value))
    if not found:
        raise CannotRepair(PARTS_BY_HAND)
    return found


def as_properties(source: Source, edits: Edits, kin: Kin, made: Made, parts: Sequence[Part]) -> str:
    """Take the statements of parts away; the text of the properties that give them instead."""
    text = ""
    for part in parts:
        check_property(source, kin, part.name, part.statement)
        check_not_handed_on(source, replace(made, name=part.name))
        if not part.is_cursor:
            value, setup = _under_kept_keys(source, kin, made, part)
            if setup:
                edits.replace(part.statement, setup[-1])
                line = source.line_of(part.statement)
                edits.insert_before(line, [cst.SimpleStatementLine([each]) for each in setup[:-1]])
            else:
                statements.remove_statement(source, edits, part.statement)
            text += f"\n@property\ndef {part.name}(self):\n    return {source.code(value)}\n"
            continue
        assert made.method is not None
        check_asked_first(source, made, part.name)
        kept = kept_under(part.name)
        if not is_free(kin, kept):
            raise StaysShared(f"the name {kept} is in use")
        edits.replace(part.statement, statements.small(f"self.{kept} = {{}}"))
        how = PerProcess("", source.code(part.value))
        os = name_for(source, edits, "os", "os")
        text += "\n" + property_text(source, part.name, kept, made.method, how, os)
    return text


def _whole_of(part: cst.BaseExpression) -> cst.BaseExpression | None:
    """What an expression takes something from under keys that are written out, or kept or given as they are:
    ``self.file[key]``; None where it does not."""
    inner = part
    while isinstance(inner, cst.Subscript):
        match inner.slice:
            case [cst.SubscriptElement(slice=cst.Index(value=cst.SimpleString() | cst.Name()))]:
                inner = inner.value
            case [cst.SubscriptElement(slice=cst.Index(value=cst.Attribute(value=cst.Name("self"))))]:
                inner = inner.value
            case _:
                return None
    return None if inner is part else inner


def _under_kept_keys(
    source: Source, kin: Kin, made: Made, part: Part
) -> tuple[cst.BaseExpression, list[cst.BaseSmallStatement]]:
    """The part as any method of the object can take it, and statements that keep the keys which it needs."""
    setup: list[cst.BaseSmallStatement] = []
    names: dict[str, str] = {}
    lasting = on_self(source, kin, replace(made, statement=part.statement))
    for name in local_names(source, part.value):
        if name == "self":
            continue
        if not is_parameter(source, made, name):
            raise CannotRepair(PARTS_BY_HAND)
        names[name] = lasting.get(name, f"self._{part.name.strip('_')}_{name}")
        if name not in lasting:
            if not is_free(kin, names[name].removeprefix("self.")):
                raise StaysShared(f"the name {names[name]} is in use")
            setup.append(statements.small(f"{names[name]} = {name}"))
    for each in source.descendants(part.value, cst.Attribute):
        name = each.attr.value
        if name != made.name and sum(1 for _ in kin.stores(name)) > 1:
            raise CannotRepair(PARTS_BY_HAND)
    return (with_names(part.value, names) if names else part.value), setup


def check_asked_first(source: Source, made: Made, name: str) -> None:
    """Raise CannotRepair where a method goes on with what another has asked a cursor for, or where the one
    that makes it does more than ask."""
    assert made.owner is not None
    begun: set[cst.CSTNode | None] = set()
    for each in source.descendants(made.owner.body, cst.Attribute):
        parent = source.parent(each)
        if source.code(each) != f"self.{name}" or isinstance(parent, cst.AssignTarget):
            continue
        call = source.parent(parent) if isinstance(parent, cst.Attribute) else None
        asks = (
            isinstance(call, cst.Call)
            and isinstance(parent, cst.Attribute)
            and parent.attr.value == "execute"
        )
        function = source.function_of(each)
        if function not in begun and not asks and not _is_ended(parent):
            raise CannotRepair(
                f"line {source.range(each)[0][0]} reads on what it was asked elsewhere: {PARTS_BY_HAND}"
            )
        begun.add(function)
        if asks and function is made.method and not _only_asks(call):
            what = source.code(source.statement_of(each)).strip()
            raise CannotRepair(f"it is set up once it is open (`{what}`): do both in each process")


def _is_ended(parent: cst.CSTNode | None) -> bool:
    return isinstance(parent, cst.Attribute) and parent.attr.value == "close"


def _only_asks(call: cst.CSTNode | None) -> bool:
    """Whether a statement for a database changes nothing there."""
    match call:
        case cst.Call(
            args=[
                cst.Arg(
                    value=cst.SimpleString(value=text)
                    | cst.FormattedString(parts=[cst.FormattedStringText(value=text), *_])
                ),
                *_,
            ]
        ):
            return text.lstrip("rbuf\"' \n\t").lower().startswith(("select", "with"))
    return False
