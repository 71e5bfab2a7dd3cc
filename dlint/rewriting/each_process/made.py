"""The assignment that makes a generator, a pool or a handle, as a remedy finds it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import libcst as cst

from dlint.finding import Finding
from dlint.rewriting.refusal import CannotRepair
from dlint.rewriting.source import Source

_BY_HAND = "make it in each process, keyed on os.getpid(), by hand"


class StaysShared(CannotRepair):
    """``why`` (where that can be said) each process cannot have an object of its own by the remedy, and what
    to do by hand."""

    def __init__(self, why: str = "", by_hand: str = _BY_HAND) -> None:
        super().__init__(f"{why}: {by_hand}" if why else by_hand)
        self.why = why


@dataclass(frozen=True)
class Made:
    """An assignment that makes an object: ``self.attribute = value`` in a method, or ``NAME = value``.

    ``choice``: the conditional that stores None instead where an argument of the call is not given."""

    statement: cst.Assign | cst.AnnAssign
    value: cst.Call
    name: str
    method: cst.FunctionDef | None
    owner: cst.ClassDef | None
    choice: cst.IfExp | None = None


def made_or_none(source: Source, finding: Finding) -> Made:
    """The same where a method may store None instead, as an argument of the call says:
    ``self.mask = open(mask) if mask else None``."""
    node = source.at(finding, cst.Call, cst.Assign, cst.AnnAssign)
    statement = source.statement_of(node)
    if isinstance(statement, cst.Assign) and isinstance(node, cst.Call):
        choice = statement.value
        if isinstance(choice, cst.IfExp) and asked_of(choice, node) is not None:
            made = _assigned(source, statement, node)
            if made.owner is None:
                raise StaysShared
            return replace(made, choice=choice)
    return made_at(source, finding)


def asked_of(choice: cst.IfExp, call: cst.Call) -> cst.Name | None:
    """The argument of a call that a conditional asks for, to have None where there is none."""
    there = choice.body is call
    other = choice.orelse if there else choice.body
    if (not there and choice.orelse is not call) or not _is_none(other):
        return None
    match choice.test:
        case cst.Name() as asked if there:
            pass
        case cst.UnaryOperation(operator=cst.Not(), expression=cst.Name() as asked) if not there:
            pass
        case cst.Comparison(
            left=cst.Name() as asked,
            comparisons=[cst.ComparisonTarget(operator=operator, comparator=nothing)],
        ) if _is_none(nothing) and isinstance(operator, cst.IsNot if there else cst.Is):
            pass
        case _:
            return None
    given = [arg.value for arg in call.args if isinstance(arg.value, cst.Name) and not arg.star]
    return asked if any(each.value == asked.value for each in given) else None


def _is_none(node: cst.CSTNode) -> bool:
    return isinstance(node, cst.Name) and node.value == "None"


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
    return _assigned(source, statement, statement.value)


def _assigned(source: Source, statement: cst.Assign | cst.AnnAssign, value: cst.Call) -> Made:
    """What an assignment makes by a call."""
    targets = (
        [each.target for each in statement.targets]
        if isinstance(statement, cst.Assign)
        else [statement.target]
    )
    target = targets[0]
    if len(targets) == 1 and isinstance(target, cst.Name) and source.function_of(statement) is None:
        if source.enclosing(statement, cst.ClassDef) is not None:
            raise StaysShared("it is an attribute of the class")
        return Made(statement, value, target.value, None, None)
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
    return Made(statement, value, target.attr.value, method, owner)


def _receiver(call: cst.Call) -> cst.BaseExpression | None:
    """What a method is called on: ``Generator()`` of ``Generator().manual_seed(0)``."""
    return call.func.value if isinstance(call.func, cst.Attribute) else None
