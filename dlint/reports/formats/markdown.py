"""A table in Markdown: for the summary of a job, a comment, an issue."""

from __future__ import annotations

from collections.abc import Iterator

from dlint.finding import Report
from dlint.regex import regex
from dlint.reports.closing import summary
from dlint.reports.line import place, trouble_line
from dlint.reports.pages import address
from dlint.reports.signs import visible

# What Markdown and HTML would take for their own.
_SIGNS = regex(r"([\\`*_{}\[\]<>()#+!|~&-])")


def markdown(report: Report) -> Iterator[str]:
    """The count, a row for each finding, and what could not be checked."""
    failed = len({trouble.path for trouble in report.troubles})
    what = summary(report.findings, report.checked, failed, repairable=False)
    yield f"**dlint**: {what[0].lower()}{what[1:]}"
    if report.findings:
        yield ""
        yield "| level | rule | where | what happens |"
        yield "| --- | --- | --- | --- |"
    for finding in report.findings:
        rule = f"[{finding.code}]({address(finding.code, finding.name)})"
        message = _plain(finding.message)
        yield f"| {finding.level} | {rule} {finding.name} | {_plain(place(finding))} | {message} |"
    if report.troubles:
        yield ""
        yield from (f"- not checked: {_plain(trouble_line(trouble))}" for trouble in report.troubles)


def _plain(text: str) -> str:
    """Text that is shown as it stands."""
    return _SIGNS.sub(r"\\\1", visible(text))
