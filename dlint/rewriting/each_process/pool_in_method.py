"""A pool that a method makes for every call becomes one that the object keeps for its process."""

from __future__ import annotations

import ast
from collections.abc import Sequence

import libcst as cst

from dlint.changes.coming_back import comes_back
from dlint.changes.stores import Kin
from dlint.finding import Finding
from dlint.program.program import Program
from dlint.rewriting.each_process.attribute import is_free, kin_of
from dlint.rewriting.each_process.awaited import check_awaited
from dlint.rewriting.each_process.moved.hints import is_hinted
from dlint.rewriting.each_process.moved.locals import local_names
from dlint.rewriting.each_process.per_process import PerProcess, kept_under, property_text
from dlint.rewriting.edits import Edits
from dlint.rewriting.header import spaced
from dlint.rewriting.pieces import statements
from dlint.rewriting.pieces.imports import name_for
from dlint.rewriting.refusal import CannotRepair
from dlint.rewriting.source import Source

_WHY = "Starting threads for every item is slow: each process keeps one pool."
_BY_HAND = "keep one pool per process, keyed on os.getpid(), instead of one per item"
_CLOSING = frozenset({"close", "join", "shutdown", "terminate"})


def keep_pool(source: Source, finding: Finding, edits: Edits) -> None:
    """Turn the pool that the finding points at into a property of the object. Raises CannotRepair.

    The pools are the class's: those of an object would go into its pickles.
    """
    call = source.at(finding, cst.Call)
    method = source.function_of(call)
    owner = source.enclosing(call, cst.ClassDef)
    if not isinstance(method, cst.FunctionDef) or owner is None or not _is_method(source, method, owner):
        raise CannotRepair(_BY_HAND)
    if any(name != "self" for name in local_names(source, call)):
        raise CannotRepair(f"the pool's size is decided for every item: {_BY_HAND}")
    keys = _own_settings(source, call)
    executor = "Executor" in (source.qualified(call.func) or source.code(call.func))
    with source.surroundings.asking() as program:
        kin = kin_of(source, program, owner)
        wished = ("_executor", "_thread_executor") if executor else ("_pool", "_thread_pool")
        name = next((n for n in wished if is_free(kin, n) and is_free(kin, kept_under(n))), None)
        if name is None:
            raise CannotRepair(f"the names {wished[0]} and {wished[1]} are in use: {_BY_HAND}")
        edits.define(name)  # a class above or below would share it: whether it is free is asked again then
        parent = source.parent(call)
        if isinstance(parent, cst.WithItem):
            uses = _unwrap(source, edits, parent, name, executor)
        elif isinstance(parent, cst.Assign):
            uses = _unassign(source, edits, parent, name, executor)
        elif isinstance(parent, cst.Attribute) and not executor:
            uses = [call]
            _check_use(source, call, executor)
            edits.replace(call, statements.expression(f"self.{name}"))
        else:
            raise CannotRepair(_BY_HAND)
        for use in uses:
            if _comes_back(source, program, kin, use, method):
                raise CannotRepair(f"a task of the pool may come back here, and wait for ever: {_BY_HAND}")
    hint = source.code(call.func) if is_hinted(method) else None
    _add_members(source, edits, owner, method, name, PerProcess(_WHY, source.code(call), keys=keys), hint)
    edits.claim(owner)


def _own_settings(source: Source, call: cst.Call) -> tuple[str, ...]:
    """The attributes of the object that a pool is made with: each combination has a pool of its own."""
    found: dict[str, None] = {}
    for name in source.descendants(call, cst.Name):
        if name.value == "self":
            held = source.parent(name)
            above = source.parent(held) if held is not None else None
            if not isinstance(held, cst.Attribute) or not isinstance(above, cst.Arg):
                raise CannotRepair(f"the pool is made for its object: {_BY_HAND}")
            found[source.code(held)] = None
    return tuple(found)


def _comes_back(
    source: Source, program: Program, kin: Kin, use: cst.CSTNode, method: cst.FunctionDef
) -> bool:
    """Whether a task handed to the pool may call the method again, which waits for the pool that runs it."""
    handed = source.parent(source.parent(use) or use)
    surroundings = source.surroundings
    call, point = surroundings.point(source, handed or use, ast.Call)
    own = surroundings.trail(source, method, ast.FunctionDef)[-1]
    assert isinstance(call, ast.Call) and isinstance(own, ast.FunctionDef)
    return comes_back(program, kin, own, call, point)


def _add_members(
    source: Source,
    edits: Edits,
    owner: cst.ClassDef,
    method: cst.FunctionDef,
    name: str,
    how: PerProcess,
    hint: str | None,
) -> None:
    os = name_for(source, edits, "os", "os")
    kept = kept_under(name)
    first = statements.insert_before_methods(source, edits, owner, f"{kept} = {{}}\n")
    text = f"\n{property_text(source, name, kept, method, how, os, hint)}"
    edits.insert_before(method, statements.parse(source, text))
    if method is not first:
        edits.change(method, lambda node: spaced(node, 1))


