"""Attributes that only the constructor of a class stores, before anything else of the object runs."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from dlint.changes.stores import Kin
from dlint.source.nodes import walk
from dlint.source.statements import dotted, functions_in, parameters
from dlint.values.values import Class

if TYPE_CHECKING:
    from dlint.program.program import Program
    from dlint.source.module import Module

Function = ast.FunctionDef | ast.AsyncFunctionDef


def is_of_constructor(
    program: Program, module: Module, trail: Sequence[ast.AST], name: str, attribute: str
) -> bool:
    """Whether a name is the object whose method a trail goes through, and has an attribute for good: the
    constructor stores it, nobody else does, and no method has run by then."""
    at = next((i for i, each in enumerate(trail) if isinstance(each, ast.FunctionDef)), 0)
    method, owner = trail[at], trail[at - 1]
    if not (isinstance(method, ast.FunctionDef) and isinstance(owner, ast.ClassDef)):
        return False
    if method.name == "__init__" or [each.arg for each in parameters(method)][:1] != [name]:
        return False
    mark = ("of constructor", id(owner), attribute)
    if mark not in program.answers:
        frame = program.evaluator.sites.frame_of(module, list(trail[:at]))
        program.answers[mark] = _stored_first(Kin(program, Class(owner, frame)), attribute)
    found: bool = program.answers[mark]
    return found


def _stored_first(kin: Kin, attribute: str) -> bool:
    stores = [*kin.stores(attribute)]
    if len(stores) != 1:
        return False
    above = {id(each.node) for each in kin.above}
    found = False
    for cls in kin.classes:
        for function in functions_in(cls.node.body):
            if function.name != "__init__":
                continue
            before = [*_before(function, stores[0].node)]
            if len(before) < len(function.body):
                found = id(cls.node) in above
                if not found:
                    return False
            elif id(cls.node) not in above and not any(map(_calls_constructor, function.body)):
                return False  # the one that stores it does not run
            elif id(cls.node) not in above:
                before = [*_before_constructor(function)]
            if not all(_keeps_to_itself(kin, function, each) for each in before):
                return False
    return found


def _before(function: Function, node: ast.AST) -> Iterator[ast.stmt]:
    """The statements of a function before the one that surely runs, and is or has a node."""
    for each in function.body:
        if isinstance(each, ast.Assign | ast.AnnAssign) and any(inner is node for inner in walk(each)):
            return
        yield each


def _before_constructor(function: Function) -> Iterator[ast.stmt]:
    for each in function.body:
        if _calls_constructor(each):
            return
        yield each


def _calls_constructor(statement: ast.stmt) -> bool:
    """Whether a statement is the call of the constructor of the class above."""
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Call)
        and isinstance(statement.value.func, ast.Attribute)
        and statement.value.func.attr == "__init__"
    )


def _keeps_to_itself(kin: Kin, function: Function, statement: ast.stmt) -> bool:
    """Whether a statement of a constructor runs no method of the program's on the object, and hands it to
    nobody; what constructors do is asked of them."""
    if _calls_constructor(statement):
        return True
    own = [each.arg for each in parameters(function)][:1]
    whole = {id(node.value) for node in walk(statement) if isinstance(node, ast.Attribute)}
    for node in walk(statement):
        if isinstance(node, ast.Name) and [node.id] == own and id(node) not in whole:
            return False
        if (
            isinstance(node, ast.Attribute)
            and isinstance(node.ctx, ast.Load)
            and [dotted(node.value)] == own
            and any(kin.program.evaluator.classes.member(cls, node.attr) for cls in kin.classes)
        ):
            return False
    return True
