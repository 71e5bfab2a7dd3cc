"""Statements taken away or written anew, with the comments around them kept."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from dlint.rewriting.edits import CannotRepair, Edits
from dlint.rewriting.header import Statement, spaced
from dlint.rewriting.source import Source


def parse(source: Source, text: str) -> list[cst.SimpleStatementLine | cst.BaseCompoundStatement]:
    """Statements from text indented by four spaces a level, in the file's own indentation."""
    module = cst.parse_module(
        text, config=cst.PartialParserConfig(default_newline=source.module.default_newline)
    )
    return list(_Reindent().visit_body(module))


def without_blank_indents(statement: Statement) -> Statement:
    """The statement with blank lines that stay blank when it moves into a block."""
    result = statement.visit(_BlankLines())
    assert isinstance(result, Statement)
    return result


class _BlankLines(cst.CSTTransformer):
    """Blank lines take no indentation."""

    def leave_EmptyLine(self, original_node: cst.EmptyLine, updated_node: cst.EmptyLine) -> cst.EmptyLine:
        return updated_node if updated_node.comment is not None else updated_node.with_changes(indent=False)


class _Reindent(_BlankLines):
    """Blocks take the indentation of the module they come into."""

    def visit_body(self, module: cst.Module) -> Sequence[cst.SimpleStatementLine | cst.BaseCompoundStatement]:
        result = module.visit(self)
        body = list(result.body)
        if result.header and body:
            body[0] = body[0].with_changes(leading_lines=[*result.header, *body[0].leading_lines])
        return body

    def leave_IndentedBlock(
        self, original_node: cst.IndentedBlock, updated_node: cst.IndentedBlock
    ) -> cst.IndentedBlock:
        return updated_node.with_changes(indent=None)

    def leave_Newline(self, original_node: cst.Newline, updated_node: cst.Newline) -> cst.Newline:
        return updated_node.with_changes(value=None)


def small(text: str) -> cst.BaseSmallStatement:
    """A small statement from text."""
    line = cst.parse_statement(text)
    assert isinstance(line, cst.SimpleStatementLine)
    return line.body[0]


def expression(text: str) -> cst.BaseExpression:
    """An expression from text."""
    return cst.parse_expression(text)


def block_of(source: Source, node: cst.CSTNode) -> tuple[cst.CSTNode, list[cst.CSTNode], int]:
    """The block that holds the statement line of ``node``, its statements, and the line's index there."""
    line = source.line_of(node)
    if isinstance(line, cst.SimpleStatementSuite):
        raise CannotRepair("the statement shares a line with the `if`, `for` or `def` it belongs to")
    block = source.parent(line)
    assert isinstance(block, cst.Module | cst.IndentedBlock)
    body: list[cst.CSTNode] = list(block.body)
    return block, body, next(index for index, each in enumerate(body) if each is line)


def remove_statement(source: Source, edits: Edits, small: cst.BaseSmallStatement) -> None:
    """Take a small statement away: with its line when it stands alone there; comments stay.

    A block that would be left empty gets a ``pass``; an ``if`` that held nothing else goes with it.
    """
    line = source.line_of(small)
    assert isinstance(line, cst.SimpleStatementLine | cst.SimpleStatementSuite)
    if len(line.body) > 1:
        _remove_of_several(edits, line, small)
        return
    if _is_all_of_an_if(source, line):
        branch: cst.If = source.enclosing(line, cst.If)
        if not source.has_comments(branch.body) and _can_go(source, branch):
            _remove_line(source, edits, branch, list(branch.leading_lines))
            return
    if isinstance(line, cst.SimpleStatementSuite):
        edits.replace(small, cst.Pass())
        return
    block, body, index = block_of(source, small)
    if len(body) == 1 or (index == len(body) - 1 and isinstance(block, cst.Module)):
        edits.replace(small, cst.Pass())
        return
    kept = list(line.leading_lines)
    if line.trailing_whitespace.comment is not None:
        kept.append(cst.EmptyLine(comment=line.trailing_whitespace.comment))
    _remove_line(source, edits, line, kept)