def _unwrap(source: Source, edits: Edits, item: cst.WithItem, name: str, executor: bool) -> list[cst.Name]:
    """Put the body of ``with ThreadPool() as pool:`` in the place of the statement."""
    block = source.parent(item)
    if (
        not isinstance(block, cst.With)
        or len(block.items) != 1
        or block.asynchronous is not None
        or item.asname is None
        or not isinstance(item.asname.name, cst.Name)
        or not isinstance(block.body, cst.IndentedBlock)
        or block.body.header.comment is not None
        or any(line.comment is not None for line in block.body.footer)
    ):
        raise CannotRepair(_BY_HAND)
    function = source.function_of(block)
    assert isinstance(function, cst.FunctionDef)
    local = item.asname.name
    uses = _uses(source, function.body, local)
    if any(not source.encloses(block.body, use) for use in uses):
        raise CannotRepair(_BY_HAND)
    _rename(source, edits, uses, name, executor)

    def unwrapped(node: cst.With) -> cst.CSTNode:
        first, *rest = node.body.body
        lines = [*node.leading_lines, *first.leading_lines]  # type: ignore[union-attr]
        return cst.FlattenSentinel([first.with_changes(leading_lines=lines), *rest])  # type: ignore[return-value]

    edits.change(block, unwrapped)
    return uses


def _unassign(source: Source, edits: Edits, assign: cst.Assign, name: str, executor: bool) -> list[cst.Name]:
    """Take ``pool = ThreadPool()`` and the closing of it away."""
    target = assign.targets[0].target
    function = source.function_of(assign)
    if (
        len(assign.targets) != 1
        or not isinstance(target, cst.Name)
        or not isinstance(function, cst.FunctionDef)
    ):
        raise CannotRepair(_BY_HAND)
    uses = _uses(source, function.body, target)
    closing = [use for use in uses if _method(source, use) in _CLOSING]
    working = [use for use in uses if use not in closing]
    _rename(source, edits, working, name, executor)
    statements.remove_statement(source, edits, assign)
    ends = []
    for use in closing:
        call = source.parent(source.parent(use) or use)
        statement = source.parent(call) if call is not None else None
        if not isinstance(statement, cst.Expr):
            raise CannotRepair(_BY_HAND)
        ends.append(statement)
    gone = _drop_finally(source, edits, ends)
    for statement in ends:
        if not gone or not source.encloses(gone, statement):
            statements.remove_statement(source, edits, statement)
    return working


def _drop_finally(source: Source, edits: Edits, ends: list[cst.Expr]) -> cst.Finally | None:
    """Take a ``finally:`` away that only ends the pool, with its ``try`` where that does nothing else."""
    around: cst.Finally | None = source.enclosing(ends[0], cst.Finally) if ends else None
    whole = source.parent(around) if around is not None else None
    if around is None or not isinstance(whole, cst.Try):
        return None
    inside = [line.body for line in around.body.body if isinstance(line, cst.SimpleStatementLine)]
    if len(inside) != len(around.body.body) or any(each not in ends for body in inside for each in body):
        return None

    def without(node: cst.Try) -> cst.CSTNode:
        if node.handlers:
            return node.with_changes(finalbody=None)
        first, *rest = node.body.body
        first = first.with_changes(leading_lines=[*node.leading_lines, *first.leading_lines])  # type: ignore[union-attr]
        return cst.FlattenSentinel([first, *rest])  # type: ignore[return-value]

    if not whole.handlers and not isinstance(whole.body, cst.IndentedBlock):
        return None
    edits.change(whole, without)
    for comment in statements.comments_in(source, around):
        edits.drop_comment(comment)
    return around


def _uses(source: Source, body: cst.CSTNode, local: cst.Name) -> list[cst.Name]:
    return [
        each for each in source.descendants(body, cst.Name) if each.value == local.value and each is not local
    ]


def _method(source: Source, use: cst.BaseExpression) -> str | None:
    """The method of the pool that is called, when that is all that is done with it here."""
    attribute = source.parent(use)
    call = source.parent(attribute) if isinstance(attribute, cst.Attribute) else None
    if not (isinstance(attribute, cst.Attribute) and attribute.value is use):
        return None
    return attribute.attr.value if isinstance(call, cst.Call) and call.func is attribute else None


def _rename(source: Source, edits: Edits, uses: Sequence[cst.Name], name: str, executor: bool) -> None:
    """Use the object's pool, where every result is read before the block that made it ended."""
    for use in uses:
        _check_use(source, use, executor)
        edits.replace(use, statements.expression(f"self.{name}"))
    if not uses:
        raise CannotRepair(_BY_HAND)


def _check_use(source: Source, use: cst.BaseExpression, executor: bool) -> None:
    """Refuse where a pool is handed work that it may not have done when its block ends."""
    method, call = _method(source, use), source.parent(source.parent(use) or use)
    if method is None or not isinstance(call, cst.Call):
        raise CannotRepair(f"the pool is handed on: {_BY_HAND}")
    check_awaited(source, call, method, executor=executor, by_hand=_BY_HAND)


def _is_method(source: Source, method: cst.FunctionDef, owner: cst.ClassDef) -> bool:
    params = method.params.params
    inside = source.parent(source.parent(method) or method) is owner and method.asynchronous is None
    return inside and bool(params) and params[0].name.value == "self"
