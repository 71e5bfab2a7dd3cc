"""Which findings a comment in the code silences: ``# noqa`` and ``# flake8: noqa`` as flake8 reads them."""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from dlint.finding import Finding
from dlint.regex import regex

# flake8's own two patterns, the same from 6.0 to 7.x (flake8/defaults.py); a test compares the outcomes.
INLINE = regex(r"# noqa(?::[\s]?(?P<codes>([A-Z]+[0-9]+(?:[,\s]+)?)+))?", re.IGNORECASE)
_WHOLE_FILE = regex(r"^[^\S\n]*# flake8[:=]\s*noqa", re.IGNORECASE | re.MULTILINE)


def unsuppressed(text: str, findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """The findings of one file that no comment in its text silences, in the same order.

    As in flake8, a comment counts for its line (for all lines that a string or backslashes join to it),
    codes are prefixes, and ``# flake8: noqa`` at the start of a line silences the file, whatever follows.
    """
    kept = tuple(findings)
    if not kept or "noqa" not in text.lower():
        return kept
    if _WHOLE_FILE.search(text):
        return ()
    lines = _joined_lines(text)
    return tuple(each for each in kept if not _silences(lines.get(each.line, ""), each.code))


def codes_of(written: str) -> tuple[str, ...]:
    """The codes of a list as people write it."""
    return tuple(filter(None, re.split(r"[,\s]", written)))


class Comment(NamedTuple):
    """A ``# noqa`` with codes: where it stands (from 1, columns in characters), and for which lines."""

    line: int
    column: int
    end_column: int
    first: int
    last: int
    codes: tuple[str, ...]


def comments(text: str) -> Iterator[Comment]:
    """The comments of a file that silence some codes; none where one silences the whole file."""
    if "noqa" not in text.lower() or _WHOLE_FILE.search(text):
        return
    lines = io.StringIO(text, newline=None).readlines()
    starts = comment_starts(lines)
    for first, last in joined(lines):
        found = INLINE.search("".join(lines[first - 1 : last]))
        if found is None or not found["codes"]:
            continue
        column = found.start() - sum(map(len, lines[first - 1 : last - 1]))
        if column >= starts.get(last, column + 1):  # and not in a string
            codes = codes_of(found["codes"])
            end = column + len(found.group().rstrip(", \t\r\n"))
            yield Comment(last, column + 1, end + 1, first, last, codes)


def comment_starts(lines: list[str]) -> dict[int, int]:
    """The columns, from 0, at which the comments of lines begin."""
    starts: dict[int, int] = {}
    try:
        for token in tokenize.generate_tokens(iter([*lines, ""]).__next__):
            if token.type == tokenize.COMMENT:
                starts[token.start[0]] = token.start[1]
    except (tokenize.TokenError, SyntaxError):
        return {}
    return starts


def _silences(lines: str, code: str) -> bool:
    comment = INLINE.search(lines)
    if comment is None:
        return False
    codes = comment.group("codes")
    return codes is None or code.startswith(codes_of(codes))


def _joined_lines(text: str) -> dict[int, str]:
    """For every line number the text in which flake8 looks for the comment."""
    lines = io.StringIO(text, newline=None).readlines()
    texts: dict[int, str] = {}
    for first, last in joined(lines):
        texts.update(dict.fromkeys(range(first, last + 1), "".join(lines[first - 1 : last])))
    return texts


def joined(lines: list[str]) -> list[tuple[int, int]]:
    """First and last numbers of the lines that flake8 takes together; none where they are no Python."""
    groups = []
    first, last = len(lines) + 2, -1
    try:
        for kind, _, (start, _), (end, _), _ in tokenize.generate_tokens(iter([*lines, ""]).__next__):
            if kind in (tokenize.ENDMARKER, tokenize.DEDENT):
                continue
            first, last = min(first, start), max(last, end)
            if kind in (tokenize.NL, tokenize.NEWLINE):
                groups.append((first, last))
                first, last = len(lines) + 2, -1
    except (tokenize.TokenError, SyntaxError):
        return []
    return groups
