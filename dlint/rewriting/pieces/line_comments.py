"""Comments over and behind a line: which go with it, and which speak of more, or to a linter."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

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


_LASTING = re.compile(
    r"#\s*(?:fmt|yapf|isort|pylint|ruff|flake8|mypy|type|pragma|region|endregion|TODO|FIXME)\b|# ?%%|#!"
)


def is_lasting(comment: cst.Comment | None) -> bool:
    """Whether a comment speaks of more than the statement under it."""
    return comment is None or _LASTING.match(comment.value) is not None


_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_SHORTEST = 4  # what has fewer letters is like too many words
# What is said of many statements, and names none.
_OF_ANY = frozenset(
    _WORD.findall(
        """a all also always an and at be both deterministic each ensure every everything fix fixed for get
        here init initialise initialize is it its make making number numbers of once our random randomly
        reproducibility reproducible result results same set sets setting so sure that the them this to up use
        used uses we with"""
    )
)


def about_alone(gone: Iterable[str], following: str, lines: Sequence[cst.EmptyLine]) -> int:
    """How many of the lines right over a statement, which says the names ``gone``, speak of it alone: of
    nothing else, and not of the next one."""
    comments: list[cst.Comment] = []
    for each in reversed(lines):
        if each.comment is None or is_lasting(each.comment):
            break
        comments.append(each.comment)
    said = {word for each in comments for word in _words(each.value)} - _OF_ANY
    of_gone, of_next = _words(" ".join(gone)), _words(following)
    if not said or not all(_is_among(word, of_gone) and not _is_among(word, of_next) for word in said):
        return 0
    return len(comments)


def _words(text: str) -> set[str]:
    return {word.lower() for word in _WORD.findall(text)}


def _is_among(word: str, words: set[str]) -> bool:
    """Whether a word, or another form of it, is among words: ``seed`` and ``seeding``."""
    return word in words or any(
        min(len(word), len(each)) >= _SHORTEST and (word.startswith(each) or each.startswith(word))
        for each in words
    )
