"""Findings, troubles and edits in the protocol's words.

Lines count from 0 there, and columns in the client's units.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from lsprotocol import types
from pygls.workspace import PositionCodec

from dlint.finding import Finding, Level, ReachStep, Trouble
from dlint.fingerprint import SourceLines
from dlint.reports.pages import address

SOURCE = "dlint"
_SEVERITIES: Mapping[Level, types.DiagnosticSeverity] = {
    "error": types.DiagnosticSeverity.Error,
    "warning": types.DiagnosticSeverity.Warning,
    "note": types.DiagnosticSeverity.Information,
}
_FAR = 1 << 20  # behind the end of any line: clients cut it


def uri_of(path: Path | str) -> str:
    """The address of a file."""
    return Path(path).as_uri()


def diagnostic(finding: Finding, source: SourceLines, codec: PositionCodec) -> types.Diagnostic:
    """A finding as editors show it, with the way to it as related places."""
    return types.Diagnostic(
        range=place(finding, source(finding.path), codec),
        message=finding.message,
        severity=_SEVERITIES[finding.level],
        code=finding.code,
        code_description=types.CodeDescription(address(finding.code, finding.name)),
        source=SOURCE,
        related_information=[_related(step) for step in finding.reach] or None,
    )


def place(finding: Finding, lines: Sequence[str], codec: PositionCodec) -> types.Range:
    """Where a finding stands."""
    return types.Range(
        _position(finding.line, finding.column, lines, codec),
        _position(finding.end_line, finding.end_column, lines, codec),
    )


def of_trouble(trouble: Trouble) -> types.Diagnostic:
    """Why a file could not be checked, at its line."""
    line = (trouble.line or 1) - 1
    return types.Diagnostic(
        range=types.Range(types.Position(line, 0), types.Position(line, _FAR)),
        message=trouble.message,
        severity=types.DiagnosticSeverity.Warning,
        source=SOURCE,
    )


def text_edits(edits: Iterable[Mapping[str, Any]]) -> dict[str, list[types.TextEdit]]:
    """The edits of each file, by its address."""
    found: dict[str, list[types.TextEdit]] = {}
    for edit in edits:
        first, last = types.Position(edit["line"] - 1, 0), types.Position(edit["end_line"] - 1, 0)
        found.setdefault(uri_of(edit["path"]), []).append(
            types.TextEdit(types.Range(first, last), edit["content"])
        )
    return found


def covering(findings: Sequence[tuple[Finding, types.Range]], asked: types.Range) -> Iterator[Finding]:
    """Those of a file's findings that a range touches."""
    for finding, where in findings:
        if not (_is_before(where.end, asked.start) or _is_before(asked.end, where.start)):
            yield finding


def _is_before(position: types.Position, other: types.Position) -> bool:
    return (position.line, position.character) < (other.line, other.character)


def _position(line: int, column: int, lines: Sequence[str], codec: PositionCodec) -> types.Position:
    if line > len(lines):
        return types.Position(line - 1, column - 1)
    return types.Position(line - 1, codec.client_num_units(lines[line - 1][: column - 1]))


def _related(step: ReachStep) -> types.DiagnosticRelatedInformation:
    start, end = types.Position(step.line - 1, 0), types.Position(step.line - 1, _FAR)
    return types.DiagnosticRelatedInformation(
        types.Location(uri_of(step.path), types.Range(start, end)), f"reached through {step.name}"
    )
