"""A constructor that has nothing left to do: Python has the same without it."""

from __future__ import annotations

import ast
from collections.abc import Sequence

import libcst as cst

from dlint.changes.stores import Kin
from dlint.rewriting.source import Source
from dlint.values.values import Class

_ON = ("super().__init__()", "super({}, self).__init__()")


def idle_without(source: Source, line: cst.CSTNode) -> cst.FunctionDef | None:
    """The constructor that would do nothing without one of its lines, where its class may be without it.

    What it leaves to do is nothing, where no base could have another, or to call the next one with nothing,
    as Python does where there is none. A class that would be empty keeps it, and one that a decorator makes
    of its parts.
    """
    suite = line if isinstance(line, cst.SimpleStatementSuite) else source.parent(line)
    method = source.parent(suite) if suite is not None else None
    if not isinstance(method, cst.FunctionDef) or method.body is not suite:
        return None
    block = source.parent(method)
    owner = source.parent(block) if block is not None else None
    if not isinstance(owner, cst.ClassDef) or not _takes_nothing(method) or owner.decorators:
        return None
    if not any(isinstance(each, cst.FunctionDef) and each is not method for each in owner.body.body):
        return None
    rest = [] if suite is line else [each for each in method.body.body if each is not line]
    if any(source.has_comments(each) for each in rest):
        return None
    if [source.code(each).strip() for each in rest] in [[on.format(owner.name.value)] for on in _ON]:
        return method
    return method if not rest and _has_no_other(source, owner) else None


def _takes_nothing(method: cst.FunctionDef) -> bool:
    given = method.params
    return (
        method.name.value == "__init__"
        and not method.decorators
        and len(given.params) == 1
        and given.params[0].default is None
        and not (given.kwonly_params or given.posonly_params or given.star_kwarg)
        and not isinstance(given.star_arg, cst.Param)
    )


def _has_no_other(source: Source, owner: cst.ClassDef) -> bool:
    """Whether no object of a class, or of one below it, would have the constructor of another class."""
    if owner.keywords or any(source.code(each.value) != "object" or each.star for each in owner.bases):
        return False
    with source.surroundings.asking() as program:
        trail = source.surroundings.trail(source, owner, ast.ClassDef)
        node = trail[-1]
        assert isinstance(node, ast.ClassDef)
        frame = program.evaluator.sites.frame_of(source.surroundings.module(source), trail)
        return _alone(Kin(program, Class(node, frame)).classes)


def _alone(classes: Sequence[Class]) -> bool:
    return all(len(each.node.bases) < 2 for each in classes)
