"""Numbers that objects keep, and that nobody sets to another."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from dlint.regex import regex
from dlint.source.nodes import walk
from dlint.source.statements import FunctionNode, functions_in, self_name, statements_in
from dlint.values.frame import Frame, layout_of
from dlint.values.values import Class, External

if TYPE_CHECKING:
    from dlint.loaders.program import Program

# Library classes whose methods set nothing in objects of the program that these do not ask for.
_SETS_NOTHING = frozenset(
    {"builtins.object", "abc.ABC", "torch.nn.Module", "typing.Generic", "typing.Protocol"}
)
_BY_NAME = regex(r"\b(?:setattr|vars)\s*\(|__dict__|__setattr__|__getattr|__setstate__")


def is_never_changed(program: Program, number: ast.expr, frame: Frame) -> bool:
    """Whether a number is an attribute of a method's own object which its constructor sets to what is written
    out, and nobody sets again: ``self.epoch = 0``."""
    owner, scope = frame.owner, frame.scope
    if owner is None or not isinstance(scope, ast.FunctionDef) or not isinstance(number, ast.Attribute):
        return False
    if not isinstance(number.value, ast.Name) or number.value.id != self_name(scope):
        return False
    if any(program.modules.index.storing(number.attr)):
        return False
    begun = False
    for cls in _family(program, owner):
        if not _is_plain(program, cls, number.attr):
            return False
        stores, begins = _stores(cls, number.attr)
        if stores != begins:
            return False
        begun = begun or bool(begins)
    return begun


def is_set_in_alone(program: Program, name: str, scope: ast.AST) -> bool:
    """Whether nobody but a function sets attributes of a name, other than of his own object."""
    for relative in program.modules.index.storing(name):
        module = program.modules.get(relative)
        for trail in module.paths_to(name, stored=True) if module is not None else ():
            around = [node for node in trail[:-1] if isinstance(node, FunctionNode)]
            if not around or around[-1] is not scope:
                return False
    return True


def _family(program: Program, cls: Class) -> list[Class]:
    """The classes that an object may have for whose method ``cls`` is the owner, and all above these."""
    classes = program.evaluator.classes
    found, waiting = dict[int, Class](), [cls]
    while waiting:
        here = waiting.pop()
        for each in classes.line(here):
            found.setdefault(id(each.node), each)
        waiting += [below for below in classes.subclasses(here) if id(below.node) not in found]
    return list(found.values())


def _is_plain(program: Program, cls: Class, name: str) -> bool:
    """Whether a class has attributes of no other kind under a name, and no library may set it."""
    bases = [value for values in program.evaluator.classes.bases(cls) for value in values]
    known = all(
        isinstance(value, Class) or (isinstance(value, External) and value.name in _SETS_NOTHING)
        for value in bases
    )
    return (
        known and name not in layout_of(cls.node).binds and not _BY_NAME.search(cls.module.text_of(cls.node))
    )


def _stores(cls: Class, name: str) -> tuple[set[int], set[int]]:
    """Where a class sets an attribute, and where its constructor sets it to what is written out."""
    stores = {
        id(node)
        for node in walk(cls.node)
        if isinstance(node, ast.Attribute) and node.attr == name and not isinstance(node.ctx, ast.Load)
    }
    begins = {
        id(target)
        for function in functions_in(cls.node.body)
        if function.name == "__init__"
        for statement in statements_in(function.body)
        if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Constant)
        for target in statement.targets
    }
    return stores, stores & begins
