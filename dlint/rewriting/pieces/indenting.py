"""Lines moved under an `if`, as an editor indents them: text inside strings stays where it is. And what later
lines are aligned with."""

from __future__ import annotations

import io
from collections.abc import Sequence

import libcst as cst

from dlint.rewriting.header import Statement
from dlint.rewriting.source import Source


def lines_of(source: Source, statement: Statement) -> tuple[int, int]:
    """The first and last line of a top-level statement, the comments and blank lines above it with it."""
    body = list(source.module.body)
    index = next(i for i, each in enumerate(body) if each is statement)
    first = _first(source, statement)
    if index + 1 < len(body):
        return first, _first(source, body[index + 1]) - 1
    return first, len(_lines(source)) - len(source.module.footer)


def _lines(source: Source) -> list[str]:
    return io.StringIO(source.module.code, newline="").readlines()


def _first(source: Source, statement: Statement) -> int:
    (line, _), _ = source.range(statement)
    if isinstance(statement, cst.FunctionDef | cst.ClassDef):
        line -= len(statement.lines_after_decorators)
        if statement.decorators:
            (line, _), _ = source.range(statement.decorators[0])
            line -= len(statement.decorators[0].leading_lines)
    return line - len(statement.leading_lines)


def indented(source: Source, spans: Sequence[tuple[int, int]], indent: str) -> str:
    """The lines of these spans, one after the other, each shifted by ``indent``.

    No two blank lines follow each other in a block, and none stands at its head.
    """
    lines = _lines(source)
    inside = _inside_strings(source)
    result: list[str] = []
    for first, last in spans:
        part = list(range(first, last + 1))
        blank = 0
        while part and not lines[part[0] - 1].strip():
            part.pop(0)
            blank += 1
        if blank and result:
            result.append(lines[first - 1].lstrip(" \t"))
        if result and not result[-1].endswith(("\n", "\r")):
            result[-1] += source.module.default_newline
        for number in part:
            line = lines[number - 1]
            if number in inside:
                result.append(line)
            elif line.strip():
                result.append(indent + line)
            elif result and (number - 1 in inside or result[-1].strip()):
                result.append(line)
    return "".join(result)


def blank_lines_at_end(source: Source, statement: Statement) -> int:
    """The blank lines that belong to the end of a top-level statement."""
    first, last = lines_of(source, statement)
    lines = _lines(source)[first - 1 : last]
    return next((i for i, line in enumerate(reversed(lines)) if line.strip()), len(lines))


def _inside_strings(source: Source) -> set[int]:
    """The lines that begin inside a string."""
    kinds = tuple(
        kind
        for name in ("SimpleString", "FormattedString", "TemplatedString")
        if (kind := getattr(cst, name, None)) is not None
    )
    found: set[int] = set()
    for node in source.descendants(source.module, *kinds):
        (first, _), (last, _) = source.range(node)
        found |= set(range(first + 1, last + 1))
    return found


def open_bracket(line: str) -> int:
    """Where a line has a bracket with something behind it that later lines are aligned with; -1 if it has
    none."""
    waiting: list[int] = []
    for column, sign in enumerate(line):
        if sign in "([{":
            waiting.append(column)
        elif sign in ")]}" and waiting:
            waiting.pop()
    return waiting[-1] if waiting and line[waiting[-1] + 1 :].partition("#")[0].strip() else -1
