"""Leaves a worker the one thread that the DataLoader gives it: ``torch.set_num_threads`` goes, or, where it
is all that a function does, sets one."""

from __future__ import annotations

import ast

import libcst as cst

from dlint.changes.on_both_sides import is_for_parent_too
from dlint.finding import Finding
from dlint.rewriting.edits import Edits
from dlint.rewriting.pieces import statements
from dlint.rewriting.pieces.unused import drop_unused_imports, drop_unused_locals
from dlint.rewriting.refusal import CannotRepair
from dlint.rewriting.source import Source
from dlint.source.noqa.noqa import INLINE

_BY_HAND = "remove the call, or start the workers with forkserver"


def repair(source: Source, finding: Finding, edits: Edits) -> None:
    """Take the call away that the finding points at, with what it alone has read."""
    call = source.at(finding, cst.Call)
    statement, function = source.parent(call), source.function_of(call)
    if not isinstance(statement, cst.Expr) or not isinstance(function, cst.FunctionDef):
        raise CannotRepair(_BY_HAND)
    with source.surroundings.asking() as program:
        _, point = source.surroundings.point(source, call, ast.Call)
        if is_for_parent_too(program, point.frame):
            name = function.name.value
            raise CannotRepair(
                f"{name} is called outside worker code too: have workers not set their threads"
            )
    gone: cst.CSTNode = statement
    if _is_all(source, function, statement) or statements.leaves_pass(source, statement):
        if len(call.args) != 1 or call.args[0].star:
            raise CannotRepair(_BY_HAND)
        gone = call.args[0].value
        edits.replace(gone, cst.Integer("1"), key="one thread")
        _silence(edits, source.line_of(statement))
    else:
        statements.remove_statement(source, edits, statement)
    drop_unused_locals(source, edits, function, [gone])
    drop_unused_imports(source, edits, [gone])


def _silence(edits: Edits, line: cst.CSTNode) -> None:
    """Take away what the line says of the old number."""
    if isinstance(line, cst.SimpleStatementLine):
        comment = line.trailing_whitespace.comment
        if comment is not None and not INLINE.search(comment.value):
            edits.drop_comment(comment)
            end = cst.TrailingWhitespace(newline=line.trailing_whitespace.newline)
            edits.change(line, lambda each: each.with_changes(trailing_whitespace=end), key="one thread")


def _is_all(source: Source, function: cst.FunctionDef, statement: cst.Expr) -> bool:
    """Whether a function does nothing else."""
    lines = function.body.body
    line = source.line_of(statement)
    return all(each is line or statements.is_docstring(each) for each in lines) and (
        isinstance(line, cst.SimpleStatementLine) and len(line.body) == 1
    )
