"""Comments behind a line that speak to a linter: of no use where the line has become a function."""

from __future__ import annotations

import re
from collections.abc import Sequence

import libcst as cst

from dlint.rewriting.edits import Edits

_TO_LINTER = re.compile(
    r"#\s*(?:noqa|nosec|type:\s*ignore|pyright:\s*ignore|pylint:\s*disable|fmt:\s*skip)\b", re.IGNORECASE
)
# That a lambda is given a name, or only hands its arguments on.
_OF_LAMBDA = re.compile(
    r"#\s*(?:noqa:\s*(?:E731|PLW0108)|pylint:\s*disable=unnecessary-lambda(?:-assignment)?)\s*", re.IGNORECASE
)


def kept(edits: Edits, comments: Sequence[cst.Comment]) -> list[cst.Comment]:
    """The comments that say something of the function that a line has become; the others are let go."""
    for comment in comments:
        if _TO_LINTER.match(comment.value):
            edits.drop_comment(comment)
    return [each for each in comments if not _TO_LINTER.match(each.value)]


def for_linter(line: cst.CSTNode) -> str:
    """The comment behind a line that speaks to a linter of the call there, with what stands before it; ""
    where there is none."""
    if not isinstance(line, cst.SimpleStatementLine) or len(line.body) != 1:
        return ""
    behind = line.trailing_whitespace
    if behind.comment is None or not _TO_LINTER.match(behind.comment.value):
        return ""
    return behind.whitespace.value + behind.comment.value


def taken_from_line(edits: Edits, line: cst.CSTNode) -> str:
    """The same, taken away there: it goes where the call goes."""
    found = for_linter(line)
    if found and isinstance(line, cst.SimpleStatementLine):
        bare = cst.TrailingWhitespace(newline=line.trailing_whitespace.newline)
        edits.change(line, lambda each: each.with_changes(trailing_whitespace=bare), "linter's comment")
    return found


def let_go_of_lambda(edits: Edits, line: cst.SimpleStatementLine) -> None:
    """Take away the comment that excuses a line's lambda, where the line has none any more."""
    comment = line.trailing_whitespace.comment
    if comment is not None and _OF_LAMBDA.fullmatch(comment.value):
        edits.drop_comment(comment)
        bare = cst.TrailingWhitespace(newline=line.trailing_whitespace.newline)
        edits.change(line, lambda each: each.with_changes(trailing_whitespace=bare), "lambda's comment")
