"""Findings for people: the message, the line of code, how it is reached, and what can be done."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from dlint.finding import Finding, Level
from dlint.reports.line import place, reach
from dlint.reports.signs import cells, visible

SourceLines = Callable[[str], Sequence[str]]

_BOLD, _BLUE, _GREEN, _RESET = "\x1b[1m", "\x1b[34m", "\x1b[32m", "\x1b[0m"
_COLOURS: dict[Level, str] = {"error": "\x1b[1;31m", "warning": "\x1b[1;33m", "note": "\x1b[1;36m"}
_WIDEST_LINE = 160
_LEAD = 20  # columns before the finding where a line is cut
_TAB = 4


def text(
    findings: Iterable[Finding],
    source: SourceLines,
    *,
    colour: bool = False,
    encoding: str | None = "utf-8",
) -> Iterator[str]:
    """A paragraph for each finding. ``source`` gives the lines of a finding's file, none if it has gone.

    ``encoding`` is that of the stream: the carets must fit the line as it is shown there.
    """

    def painted(words: str, with_colour: str) -> str:
        return f"{with_colour}{words}{_RESET}" if colour else words

    for finding in findings:
        colour_of = _COLOURS[finding.level]
        label = f"{painted(finding.level, colour_of)}: {painted(finding.code, colour_of)}"
        yield f"{painted(place(finding), _BOLD)}: {label} {visible(finding.message)}"
        width = len(str(finding.line))
        bar = painted("|", _BLUE)
        lines = source(finding.path)
        if finding.line <= len(lines):
            code, carets = _underlined(lines[finding.line - 1], finding, encoding)
            yield f"{' ' * width} {bar}"
            yield f"{painted(str(finding.line), _BLUE)} {bar} {code}"
            yield f"{' ' * width} {bar} {painted(carets, colour_of)}"
        margin = f"{' ' * width} {painted('=', _BLUE)}"
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
        yield "fix:", f"{finding.remedy.summary} ({command})"
    if finding.by_hand is not None and finding.by_hand not in finding.message:
        yield "by hand:", finding.by_hand


def _underlined(line: str, finding: Finding, encoding: str | None) -> tuple[str, str]:
    """The line as it can be shown, cut where it is too wide, and the carets under the finding."""
    line = line.rstrip()
    start = finding.column - 1
    end = max(finding.end_column - 1 if finding.end_line == finding.line else len(line), start + 1)
    # Of a line of megabytes only what may be shown is looked at.
    first = start - _WIDEST_LINE if start > _WIDEST_LINE and len(line) > 2 * _WIDEST_LINE else 0
    shown, widths = cells(line[first : start + 2 * _WIDEST_LINE], encoding, 0, _TAB)
    before = sum(widths[: start - first])
    carets = max(sum(widths[start - first : end - first]), 1)
    total = sum(widths)
    if first == 0 and total <= _WIDEST_LINE:
        return "".join(shown), " " * before + "^" * carets
    left = max(0, min(before - _LEAD, total - _WIDEST_LINE))
    cut = skipped = 0
    while skipped < left:
        skipped += widths[cut]
        cut += 1
    wide = skipped
    upto = cut
    while upto < len(widths) and wide + widths[upto] <= skipped + _WIDEST_LINE:
        wide += widths[upto]
        upto += 1
    room = max(skipped + _WIDEST_LINE - before, 1)
    return "".join(shown[cut:upto]), " " * (before - skipped) + "^" * min(carets, room)