def leaves_pass(source: Source, small: cst.BaseSmallStatement) -> bool:
    """Whether :func:`remove_statement` would have to write a ``pass``."""
    line = source.line_of(small)
    assert isinstance(line, cst.SimpleStatementLine | cst.SimpleStatementSuite)
    if len(line.body) > 1:
        return False
    if _is_all_of_an_if(source, line):
        branch: cst.If = source.enclosing(line, cst.If)
        if not source.has_comments(branch.body) and _can_go(source, branch):
            return False
    if isinstance(line, cst.SimpleStatementSuite):
        return True
    block, body, index = block_of(source, small)
    return len(body) == 1 or (index == len(body) - 1 and isinstance(block, cst.Module))


def _is_all_of_an_if(source: Source, line: cst.SimpleStatementLine | cst.SimpleStatementSuite) -> bool:
    """Whether the line is the body of an ``if`` without ``else`` whose test does nothing but look."""
    suite = line if isinstance(line, cst.SimpleStatementSuite) else source.parent(line)
    branch = source.parent(suite) if suite is not None else None
    if not isinstance(branch, cst.If) or branch.body is not suite or branch.orelse is not None:
        return False
    acts = (cst.Call, cst.Await, cst.NamedExpr)
    tests = [branch.test, *source.descendants(branch.test, *acts)]
    return len(branch.body.body) == 1 and not any(isinstance(each, acts) for each in tests)


def _can_go(source: Source, line: cst.If) -> bool:
    if isinstance(source.parent(line), cst.If):  # an `elif`
        return False
    block, body, index = block_of(source, line)
    return len(body) > 1 and not (index == len(body) - 1 and isinstance(block, cst.Module))


def _remove_line(
    source: Source, edits: Edits, line: cst.BaseStatement, kept: Sequence[cst.EmptyLine]
) -> None:
    """Take a whole line away; the blank lines and comments ``kept`` stand before what follows it."""
    block, body, index = block_of(source, line)
    edits.remove(line)
    if index + 1 < len(body):
        edits.change(
            body[index + 1], lambda node: node.with_changes(leading_lines=_lines(kept, node.leading_lines))
        )
    elif any(each.comment is not None for each in kept):
        edits.change(block, lambda node: node.with_changes(footer=[*kept, *node.footer]))


def _lines(kept: Sequence[cst.EmptyLine], after: Sequence[cst.EmptyLine]) -> list[cst.EmptyLine]:
    """The lines over a removed statement, then those over the next, blank ones not doubled."""
    first = list(kept)
    if after and after[0].comment is None:
        while first and first[-1].comment is None:
            first.pop()
    return [*first, *after]


def _remove_of_several(
    edits: Edits, line: cst.SimpleStatementLine | cst.SimpleStatementSuite, small: cst.BaseSmallStatement
) -> None:
    """Take one statement of ``a; b; c`` away; the last one left has no semicolon if the old had none."""
    edits.remove(small)
    if line.body[-1] is small:
        edits.change(line.body[-2], lambda node: node.with_changes(semicolon=small.semicolon))


def replace_line(
    source: Source,
    edits: Edits,
    node: cst.CSTNode,
    new: Sequence[cst.SimpleStatementLine | cst.BaseCompoundStatement],
) -> None:
    """Put statements in the place of the line of ``node``, with its comments, spaced as PEP 8 has it."""
    block, body, index = block_of(source, node)
    line = body[index]
    if isinstance(line, cst.SimpleStatementLine) and len(line.body) > 1:
        raise CannotRepair("the statement shares its line with others: put it on a line of its own first")
    leading = list(line.leading_lines) if isinstance(line, Statement) else []
    if isinstance(line, cst.SimpleStatementLine) and line.trailing_whitespace.comment is not None:
        leading.append(cst.EmptyLine(comment=line.trailing_whitespace.comment))
    first, *rest = new
    edits.remove(line)
    blank = next((i for i, each in enumerate(leading) if each.comment is not None), len(leading))
    leading[blank:blank] = first.leading_lines
    edits.insert_after(line, [first.with_changes(leading_lines=leading), *rest])
    if index + 1 < len(body) and isinstance(block, cst.Module) and isinstance(new[-1], cst.FunctionDef):
        edits.change(body[index + 1], lambda node: spaced(node, 2))
