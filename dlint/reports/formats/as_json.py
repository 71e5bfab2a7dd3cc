"""Findings and troubles as JSON, for programs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from dlint.finding import Finding, Remedy, Report, Trouble
from dlint.reports.pages import address

# The code of what could not be checked.
NOT_CHECKED = "DL000"


def as_json(report: Report) -> Iterator[str]:
    """The lines of one JSON array with an object for each finding, and for each trouble behind them."""
    yield json.dumps(list(_objects(report)), indent=2, ensure_ascii=False)


def json_lines(report: Report) -> Iterator[str]:
    """The same objects, each in a line of its own."""
    for each in _objects(report):
        yield json.dumps(each, ensure_ascii=False)


def _objects(report: Report) -> Iterator[dict[str, Any]]:
    yield from map(finding_object, report.findings)
    yield from map(_trouble_object, report.troubles)


def finding_object(finding: Finding) -> dict[str, Any]:
    """One finding in plain JSON values; ``fix`` is null where nothing can repair it."""
    return {
        "code": finding.code,
        "name": finding.name,
        "message": finding.message,
        "level": finding.level,
        "effect": finding.effect,
        "condition": finding.condition,
        "path": finding.path,
        "cell": finding.cell,
        "line": finding.line,
        "column": finding.column,
        "end_line": finding.end_line,
        "end_column": finding.end_column,
        "scope": finding.scope,
        "reach": [
            {"name": step.name, "path": step.path, "cell": step.cell, "line": step.line}
            for step in finding.reach
        ],
        "fix": finding.remedy and _fix(finding.remedy),
        "url": address(finding.code, finding.name),
    }


def _fix(remedy: Remedy) -> dict[str, Any]:
    return {
        "applicability": remedy.applicability,
        "summary": remedy.summary,
        "edits": [edit._asdict() for edit in remedy.edits],
    }


def _trouble_object(trouble: Trouble) -> dict[str, Any]:
    """What could not be checked, with the keys that a finding has."""
    line = trouble.line or 1
    return {
        "code": NOT_CHECKED,
        "name": "not-checked",
        "message": trouble.message,
        "level": "error",
        "effect": None,
        "condition": None,
        "path": trouble.path,
        "cell": trouble.cell,
        "line": line,
        "column": 1,
        "end_line": line,
        "end_column": 1,
        "scope": "",
        "reach": [],
        "fix": None,
        "url": None,
    }
