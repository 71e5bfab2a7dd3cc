"""Findings as a JSON array, for programs."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from dlint.finding import Finding


def as_json(findings: Iterable[Finding]) -> Iterator[str]:
    """The lines of one JSON array with an object for each finding."""
    yield json.dumps([finding_object(finding) for finding in findings], indent=2, ensure_ascii=False)


def finding_object(finding: Finding) -> dict[str, Any]:
    """One finding in plain JSON values; ``fix`` is null where nothing can repair it."""
    remedy = finding.remedy
    return {
        "code": finding.code,
        "name": finding.name,
        "message": finding.message,
        "level": finding.level,
        "effect": finding.effect,
        "condition": finding.condition,
        "path": finding.path,
        "line": finding.line,
        "column": finding.column,
        "end_line": finding.end_line,
        "end_column": finding.end_column,
        "reach": [{"name": step.name, "path": step.path, "line": step.line} for step in finding.reach],
        "fix": remedy and {"applicability": remedy.applicability, "summary": remedy.summary},
    }
