"""The assignment that makes a generator, a pool or a handle, as a remedy finds it."""

from __future__ import annotations

from dataclasses import dataclass

import libcst as cst

from dlint.finding import Finding
from dlint.rewriting.refusal import CannotRepair
from dlint.rewriting.source import Source

_BY_HAND = "make it in each process, keyed on os.getpid()"


class StaysShared(CannotRepair):
    """``why`` (where that can be said) each process cannot have an object of its own by the remedy, and what
    to do by hand."""

    def __init__(self, why: str = "", by_hand: str = _BY_HAND) -> None:
        super().__init__(f"{why}: {by_hand}" if why else by_hand)
        self.why = why


@dataclass(frozen=True)
class Made:
    """An assignment that makes an object: ``self.attribute = value`` in a method, or ``NAME = value``."""

    statement: cst.Assign | cst.AnnAssign
    value: cst.Call
    name: str
    method: cst.FunctionDef | None
    owner: cst.ClassDef | None


def made_at(source: Source, finding: Finding) -> Made:
    """The assignment that the finding points at. Raises CannotRepair where it is not a plain one."""
    node = source.at(finding, cst.Call, cst.Assign, cst.AnnAssign)
    statement = source.statement_of(node)
    if (
        not isinstance(statement, cst.Assign | cst.AnnAssign)
        or not isinstance(statement.value, cst.Call)
        or (isinstance(node, cst.Call) and node not in (statement.value, _receiver(statement.value)))
    ):
        raise StaysShared
    targets = (
        [each.target for each in statement.targets]
        if isinstance(statement, cst.Assign)
        else [statement.target]
    )
    target = targets[0]
    if len(targets) == 1 and isinstance(target, cst.Name) and source.function_of(statement) is None:
        if source.enclosing(statement, cst.ClassDef) is not None:
            raise StaysShared("it is an attribute of the class")
        return Made(statement, statement.value, target.value, None, None)
    method = source.function_of(statement)
    owner: cst.ClassDef | None = source.enclosing(statement, cst.ClassDef)
    if (
        len(targets) > 1
        or not isinstance(target, cst.Attribute)
        or source.code(target.value) != "self"
        or not isinstance(method, cst.FunctionDef)
        or owner is None
        or source.parent(source.parent(method) or method) is not owner
    ):
        raise StaysShared
    return Made(statement, statement.value, target.attr.value, method, owner)


def _receiver(call: cst.Call) -> cst.BaseExpression | None:
    """What a method is called on: ``Generator()`` of ``Generator().manual_seed(0)``."""
    return call.func.value if isinstance(call.func, cst.Attribute) else None
