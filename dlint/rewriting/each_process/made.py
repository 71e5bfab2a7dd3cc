"""The assignment that makes a generator, a pool or a handle, as a remedy finds it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import libcst as cst

from dlint.finding import Finding
from dlint.rewriting.refusal import CannotRepair
from dlint.rewriting.source import Source

_BY_HAND = "make it in each process, keyed on os.getpid()"
# What stores in attributes by their names.
_STORE_BY_NAME = frozenset({"setattr", "object.__setattr__", "self.__dict__.update", "vars(self).update"})


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
    """An assignment that makes an object: ``self.attribute = value`` in a method, or ``NAME = value``.

    ``choice``: the conditional that stores None instead where an argument of the call is not given. ``part``:
    what is stored of the object, under keys that are written out, or a cursor of it. ``among``: the target,
    where the assignment stores other things as well (``self.n, self.rng = n, default_rng(seed)``).
    ``whole``: what is stored where it may be made elsewhere; ``value`` then makes such ones.
    ``either``: the conditional that stores what another call makes instead."""

    statement: cst.Assign | cst.AnnAssign
    value: cst.Call
    name: str
    method: cst.FunctionDef | None
    owner: cst.ClassDef | None
    choice: cst.IfExp | None = None
    part: cst.Subscript | cst.Call | None = None
    among: cst.Attribute | None = None
    whole: cst.BaseExpression | None = None
    either: cst.IfExp | None = None


def made_or_none(source: Source, finding: Finding) -> Made:
    """The same where a method may store None instead, as an argument of the call says:
    ``self.mask = open(mask) if mask else None``; or a part of it: ``self.rows = h5py.File(path)["rows"]``,
    ``self.rows = sqlite3.connect(path).cursor()``; or where a method of the object makes it, and another
    stores what that gives."""
    node = source.at(finding, cst.Call, cst.Assign, cst.AnnAssign)
    statement = source.statement_of(node)
    if isinstance(statement, cst.Assign) and isinstance(node, cst.Call):
        choice = statement.value
        if isinstance(choice, cst.IfExp) and asked_of(choice, node) is not None:
            made = _assigned(source, statement, node)
            if made.owner is None:
                raise StaysShared("there may be none")
            return replace(made, choice=choice)
        if (
            isinstance(choice, cst.IfExp)
            and isinstance(choice.body, cst.Call)
            and isinstance(choice.orelse, cst.Call)
            and node in (choice.body, choice.orelse)
        ):
            made = _assigned(source, statement, node)
            if made.owner is not None:
                return replace(made, either=choice)
        if isinstance(choice, cst.Subscript | cst.Call) and node in (taken_from(choice), cursor_of(choice)):
            made = _assigned(source, statement, node)
            if made.owner is None:
                raise StaysShared("only a part of it is kept")
            return replace(made, part=choice)
    if isinstance(statement, cst.Return) and statement.value is node:
        made_there = _by_own_method(source, statement)
        if made_there is not None:
            return made_there
    return made_at(source, finding)


def _by_own_method(source: Source, gives: cst.Return) -> Made | None:
    """The statement of another method that stores what this one makes, and does nothing else than make:
    ``self.db = self.connect()``."""
    method, owner = source.function_of(gives), source.enclosing(gives, cst.ClassDef)
    if (
        not isinstance(method, cst.FunctionDef)
        or not isinstance(owner, cst.ClassDef)
        or source.parent(source.parent(method) or method) is not owner
        or method.decorators
        or any(True for _ in source.descendants(method.body, cst.AssignTarget, cst.AugAssign, cst.Yield))
    ):
        return None
    found = [
        each
        for each in source.descendants(owner.body, cst.Assign)
        if isinstance(each.value, cst.Call)
        and len(each.targets) == 1
        and source.code(each.value.func) == f"self.{method.name.value}"
    ]
    call = found[0].value if len(found) == 1 else None
    if not isinstance(call, cst.Call):
        return None
    return _stored(source, found[0], found[0].targets[0].target, call)


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


def cursor_of(part: cst.BaseExpression) -> cst.BaseExpression | None:
    """The connection that an expression takes a cursor of, None where it does not."""
    match part:
        case cst.Call(func=cst.Attribute(value=connection, attr=cst.Name(value="cursor")), args=[]):
            return connection
    return None


def taken_from(part: cst.BaseExpression) -> cst.BaseExpression | None:
    """What an expression takes something from under keys that are written out, None where it does not."""
    inner = part
    while isinstance(inner, cst.Subscript):
        match inner.slice:
            case [cst.SubscriptElement(slice=cst.Index(value=cst.SimpleString()))]:
                inner = inner.value
            case _:
                return None
    return None if inner is part else inner


def _is_none(node: cst.CSTNode) -> bool:
    return isinstance(node, cst.Name) and node.value == "None"


def made_at(source: Source, finding: Finding) -> Made:
    """The assignment that the finding points at. Raises CannotRepair where it is not a plain one."""
    node = source.at(finding, cst.Call, cst.Assign, cst.AnnAssign)
    statement = source.statement_of(node)
    if isinstance(statement, cst.Assign):
        for target, value in pairs_of(statement):
            if isinstance(value, cst.Call) and node in (value, receiver_of(value)):
                made = _stored(source, statement, target, value)
                if made is None or not isinstance(target, cst.Attribute):
                    break
                return replace(made, among=target)
    if (
        not isinstance(statement, cst.Assign | cst.AnnAssign)
        or not isinstance(statement.value, cst.Call)
        or (isinstance(node, cst.Call) and node not in (statement.value, receiver_of(statement.value)))
    ):
        raise _no_assignment(source, node, statement)
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
    made = _stored(source, statement, target, value) if len(targets) == 1 else None
    if made is None:
        raise _no_attribute(source, targets, source.function_of(statement))
    return made


def _stored(
    source: Source, statement: cst.Assign | cst.AnnAssign, target: cst.CSTNode, value: cst.Call
) -> Made | None:
    """What a method of a class stores in an attribute of its own object."""
    method = source.function_of(statement)
    owner: cst.ClassDef | None = source.enclosing(statement, cst.ClassDef)
    if (
        not isinstance(target, cst.Attribute)
        or source.code(target.value) != "self"
        or not isinstance(method, cst.FunctionDef)
        or owner is None
        or source.parent(source.parent(method) or method) is not owner
    ):
        return None
    return Made(statement, value, target.attr.value, method, owner)


def given(source: Source, statement: cst.Assign | cst.AnnAssign, maker: cst.Call) -> Made | None:
    """A statement of a method that stores what may be made elsewhere, by a call like ``maker``."""
    target = statement.targets[0].target if isinstance(statement, cst.Assign) else statement.target
    made = _stored(source, statement, target, maker)
    return replace(made, whole=statement.value) if made is not None else None


def several(source: Source, finding: Finding) -> tuple[Made, cst.ListComp | cst.DictComp]:
    """The statement of a method that stores the list, or the values of a dict, that a comprehension makes."""
    node = source.at(finding, cst.Call)
    comprehension, statement = source.parent(node), source.statement_of(node)
    if (
        not isinstance(comprehension, cst.ListComp | cst.DictComp)
        or (comprehension.elt if isinstance(comprehension, cst.ListComp) else comprehension.value) is not node
        or not isinstance(statement, cst.Assign)
        or statement.value is not comprehension
        or len(statement.targets) > 1
    ):
        raise StaysShared
    made = _stored(source, statement, statement.targets[0].target, cst.ensure_type(node, cst.Call))
    if made is None:
        raise StaysShared
    return replace(made, whole=comprehension), comprehension


def pairs_of(statement: cst.Assign) -> list[tuple[cst.BaseExpression, cst.BaseExpression]]:
    """What an assignment of several things stores where: ``self.n, self.rng = n, default_rng(seed)``."""
    match statement:
        case cst.Assign(
            targets=[cst.AssignTarget(target=cst.Tuple(elements=targets))],
            value=cst.Tuple(elements=values),
        ) if len(targets) == len(values) and all(
            isinstance(each, cst.Element) for each in (*targets, *values)
        ):
            return [(target.value, value.value) for target, value in zip(targets, values, strict=True)]
    return []


def receiver_of(call: cst.Call) -> cst.BaseExpression | None:
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
    argument = source.parent(node)
    if isinstance(argument, cst.Arg):
        taker = source.parent(argument)
        if isinstance(taker, cst.Call) and source.code(taker.func) in _STORE_BY_NAME:
            return StaysShared(f"{source.code(taker.func)}() stores it")
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
