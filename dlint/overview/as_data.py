"""A loader as plain values, for JSON."""

from __future__ import annotations

import dataclasses
from typing import Any

from dlint.overview.views import LoaderView


def as_data(view: LoaderView) -> dict[str, Any]:
    """The view as plain values; a finding as its place and its words."""
    data = dataclasses.asdict(dataclasses.replace(view, findings=()))
    data["draws"] = [{"library": library, "seeded_by": who} for library, who in view.draws]
    data["findings"] = [
        {
            "code": finding.code,
            "path": finding.path,
            "cell": finding.cell,
            "line": finding.line,
            "column": finding.column,
            "level": finding.level,
            "effect": finding.effect,
            "message": finding.message,
        }
        for finding in view.findings
    ]
    return data
