"""Parts of a handle that its object keeps as well, ``self.images = self.file["images"]``: properties, too."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import libcst as cst

from dlint.changes.stores import Kin
from dlint.rewriting.each_process.attribute import check_not_handed_on, check_property
from dlint.rewriting.each_process.made import Made, taken_from
from dlint.rewriting.edits import Edits
from dlint.rewriting.pieces import statements
from dlint.rewriting.refusal import CannotRepair
from dlint.rewriting.source import Source

PARTS_BY_HAND = "open the file in each process, keyed on os.getpid(), and take its parts there"


@dataclass(frozen=True)
class Part:
    """An attribute that holds what a handle gives under keys that are written out."""

    statement: cst.Assign
    name: str
    value: cst.BaseExpression


def parts_of(source: Source, made: Made) -> list[Part]:
    """The parts that the method which makes a handle stores. Raises CannotRepair where it stores none so."""
    assert made.method is not None
    found: list[Part] = []
    for line in made.method.body.body:
        small = line.body[0] if isinstance(line, cst.SimpleStatementLine) and len(line.body) == 1 else None
        match small:
            case cst.Assign(
                targets=[cst.AssignTarget(cst.Attribute(cst.Name("self"), cst.Name(name)))], value=value
            ) if source.code(taken_from(value) or value) == f"self.{made.name}":
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
        statements.remove_statement(source, edits, part.statement)
        text += f"\n@property\ndef {part.name}(self):\n    return {source.code(part.value)}\n"
    return text
