"""Which findings a comment in the code silences: ``# noqa`` and ``# flake8: noqa`` as flake8 reads them."""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterable

from dlint.finding import Finding

# flake8's own two patterns, the same from 6.0 to 7.x (flake8/defaults.py); a test compares the outcomes.
INLINE = re.compile(r"# noqa(?::[\s]?(?P<codes>([A-Z]+[0-9]+(?:[,\s]+)?)+))?", re.IGNORECASE)
_WHOLE_FILE = re.compile(r"^[^\S\n]*# flake8[:=]\s*noqa", re.IGNORECASE | re.MULTILINE)


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


def _silences(lines: str, code: str) -> bool:
    comment = INLINE.search(lines)
    if comment is None:
        return False
    codes = comment.group("codes")
    return codes is None or code.startswith(tuple(filter(None, re.split(r"[,\s]", codes))))


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
