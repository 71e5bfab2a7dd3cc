"""Writes the comments that silence findings where flake8, too, looks for them."""

from __future__ import annotations

import io
from collections.abc import Iterable

from dlint.finding import Finding
from dlint.regex import regex
from dlint.source.noqa.noqa import INLINE, comment_starts, joined

_LINE = regex(r"[^\r\n]*(?:\r\n?|\n)|[^\r\n]+")


def with_noqa(text: str, findings: Iterable[Finding]) -> str:
    """The text with a comment for each finding that one can be written for; no line comes or goes.

    flake8 reads the first comment of the lines that strings and backslashes join: that one gets the codes.
    Where a string reads like such a comment, none is written: nobody would look at it.
    """
    codes: dict[int, set[str]] = {}
    for finding in findings:
        codes.setdefault(finding.line, set()).add(finding.code)
    plain = io.StringIO(text, newline=None).readlines()
    lines = _LINE.findall(text)
    starts = comment_starts(plain)
    for first, last in joined(plain):
        wanted = set().union(*(codes.get(number, ()) for number in range(first, last + 1)))
        if not wanted:
            continue
        found = INLINE.search("".join(plain[first - 1 : last]))
        if found is None:
            lines[last - 1] = _with_comment(lines[last - 1], ", ".join(sorted(wanted)))
        elif (start := starts.get(last)) is not None:
            at = found.start() - sum(map(len, plain[first - 1 : last - 1]))
            if at >= start:  # not in a string
                lines[last - 1] = _with_codes(lines[last - 1], at + len(found.group()), sorted(wanted))
    return "".join(lines)


def _with_comment(line: str, codes: str) -> str:
    code = line.rstrip("\r\n")
    return f"{code.rstrip()}  # noqa: {codes}{line[len(code) :]}"


def _with_codes(line: str, end: int, codes: list[str]) -> str:
    """The line with more codes in the list that ends there, or in its separators."""
    end = len(line[:end].rstrip(", \t\r\n"))
    return f"{line[:end]}, {', '.join(codes)}{line[end:]}"
