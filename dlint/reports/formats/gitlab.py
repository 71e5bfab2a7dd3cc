"""GitLab's Code Quality report, which merge requests show.

https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from dlint.finding import Level, Report
from dlint.fingerprint import SourceLines, fingerprints
from dlint.reports.formats.as_json import NOT_CHECKED
from dlint.reports.line import from_top, in_file, one_line
from dlint.reports.signs import visible

_SEVERITIES: dict[Level, str] = {"error": "major", "warning": "minor", "note": "info"}


def gitlab(report: Report, source: SourceLines, top: Path | None) -> Iterator[str]:
    """The lines of one JSON array with an object for each finding and each trouble; paths count
    from ``top``."""
    marks = fingerprints(report.findings, source)
    objects: list[dict[str, Any]] = [
        {
            "description": one_line(finding),
            "check_name": finding.code,
            "fingerprint": mark,
            "severity": _SEVERITIES[finding.level],
            "location": {
                "path": from_top(finding.path, top),
                "lines": {"begin": in_file(finding).line, "end": in_file(finding).end_line},
            },
        }
        for finding, mark in zip(report.findings, marks, strict=True)
    ]
    objects += [
        {
            "description": visible(f"not checked: {trouble.message}"),
            "check_name": NOT_CHECKED,
            "fingerprint": f"{NOT_CHECKED} {from_top(trouble.path, top)} {number}",
            "severity": "blocker",
            "location": {
                "path": from_top(trouble.path, top),
                "lines": {"begin": 1 if trouble.cell else trouble.line or 1},
            },
        }
        for number, trouble in enumerate(report.troubles)
    ]
    yield json.dumps(objects, indent=2, ensure_ascii=False)
