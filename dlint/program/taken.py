"""What the code of a program does with a class: whether it makes objects of it, or takes it otherwise."""

from __future__ import annotations

import ast
import re

from dlint.calls.evaluator import Evaluator
from dlint.project.index.index import Index
from dlint.regex import regex
from dlint.source.statements import head_name, last_name
from dlint.values.values import Class

_BY_NAMES = regex(rb"(?<![.\w])(?:eval|globals|locals|vars|getattr|exec)\(")
_ASKED = frozenset(("isinstance", "issubclass", "super", "cast"))


def is_made(index: Index, cls: Class) -> bool:
    """Whether some file that is no test writes ``Name(...)``: the program has objects of a class."""
    made = re.compile(rb"(?<!\bclass )\b%b(?:\[[^\n]{0,300}\])?\(" % re.escape(cls.name.encode()))
    return any(
        not index.is_test(relative) and made.search(index.data(relative)) is not None
        for relative in index.calling(cls.name, cls.module.relative, method=True)
    )


def is_only_made(index: Index, cls: Class) -> bool:
    """Whether every file that names a class makes an object of it, or imports it and no more."""
    making = set(index.calling(cls.name, cls.module.relative, method=True))
    return all(
        relative in making
        or (index.only_imports(relative, cls.name) and not _BY_NAMES.search(index.data(relative)))
        for relative in index.naming(cls.name)
    )


def is_taken(evaluator: Evaluator, cls: Class) -> bool:
    """Whether code that is no test makes objects of a class, hands it on, registers or keeps it.

    It does not where others are derived from it, where it is asked about, imported or hinted at, nor where
    something of it is named (``Base.__init__(self)``).
    """
    if any("regist" in head_name(decorator).lower() for decorator in cls.node.decorator_list):
        return True
    index = evaluator.modules.index
    evaluator.start()
    for relative in index.naming(cls.name):
        module = None if index.is_test(relative) else evaluator.modules.get(relative)
        if module is None:
            continue
        for trail in module.paths_to(cls.name):
            node = trail[-1]
            if not (isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Load)):
                continue
            if _takes(trail) and any(
                isinstance(value, Class) and value.place == cls.place
                for value, _ in evaluator.values(node, evaluator.sites.point_of(module, trail))
            ):
                return True
    return False


def _takes(trail: list[ast.AST]) -> bool:
    """Whether the expression at the end of a way down a tree stands where a value is taken."""
    inner = trail[-1]
    for outer in reversed(trail[:-1]):
        match outer:
            case ast.Attribute() | ast.arg() | ast.ExceptHandler() | ast.match_case():
                return False
            case ast.ClassDef():
                return inner in outer.body
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                return inner is not outer.returns
            case ast.AnnAssign() if inner is outer.annotation:
                return False
            case ast.Call() if inner is not outer.func and last_name(outer.func) in _ASKED:
                return False
            case ast.Compare():
                return False
            case ast.stmt():
                return True
        inner = outer
    return True
