"""The lines of a function that has been moved: broken where they got too long, joined where the formatter in
use would join them."""

from __future__ import annotations

import libcst as cst

from dlint.rewriting.pieces.line_length import limit_of
from dlint.rewriting.pieces.room import joined
from dlint.rewriting.source import Source

_USUAL = 88  # characters a line, where neither a configuration nor the file itself has longer ones


def with_head_on_lines(source: Source, function: cst.FunctionDef, margin: str) -> cst.FunctionDef:
    """A function that stands ``margin`` in, with its parameters on a line of their own, or each on one, where
    its first line would be too long."""
    columns = limit_of(source, _USUAL).columns - len(margin.expandtabs(4))
    bare = function.with_changes(body=cst.SimpleStatementSuite([cst.Pass()]), leading_lines=[], decorators=[])
    head = source.code(bare).strip().removesuffix(" pass")
    params = function.params.params
    is_plain = function.params.deep_equals(cst.Parameters(params))
    if "\n" in head or len(head) <= columns or not params or not is_plain:
        return function
    step = source.module.default_indent
    inner, outer = _new_line(step), _new_line("")
    *before, last = params
    if len(step.expandtabs(4)) + len(source.code(function.params)) <= columns:
        lines = [*before, last.with_changes(whitespace_after_param=outer)]
    else:
        lines = [
            *(each.with_changes(comma=cst.Comma(whitespace_after=inner)) for each in before),
            last.with_changes(comma=cst.Comma(whitespace_after=outer)),
        ]
    return function.with_changes(params=cst.Parameters(lines), whitespace_before_params=inner)


def with_room_used(source: Source, function: cst.FunctionDef, margin: str) -> cst.FunctionDef:
    """A function that was a lambda and stands ``margin`` in, with what a line of it calls in a row beside the
    bracket, where there is room for that now and the formatter in use would have it there."""
    limit = limit_of(source)
    lines = function.body.body
    if not limit.black or not isinstance(function.body, cst.IndentedBlock):
        return function
    columns = limit.columns - len(f"{margin}{source.module.default_indent}".expandtabs(4))
    for line in lines:
        match line:
            case cst.SimpleStatementLine(body=[cst.Return(value=cst.Call() as call)]):
                before = len("return ")
            case cst.SimpleStatementLine(body=[cst.Expr(value=cst.Call() as call)]):
                before = 0
            case _:
                continue
        if call.args and not isinstance(call.args[-1].comma, cst.Comma):
            around = before + len(source.code(call.func))
            changed = function.deep_replace(call, joined(columns - around, call))
            assert isinstance(changed, cst.FunctionDef)
            function = changed
    return function


def _new_line(indent: str) -> cst.ParenthesizedWhitespace:
    return cst.ParenthesizedWhitespace(indent=True, last_line=cst.SimpleWhitespace(indent))
