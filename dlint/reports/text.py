"""Findings for people: the message, the line of code, how it is reached, and what can be done."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from dlint.finding import Finding
from dlint.reports.line import place, reach

SourceLines = Callable[[str], Sequence[str]]

_BOLD, _RED, _BLUE, _GREEN, _RESET = "\x1b[1m", "\x1b[1;31m", "\x1b[34m", "\x1b[32m", "\x1b[0m"
_WIDEST_LINE = 160
_TAB = 4


def text(findings: Iterable[Finding], source: SourceLines, *, colour: bool = False) -> Iterator[str]:
    """A paragraph for each finding. ``source`` gives the lines of a finding's file, none if it has gone."""

    def painted(words: str, with_colour: str) -> str:
        return f"{with_colour}{words}{_RESET}" if colour else words

    for finding in findings:
        yield f"{painted(place(finding), _BOLD)}: {painted(finding.code, _RED)} {finding.message}"
        width = len(str(finding.line))
        bar = painted("|", _BLUE)
        lines = source(finding.path)
        if finding.line <= len(lines):
            code, carets = _underlined(lines[finding.line - 1], finding)
            yield f"{' ' * width} {bar}"
            yield f"{painted(str(finding.line), _BLUE)} {bar} {code}"
            yield f"{' ' * width} {bar} {painted(carets, _RED)}"
        margin = f"{' ' * width} {painted('=', _BLUE)}"
        reached = reach(finding)
        if reached:
            yield f"{margin} {painted('reached:', _BOLD)} {reached}"
        yield from (f"{margin} {painted(label, _GREEN)} {words}" for label, words in _what_to_do(finding))
        yield ""


def _what_to_do(finding: Finding) -> Iterator[tuple[str, str]]:
    if finding.remedy is not None:
        unsafe = finding.remedy.applicability == "unsafe"
        command = "dlint fix --unsafe-fixes" if unsafe else "dlint fix"
        yield "fix:", f"{finding.remedy.summary} ({command})"
    if finding.by_hand is not None:
        yield "by hand:", finding.by_hand


def _underlined(line: str, finding: Finding) -> tuple[str, str]:
    """The line with tabs as spaces, cut where it is too wide, and the carets under the finding."""
    start = finding.column - 1
    end = finding.end_column - 1 if finding.end_line == finding.line else len(line.rstrip())
    before = line[:start].expandtabs(_TAB)
    upto_end = line[: max(end, start + 1)].expandtabs(_TAB)
    whole = line.expandtabs(_TAB).rstrip()
    carets = "^" * max(len(upto_end) - len(before), 1)
    if len(whole) <= _WIDEST_LINE:
        return whole, " " * len(before) + carets
    first = max(0, min(len(before) - 20, len(whole) - _WIDEST_LINE))
    shown = whole[first : first + _WIDEST_LINE]
    room = _WIDEST_LINE - (len(before) - first)
    return shown, " " * (len(before) - first) + carets[: max(room, 1)]


def summary(findings: Sequence[Finding], checked: int) -> str:
    """The closing line: how much was found in how many files, and how much of it can be repaired."""
    files = f"{checked} file{'' if checked == 1 else 's'}"
    if not findings:
        return f"No findings in {files}."
    remedies = [finding.remedy.applicability for finding in findings if finding.remedy]
    safe, unsafe = remedies.count("safe"), remedies.count("unsafe")
    offers = []
    if safe:
        offers.append(f"{safe} with `dlint fix`")
    if unsafe:
        offers.append(f"{unsafe} with `dlint fix --unsafe-fixes`")
    repairable = f" Repairable: {', '.join(offers)}." if offers else ""
    return f"{len(findings)} finding{'' if len(findings) == 1 else 's'} in {files}.{repairable}"
