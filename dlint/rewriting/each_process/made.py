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


class IsDefault(StaysShared):
    """It is the default of a parameter: no object keeps it, and no worker can make another in its place."""

    def __init__(self) -> None:
        super().__init__(
            "it is a default value, made once with the function",
            "write the default None, and make it inside, in each process",
        )


class HandedOn(StaysShared):
    """It is made outside of the object that keeps it, and given to that."""

    def __init__(self) -> None:
        super().__init__("it is made outside of the object that keeps it")


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
        raise _no_assignment(source, node, statement)
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
        raise _no_attribute(source, targets, method)
    return Made(statement, statement.value, target.attr.value, method, owner)


def _receiver(call: cst.Call) -> cst.BaseExpression | None:
    """What a method is called on: ``Generator()`` of ``Generator().manual_seed(0)``."""
    return call.func.value if isinstance(call.func, cst.Attribute) else None


def _no_assignment(source: Source, node: cst.CSTNode, statement: cst.CSTNode) -> StaysShared:
    """Why what is made is not simply stored: it is a default, or part of something else."""
    if isinstance(statement, cst.FunctionDef) and source.enclosing(node, cst.Param) is not None:
        return IsDefault()
    function = source.function_of(statement)
    if isinstance(statement, cst.Return) and isinstance(function, cst.FunctionDef):
        return StaysShared(f"{function.name.value}() returns it")
    if isinstance(statement, cst.With):
        return StaysShared(f"the with of line {source.range(statement)[0][0]} ends it")
    if isinstance(source.parent(node), cst.Arg):
        return HandedOn()
    return StaysShared("it is made within another expression")


def _no_attribute(
    source: Source, targets: list[cst.BaseAssignTargetExpression], method: cst.CSTNode | None
) -> StaysShared:
    """Why what is made is not stored on the object itself: it has another name first, or several."""
    if len(targets) > 1:
        return StaysShared("it is stored under several names at once")
    name = source.code(targets[0])
    if isinstance(targets[0], cst.Name) and isinstance(method, cst.FunctionDef):
        returned = source.descendants(method.body, cst.Return)
        if any(each.value is not None and source.code(each.value) == name for each in returned):
            return StaysShared(f"{method.name.value}() returns it")
        for each in source.descendants(method.body, cst.Assign):
            kept = source.code(each.targets[0].target)
            if source.code(each.value) == name and kept.startswith("self."):
                return StaysShared(f"{name} holds it before {kept} does")
        return HandedOn()
    return StaysShared(f"it is stored in {name}, which is no attribute that the class's own method sets")
