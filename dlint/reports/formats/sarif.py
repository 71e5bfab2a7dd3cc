"""SARIF 2.1.0, which code scanning at GitHub, Azure and in editors reads.

https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from itertools import groupby
from pathlib import Path
from typing import Any
from urllib.parse import quote

from dlint.finding import LEVELS, Edit, Finding, ReachStep, Report, Trouble
from dlint.fingerprint import SourceLines, fingerprints
from dlint.reports.line import from_top, in_file, place
from dlint.reports.pages import SITE, Page, address

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
# The name of the fingerprint tells its making: /2 would be another one.
_FINGERPRINT = "dlint/1"


def sarif(
    report: Report, source: SourceLines, pages: Mapping[str, Page], version: str, top: Path | None
) -> Iterator[str]:
    """The lines of one SARIF log with one run: all rules, a result for each finding, and a notification for
    each trouble. ``source`` gives the lines of a file, ``pages`` the rules by code; paths
    count from ``top``."""
    places = {code: number for number, code in enumerate(pages)}
    marks = fingerprints(report.findings, source)
    results = [
        _result(_from_top(finding, top), mark, places[finding.code])
        for finding, mark in zip(report.findings, marks, strict=True)
    ]
    driver = {
        "name": "dlint",
        "fullName": f"dlint {version}",
        "version": version,
        "informationUri": SITE,
        "rules": [_rule(page) for page in pages.values()],
    }
    run = {
        "tool": {"driver": driver},
        "invocations": [
            {
                "executionSuccessful": not report.troubles,
                "toolExecutionNotifications": [
                    _notification(trouble._replace(path=from_top(trouble.path, top)))
                    for trouble in report.troubles
                ],
            }
        ],
        "columnKind": "unicodeCodePoints",
        "results": results,
    }
    log = {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}
    yield json.dumps(log, indent=2, ensure_ascii=False)


def _from_top(finding: Finding, top: Path | None) -> Finding:
    """The finding with paths that count from the top of the repository."""
    remedy = finding.remedy
    if remedy is not None:
        edits = tuple(edit._replace(path=from_top(edit.path, top)) for edit in remedy.edits)
        remedy = remedy._replace(edits=edits)
    reach = tuple(step._replace(path=from_top(step.path, top)) for step in finding.reach)
    return finding._replace(path=from_top(finding.path, top), reach=reach, remedy=remedy)


def _rule(page: Page) -> dict[str, Any]:
    worst = min((LEVELS.index(level) for level, _ in page.levels), default=LEVELS.index("warning"))
    effects = sorted({effect for _, effect in page.levels})
    return {
        "id": page.code,
        "name": page.name,
        "shortDescription": {"text": page.summary},
        "fullDescription": {"text": page.summary},
        "help": {"text": page.documentation, "markdown": page.documentation},
        "helpUri": address(page.code, page.name),
        "defaultConfiguration": {"level": LEVELS[worst]},
        "properties": {"tags": ["data-loading", *effects]},
    }


def _result(finding: Finding, mark: str, rule: int) -> dict[str, Any]:
    result: dict[str, Any] = {
        "ruleId": finding.code,
        "ruleIndex": rule,
        "level": finding.level,
        "message": {"text": finding.message},
        "locations": [_place_of(finding)],
        "partialFingerprints": {_FINGERPRINT: mark},
        "properties": {"effect": finding.effect, "condition": finding.condition},
    }
    if finding.reach:
        steps = [{"location": _step(step)} for step in finding.reach]
        result["codeFlows"] = [
            {"message": {"text": "how worker code gets there"}, "threadFlows": [{"locations": steps}]}
        ]
    if finding.remedy is not None and finding.remedy.edits and finding.cell is None:
        result["fixes"] = [_fix(finding.remedy.summary, finding.remedy.edits)]
    return result


def _place_of(finding: Finding) -> dict[str, Any]:
    shown, finding = place(finding), in_file(finding)
    region = {
        "startLine": finding.line,
        "startColumn": finding.column,
        "endLine": finding.end_line,
        "endColumn": finding.end_column,
    }
    where: dict[str, Any] = {"physicalLocation": {"artifactLocation": _file(finding.path), "region": region}}
    names = [finding.scope] if finding.scope else []
    if finding.cell is not None:
        names.append(shown)
    if names:
        where["logicalLocations"] = [{"fullyQualifiedName": name} for name in names]
    return where


def _step(step: ReachStep) -> dict[str, Any]:
    line = step.line if step.cell is None else 1
    where = {"artifactLocation": _file(step.path), "region": {"startLine": line}}
    return {"physicalLocation": where, "message": {"text": step.name}}


def _fix(summary: str, edits: tuple[Edit, ...]) -> dict[str, Any]:
    return {
        "description": {"text": summary},
        "artifactChanges": [
            {"artifactLocation": _file(path), "replacements": [_replacement(edit) for edit in group]}
            for path, group in groupby(edits, key=lambda edit: edit.path)
        ],
    }


def _replacement(edit: Edit) -> dict[str, Any]:
    region = {"startLine": edit.line, "startColumn": 1, "endLine": edit.end_line, "endColumn": 1}
    return {"deletedRegion": region, "insertedContent": {"text": edit.content}}


def _notification(trouble: Trouble) -> dict[str, Any]:
    place: dict[str, Any] = {"artifactLocation": _file(trouble.path)}
    if trouble.line is not None and trouble.cell is None:
        place["region"] = {"startLine": trouble.line}
    return {
        "level": "error",
        "message": {"text": f"not checked: {trouble.message}"},
        "locations": [{"physicalLocation": place}],
    }


def _file(path: str) -> dict[str, str]:
    """A path as an address; one in the repository counts from its top."""
    if Path(path).is_absolute():
        return {"uri": Path(path).as_uri()}
    return {"uri": quote(path, errors="surrogateescape"), "uriBaseId": "%SRCROOT%"}
