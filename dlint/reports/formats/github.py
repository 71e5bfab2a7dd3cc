"""Annotations, as GitHub Actions reads them from what a step prints.

https://docs.github.com/actions/reference/workflow-commands-for-github-actions
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from dlint.finding import Finding, Level, Report
from dlint.reports.line import in_file, one_line, place, trouble_line
from dlint.reports.signs import visible

_COMMANDS: dict[Level, str] = {"error": "error", "warning": "warning", "note": "notice"}


def github(report: Report) -> Iterator[str]:
    """A command for each finding and each trouble. The log shows what is behind the colons, and not the file:
    so the place stands there, too."""
    for finding in report.findings:
        yield f"::{_COMMANDS[finding.level]} {_properties(in_file(finding))}::{_place_and_words(finding)}"
    for trouble in report.troubles:
        line = "" if trouble.line is None or trouble.cell is not None else f",line={trouble.line}"
        where = f"title=dlint,file={_property(_file(trouble.path))}{line}"
        yield f"::error {where}::{_data(trouble_line(trouble))}"


def _properties(finding: Finding) -> str:
    values = {
        "title": f"dlint ({finding.code} {finding.name})",
        "file": _file(finding.path),
        "line": finding.line,
        "col": finding.column,
        "endLine": finding.end_line,
        "endColumn": finding.end_column,
    }
    if finding.end_line != finding.line:  # columns are of one line
        del values["col"], values["endColumn"]
    return ",".join(f"{name}={_property(str(value))}" for name, value in values.items())


def _file(path: str) -> str:
    """The whole path: a step may run in another folder than the one that the repository lies in."""
    return os.path.abspath(path)  # noqa: PTH100 - a link stays what it is


def _place_and_words(finding: Finding) -> str:
    return _data(f"{place(finding)}: {one_line(finding)}")


def _data(text: str) -> str:
    """Text of which no part is a command."""
    return visible(text).replace("%", "%25")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
