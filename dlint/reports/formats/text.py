"""Findings for people: the message, the line of code, how it is reached, and what can be done."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from dlint.finding import Finding, Level, Span
from dlint.fingerprint import SourceLines
from dlint.reports.line import place, reach
from dlint.reports.pages import address
from dlint.reports.signs import cells, visible

_BOLD, _BLUE, _GREEN, _RESET = "\x1b[1m", "\x1b[34m", "\x1b[32m", "\x1b[0m"
_COLOURS: dict[Level, str] = {"error": "\x1b[1;31m", "warning": "\x1b[1;33m", "note": "\x1b[1;36m"}
_NARROWEST = 40  # columns for a line of code, however narrow the window
_LEAD = 20  # columns before the finding where a line is cut
_TAB = 4


def text(
    findings: Iterable[Finding],
    source: SourceLines,
    *,
    colour: bool = False,
    encoding: str | None = "utf-8",
    width: int = 160,
) -> Iterator[str]:
    """A paragraph for each finding. ``source`` gives the lines of a finding's file, none if it has gone.

    ``encoding`` is that of the stream: the carets must fit the line as it is shown there; ``width`` is
    that of the window, in columns. In colour the rule's code is a link to its page, too.
    """

    def painted(words: str, with_colour: str) -> str:
        return f"{with_colour}{words}{_RESET}" if colour else words

    for finding in findings:
        colour_of = _COLOURS[finding.level]
        code = painted(finding.code, colour_of)
        if colour:
            code = _linked(code, address(finding.code, finding.name))
        label = f"{painted(finding.level, colour_of)}: {code}"
        yield f"{painted(place(finding), _BOLD)}: {label} {visible(finding.message)}"
        margin_width = len(str(finding.line))
        bar = painted("|", _BLUE)
        lines = source(finding.text)
        spans = _spans(finding)
        number = spans[0].line
        if number <= len(lines):
            margin_width = len(str(number))
            room = max(width - margin_width - len(" | "), _NARROWEST)
            shown, carets = _underlined(lines[number - 1], spans, encoding, room)
            yield f"{' ' * margin_width} {bar}"
            yield f"{painted(str(number), _BLUE)} {bar} {shown}"
            yield f"{' ' * margin_width} {bar} {painted(carets, colour_of)}"
        margin = f"{' ' * margin_width} {painted('=', _BLUE)}"
        reached = reach(finding)
        if reached:
            yield f"{margin} {painted('reached:', _BOLD)} {reached}"
        yield from (
            f"{margin} {painted(label, _GREEN)} {visible(words)}" for label, words in _what_to_do(finding)
        )
        yield ""


def _what_to_do(finding: Finding) -> Iterator[tuple[str, str]]:
    if finding.remedy is not None:
        unsafe = finding.remedy.applicability == "unsafe"
        command = "dlint fix --unsafe-fixes" if unsafe else "dlint fix"
        where = "" if finding.remedy.edits else ", where it fits"  # which nobody has tried
        yield "fix:", f"{finding.remedy.summary} ({command}{where})"
    if finding.by_hand is not None and finding.by_hand not in finding.message:
        yield "by hand:", finding.by_hand


def _linked(words: str, where: str) -> str:
    """Words that lead somewhere, on terminals that follow links (OSC 8); others show the words."""
    return f"\x1b]8;;{where}\x1b\\{words}\x1b]8;;\x1b\\"


def _spans(finding: Finding) -> list[Span]:
    """What is underlined: the first line of what the finding is about, and all of it that stands there."""
    parts = sorted(finding.marked) or [Span(*finding[4:8])]
    return [part for part in parts if part.line == parts[0].line]


def _underlined(line: str, spans: list[Span], encoding: str | None, widest: int) -> tuple[str, str]:
    """The line as it can be shown, cut where it is too wide, and the carets under some parts of it."""
    line = line.rstrip()
    ends = [each.end_column - 1 if each.end_line == each.line else len(line) for each in spans]
    ranges = [(each.column - 1, max(end, each.column)) for each, end in zip(spans, ends, strict=True)]
    start, end = ranges[0][0], ranges[-1][1]
    # Of a line of megabytes only what may be shown is looked at.
    first = start - widest if start > widest and len(line) > 2 * widest else 0
    shown, widths = cells(line[first : start + 2 * widest], encoding, 0, _TAB)
    before = sum(widths[: start - first])
    signs = "".join(
        ("^" if any(a <= at < b for a, b in ranges) else " ") * widths[at - first]
        for at in range(start, min(end, first + len(widths)))
    )
    carets = signs or "^"
    total = sum(widths)
    if first == 0 and total <= widest:
        return "".join(shown), " " * before + carets
    left = max(0, min(before - _LEAD, total - widest))
    cut = skipped = 0
    while skipped < left:
        skipped += widths[cut]
        cut += 1
    wide = skipped
    upto = cut
    while upto < len(widths) and wide + widths[upto] <= skipped + widest:
        wide += widths[upto]
        upto += 1
    room = max(skipped + widest - before, 1)
    return "".join(shown[cut:upto]), " " * (before - skipped) + carets[:room].rstrip()
