"""The formats of ``dlint check``, by name: each gives the lines of a whole report."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from dlint.finding import Report
from dlint.fingerprint import SourceLines
from dlint.reports.pages import Page


class Context(NamedTuple):
    """What a report is shown with: the lines of the files, the rules' pages, and for people, whether there
    are colours, how many columns there are, and the encoding of the stream. ``top`` is the top of the
    repository, which services count paths from."""

    source: SourceLines
    pages: Callable[[], Mapping[str, Page]]
    version: str
    colour: bool = False
    width: int = 160
    encoding: str | None = "utf-8"
    top: Path | None = None


Format = Callable[[Report, Context], Iterator[str]]


def text(report: Report, context: Context) -> Iterator[str]:
    """With the code and the reach."""
    from dlint.reports.formats import text as by_text

    yield from by_text.text(
        report.findings,
        context.source,
        colour=context.colour,
        encoding=context.encoding,
        width=context.width,
    )


def concise(report: Report, context: Context) -> Iterator[str]:
    """One line a finding."""
    from dlint.reports.formats.concise import concise as lines

    yield from lines(report.findings)


def grouped(report: Report, context: Context) -> Iterator[str]:
    """Below each file's name."""
    from dlint.reports.formats.grouped import grouped as lines

    yield from lines(report.findings)


def as_json(report: Report, context: Context) -> Iterator[str]:
    """One JSON array."""
    from dlint.reports.formats.as_json import as_json as lines

    yield from lines(report)


def json_lines(report: Report, context: Context) -> Iterator[str]:
    """One JSON object a line."""
    from dlint.reports.formats.as_json import json_lines as lines

    yield from lines(report)


def github(report: Report, context: Context) -> Iterator[str]:
    """Annotations of GitHub Actions."""
    from dlint.reports.formats.github import github as lines

    yield from lines(report)


def gitlab(report: Report, context: Context) -> Iterator[str]:
    """GitLab's Code Quality report."""
    from dlint.reports.formats.gitlab import gitlab as lines

    yield from lines(report, context.source, context.top)


def sarif(report: Report, context: Context) -> Iterator[str]:
    """SARIF 2.1.0."""
    from dlint.reports.formats.sarif import sarif as lines

    yield from lines(report, context.source, context.pages(), context.version, context.top)


def junit(report: Report, context: Context) -> Iterator[str]:
    """JUnit's XML."""
    from dlint.reports.formats.junit import junit as lines

    yield from lines(report)


def markdown(report: Report, context: Context) -> Iterator[str]:
    """A table in Markdown."""
    from dlint.reports.formats.markdown import markdown as lines

    yield from lines(report)


FORMATS: Mapping[str, Format] = {
    "text": text,
    "concise": concise,
    "grouped": grouped,
    "json": as_json,
    "json-lines": json_lines,
    "github": github,
    "gitlab": gitlab,
    "sarif": sarif,
    "junit": junit,
    "markdown": markdown,
}
# Those that are JSON, and those that say of each remedy what it would change.
JSON = frozenset({"json", "json-lines", "gitlab", "sarif"})
WITH_EDITS = frozenset({"json", "json-lines", "sarif"})
