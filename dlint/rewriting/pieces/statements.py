"""Statements taken away or written anew, with the comments around them kept."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import libcst as cst

from dlint.rewriting.edits import Edits
from dlint.rewriting.header import Statement, blank_before_comment, blank_lines, spaced
from dlint.rewriting.pieces.constructors import idle_without
from dlint.rewriting.pieces.line_comments import about_alone, for_linter, is_lasting
from dlint.rewriting.refusal import CannotRepair
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


def insert_before_methods(source: Source, edits: Edits, owner: cst.ClassDef, text: str) -> cst.CSTNode:
    """Put lines into the body of a class, before its first method, which is given back."""
    body = list(owner.body.body)
    at = next(i for i, each in enumerate(body) if isinstance(each, cst.FunctionDef))
    blank = "\n" if at == 1 and is_docstring(body[0]) else ""
    edits.insert_before(body[at], parse(source, f"{blank}{text}"))
    edits.change(body[at], lambda node: spaced(node, 1))
    return body[at]


def take_away(source: Source, edits: Edits, line: Statement) -> None:
    """Remove a line that something else stands for now; a blank line that set it off from what stands before
    sets off what follows."""
    _, body, index = block_of(source, line)
    edits.claim(line)
    edits.remove(line)
    if index + 1 == len(body):
        return
    blank = 0
    if index:
        after = body[index + 1]
        assert isinstance(after, Statement)
        blank = max(_blank_before(line), _blank_before(after))
    edits.change(body[index + 1], lambda each: _with_blank(each, min(blank, 1)))


def _blank_before(statement: Statement) -> int:
    lines = statement.leading_lines
    return next((i for i, each in enumerate(lines) if each.comment is not None), len(lines))


def _with_blank(statement: Statement, blank: int) -> Statement:
    """The statement with so many blank lines before it and its comments."""
    kept = list(statement.leading_lines)[_blank_before(statement) :]
    return statement.with_changes(leading_lines=[*[cst.EmptyLine(indent=False)] * blank, *kept])


def is_docstring(line: cst.CSTNode) -> bool:
    """Whether a line is nothing but a string."""
    if not isinstance(line, cst.SimpleStatementLine):
        return False
    first = line.body[0]
    return isinstance(first, cst.Expr) and isinstance(first.value, cst.SimpleString | cst.ConcatenatedString)


def remove_statement(source: Source, edits: Edits, small: cst.BaseSmallStatement) -> None:
    """Take a small statement away: with its line when it stands alone there, and what is said of it alone.

    A branch that held nothing else goes with it, and a constructor that has nothing left to do; where
    something must be left, that is a ``pass``.
    """
    line = source.line_of(small)
    assert isinstance(line, cst.SimpleStatementLine | cst.SimpleStatementSuite)
    if len(line.body) > 1:
        _remove_of_several(edits, line, small)
    elif not _remove_branch(source, edits, line):
        constructor = idle_without(source, line)
        if constructor is not None:
            _remove_whole(source, edits, constructor)
        elif isinstance(line, cst.SimpleStatementSuite):
            edits.replace(small, cst.Pass())
        else:
            _remove_whole(source, edits, line)


def leaves_pass(source: Source, small: cst.BaseSmallStatement) -> bool:
    """Whether :func:`remove_statement` would have to write a ``pass``."""
    tried = _Watched(source)
    remove_statement(source, tried, small)
    return tried.writes_pass


class _Watched(Edits):
    """Edits that are only looked at."""

    writes_pass = False

    def replace(self, node: cst.CSTNode, new: cst.CSTNode, key: Hashable = None) -> None:
        self.writes_pass |= any(isinstance(each, cst.Pass) for each in (new, *getattr(new, "body", ())))
        super().replace(node, new, key)


def _remove_whole(
    source: Source, edits: Edits, line: cst.SimpleStatementLine | cst.If | cst.FunctionDef
) -> None:
    """Take a line, an ``if`` or a function away, whatever is in it."""
    block, body, index = block_of(source, line)
    if len(body) == 1 or (index == len(body) - 1 and isinstance(block, cst.Module)):
        rest = cst.SimpleStatementLine([cst.Pass()], leading_lines=line.leading_lines)
        if isinstance(line, cst.SimpleStatementLine):
            rest = rest.with_changes(trailing_whitespace=line.trailing_whitespace)
        elif comments_in(source, line):
            edits.replace(line.body.body[0], cst.Pass())
            return
        edits.replace(line, rest)
        return
    _drop_comments(source, edits, line)
    kept = list(line.leading_lines)
    if _is_paragraph(block, body, index):
        while kept and not is_lasting(kept[-1].comment):
            gone = kept.pop().comment
            if gone is not None:
                edits.drop_comment(gone)
    elif index + 1 < len(body):
        heading = about_alone(source.names_in(line), source.code(body[index + 1]), kept)
        for each in kept[len(kept) - heading :]:
            assert each.comment is not None
            edits.drop_comment(each.comment)
        kept = kept[: len(kept) - heading]
    _remove_line(source, edits, line, kept)


def _is_paragraph(block: cst.CSTNode, body: Sequence[cst.CSTNode], index: int) -> bool:
    """Whether the comments right above a statement speak of it alone: nothing follows right under it."""
    if index + 1 == len(body):
        return not isinstance(block, cst.Module)
    following = body[index + 1]
    return isinstance(following, Statement) and bool(following.leading_lines)


def comments_in(source: Source, node: cst.CSTNode) -> list[cst.Comment]:
    """The comments inside a node, those in the lines above a statement left aside."""
    above = set(node.leading_lines) if isinstance(node, Statement) else set()
    return [
        each
        for each in source.descendants(node, cst.Comment)
        if not any(line in above for line in source.ancestors(each))
    ]


def _drop_comments(source: Source, edits: Edits, line: cst.BaseStatement) -> None:
    for comment in comments_in(source, line):
        edits.drop_comment(comment)


def _remove_branch(
    source: Source, edits: Edits, line: cst.SimpleStatementLine | cst.SimpleStatementSuite
) -> bool:
    """Take the branch away that holds nothing but the line, if it can go; whether it went."""
    suite = line if isinstance(line, cst.SimpleStatementSuite) else source.parent(line)
    branch = source.parent(suite) if suite is not None else None
    if not isinstance(branch, cst.If | cst.Else) or branch.body is not suite or len(branch.body.body) != 1:
        return False
    above = source.parent(branch)
    if isinstance(branch, cst.Else):
        if not isinstance(above, cst.If):
            return False
        _drop_else(source, edits, above, branch)
        return True
    if not _only_looks(source, branch.test):
        return False
    if isinstance(branch.orelse, cst.Else):
        return not isinstance(above, cst.If) and _keep_else(source, edits, branch, branch.orelse)
    if branch.orelse is not None:
        return False
    if isinstance(above, cst.If):  # the last `elif`
        _drop_else(source, edits, above, branch)
        return True
    _remove_whole(source, edits, branch)
    return True


# Calls that change nothing, and raise nothing where they stand in a test.
_LOOKS = frozenset(
    {"bool", "callable", "hasattr", "isinstance", "issubclass", "len", "torch.utils.data.get_worker_info"}
)


def _only_looks(source: Source, test: cst.BaseExpression) -> bool:
    acts = (cst.Call, cst.Await, cst.NamedExpr)
    found = [each for each in [test, *source.descendants(test, *acts)] if isinstance(each, acts)]
    return all(
        isinstance(each, cst.Call) and (source.qualified(each.func) or "").removeprefix("builtins.") in _LOOKS
        for each in found
    )


def _drop_else(source: Source, edits: Edits, branch: cst.If, orelse: cst.If | cst.Else) -> None:
    for comment in source.descendants(orelse, cst.Comment):
        edits.drop_comment(comment)
    edits.claim(orelse)
    edits.change(branch, lambda node: node.with_changes(orelse=None))


def _keep_else(source: Source, edits: Edits, branch: cst.If, orelse: cst.Else) -> bool:
    """Leave what stands under ``else``, under the opposite test."""
    test = opposite(branch.test)
    if not isinstance(branch.body, cst.IndentedBlock) or not isinstance(orelse.body, cst.IndentedBlock):
        return False
    gone = [each for line in branch.body.body for each in source.descendants(line, cst.Comment)]
    for comment in (*gone, *_leading(orelse)):
        edits.drop_comment(comment)
    edits.claim(branch.body)

    def turned(node: cst.If) -> cst.If:
        assert isinstance(node.orelse, cst.Else)
        space = cst.SimpleWhitespace(" ")
        body = node.orelse.body.with_changes(header=cst.ensure_type(node.body, cst.IndentedBlock).header)
        return node.with_changes(test=test, body=body, orelse=None, whitespace_before_test=space)

    edits.change(branch, turned)
    return True


def _leading(orelse: cst.Else) -> list[cst.Comment]:
    found = [line.comment for line in orelse.leading_lines]
    if isinstance(orelse.body, cst.IndentedBlock):
        found.append(orelse.body.header.comment)
    return [comment for comment in found if comment is not None]


_OPPOSITES: dict[type[cst.BaseCompOp], type[cst.BaseCompOp]] = {
    cst.Equal: cst.NotEqual,
    cst.NotEqual: cst.Equal,
    cst.Is: cst.IsNot,
    cst.IsNot: cst.Is,
    cst.In: cst.NotIn,
    cst.NotIn: cst.In,
}


def opposite(test: cst.BaseExpression) -> cst.BaseExpression:
    """The test that is true where ``test`` is false."""
    if isinstance(test, cst.UnaryOperation) and isinstance(test.operator, cst.Not):
        return test.expression
    if isinstance(test, cst.Comparison) and len(test.comparisons) == 1:
        (target,) = test.comparisons
        other = _OPPOSITES.get(type(target.operator))
        if other is not None:
            return test.with_changes(comparisons=[target.with_changes(operator=other())])
    binds = (cst.Name, cst.Attribute, cst.Subscript, cst.Call, cst.Comparison, cst.UnaryOperation)
    if not isinstance(test, binds) and not test.lpar:
        test = test.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
    return cst.UnaryOperation(cst.Not(), test)


def _remove_line(
    source: Source, edits: Edits, line: cst.BaseStatement, kept: Sequence[cst.EmptyLine]
) -> None:
    """Take a whole line away; the blank lines and comments ``kept`` stand before what follows it."""
    block, body, index = block_of(source, line)
    edits.remove(line)
    if index + 1 < len(body):
        first = index == 0 and not isinstance(block, cst.Module)

        def under(node: Statement) -> Statement:
            lines = _lines(kept, node.leading_lines)
            while first and lines and lines[0].comment is None:
                lines.pop(0)
            return node.with_changes(leading_lines=lines)

        edits.change(body[index + 1], under)
    elif any(each.comment is not None for each in kept):
        edits.change(block, lambda node: node.with_changes(footer=[*kept, *node.footer]))


def _lines(kept: Sequence[cst.EmptyLine], after: Sequence[cst.EmptyLine]) -> list[cst.EmptyLine]:
    """The lines over a removed statement, then those over the next, blank ones not doubled."""
    first, second = list(kept), list(after)
    ends = blank_before_comment(reversed(first))
    begins = blank_before_comment(second)
    if ends <= begins:
        return [*first[: len(first) - ends], *second]
    return [*first, *second[begins:]]


def _remove_of_several(
    edits: Edits, line: cst.SimpleStatementLine | cst.SimpleStatementSuite, small: cst.BaseSmallStatement
) -> None:
    """Take one statement of ``a; b; c`` away; the last one left has no semicolon if the old had none."""
    edits.remove(small)
    if line.body[-1] is small:
        edits.change(line.body[-2], lambda node: node.with_changes(semicolon=small.semicolon))


def parts_bound(target: cst.CSTNode) -> list[cst.CSTNode]:
    """What a target binds: itself, or the elements of a tuple or list."""
    if isinstance(target, cst.Tuple | cst.List):
        return [part for element in target.elements for part in parts_bound(element.value)]
    return [target]


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
    behind = line.trailing_whitespace.comment if isinstance(line, cst.SimpleStatementLine) else None
    if behind is not None and not for_linter(line):
        # What speaks to a linter is the caller's, who knows where its call goes.
        leading.append(cst.EmptyLine(comment=behind))
    first, *rest = new
    edits.remove(line)
    above = blank_before_comment(leading)
    leading[above:above] = first.leading_lines
    edits.insert_after(line, [first.with_changes(leading_lines=leading), *rest])
    if index + 1 < len(body) and isinstance(block, cst.Module) and isinstance(new[-1], cst.FunctionDef):
        blank = blank_lines(source.module.body)
        edits.change(body[index + 1], lambda node: spaced(node, blank))
