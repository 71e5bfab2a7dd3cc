"""A report as bytes and back. What comes back may be anybody's, and is looked at before it is believed.

JSON, because reading it runs nothing. Of a remedy only what reports show is kept: nothing is repaired from
what a file in the tree says.
"""

from __future__ import annotations

import json
from collections.abc import Container
from typing import Any, get_args

from dlint.finding import Applicability, Edit, Effect, Finding, ReachStep, Remedy, Report, Span, Trouble
from dlint.regex import regex
from dlint.source.reading import MAX_BYTES

_CODE = regex(r"DL\d{3}")


class _Foreign(ValueError):
    """Not what :func:`packed` has made."""


def packed(report: Report) -> bytes:
    """The report as bytes."""
    whole = [
        [_finding(each) for each in report.findings],
        [list(each) for each in report.troubles],
        report.checked,
    ]
    return json.dumps(whole, separators=(",", ":")).encode("ascii")


def unpacked(data: bytes, asked: Container[str]) -> Report | None:
    """The report of such bytes; None where they are none, or name findings in other files than ``asked``."""
    try:
        findings, troubles, checked = _row(json.loads(data), 3)
        return Report(
            tuple(_as_finding(each, asked) for each in _list(findings)),
            tuple(_as_trouble(each) for each in _list(troubles)),
            _number(checked),
        )
    except (ValueError, RecursionError):
        return None


def _finding(finding: Finding) -> list[Any]:
    remedy = finding.remedy and [
        finding.remedy.applicability,
        finding.remedy.summary,
        [list(edit) for edit in finding.remedy.edits],
    ]
    reach = [list(step) for step in finding.reach]
    return [*finding[:8], reach, remedy, *finding[10:]]


def _as_finding(data: Any, asked: Container[str]) -> Finding:
    row = _row(data, len(Finding._fields))
    code, name, message, path, *place, reach, remedy, by_hand, effect, condition, scope, marked, cell = row
    if not (isinstance(code, str) and _CODE.fullmatch(code)) or _text(path) not in asked:
        raise _Foreign
    if effect not in get_args(Effect):
        raise _Foreign
    line, column, end_line, end_column = map(_from_one, place)
    return Finding(
        code,
        _text(name),
        _text(message),
        path,
        line,
        column,
        end_line,
        end_column,
        tuple(_as_step(each) for each in _list(reach)),
        None if remedy is None else _as_remedy(remedy),
        None if by_hand is None else _text(by_hand),
        effect,
        None if condition is None else _text(condition),
        _text(scope),
        tuple(Span(*map(_from_one, _row(each, 4))) for each in _list(marked)),
        None if cell is None else _from_one(cell),
    )


def _as_step(data: Any) -> ReachStep:
    name, path, line, cell = _row(data, 4)
    return ReachStep(_text(name), _text(path), _number(line), None if cell is None else _from_one(cell))


def _as_remedy(data: Any) -> Remedy:
    applicability, summary, edits = _row(data, 3)
    if applicability not in get_args(Applicability):
        raise _Foreign
    return Remedy("", applicability, _text(summary), {}, tuple(_as_edit(each) for each in _list(edits)))


def _as_edit(data: Any) -> Edit:
    path, line, end_line, content, cell = _row(data, 5)
    where = None if cell is None else _from_one(cell)
    return Edit(_text(path), _from_one(line), _from_one(end_line), _text(content), where)


def _as_trouble(data: Any) -> Trouble:
    path, message, line, cell = _row(data, 4)
    return Trouble(
        _text(path),
        _text(message),
        None if line is None else _number(line),
        None if cell is None else _from_one(cell),
    )


def _row(data: Any, length: int) -> list[Any]:
    row = _list(data)
    if len(row) != length:
        raise _Foreign
    return row


def _list(data: Any) -> list[Any]:
    if not isinstance(data, list):
        raise _Foreign
    return data


def _text(data: Any) -> str:
    if not isinstance(data, str):
        raise _Foreign
    return data


def _number(data: Any) -> int:
    """A count, a line or a column: none is larger than the largest file."""
    if type(data) is not int or not 0 <= data <= MAX_BYTES:
        raise _Foreign
    return data


def _from_one(data: Any) -> int:
    if _number(data) == 0:
        raise _Foreign
    return int(data)
