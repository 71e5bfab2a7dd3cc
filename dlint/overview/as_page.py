"""The loaders of a project as one page for a browser, which needs no network."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from dlint.fingerprint import SourceLines
from dlint.overview.as_data import as_data
from dlint.overview.views import CallView, LoaderView
from dlint.reports.pages import address
from dlint.rules import all_rules

_TEMPLATE = Path(__file__).with_name("page.html")
# Of a function's source so many lines are shown, and so many characters of a line.
_MOST_LINES = 30
_MOST_LETTERS = 160


def page(views: Sequence[LoaderView], lines: SourceLines) -> str:
    """The page; ``lines`` gives those of a file, or of a notebook's cell (``path:cell n``)."""
    codes = {finding.code for view in views for finding in view.findings}
    rules = all_rules()
    calls = _Calls()
    data = {
        "loaders": [
            {**as_data(replace(view, workers=())), "workers": [calls.number(each) for each in view.workers]}
            for view in views
        ],
        "calls": calls.all,
        "sources": _sources(views, lines),
        "rules": {code: address(code, rules[code].name) for code in sorted(codes) if code in rules},
    }
    # Nothing in the data ends the script that holds it.
    text = json.dumps(data, separators=(",", ":")).replace("<", "\\u003c")
    return _TEMPLATE.read_text(encoding="utf-8").replace("@@DATA@@", text)


class _Calls:
    """The functions that workers execute, each once: loaders share them."""

    def __init__(self) -> None:
        self.all: list[dict[str, Any]] = []
        self._numbers: dict[CallView, int] = {}

    def number(self, call: CallView) -> int:
        """Where a function stands among all."""
        known = self._numbers.get(call)
        if known is None:
            below = [self.number(each) for each in call.calls]
            known = self._numbers[call] = len(self.all)
            self.all.append({**asdict(replace(call, calls=())), "calls": below})
        return known


def _sources(views: Iterable[LoaderView], lines: SourceLines) -> dict[str, str]:
    """The first lines of each function that workers execute."""
    found: dict[str, str] = {}
    waiting: list[CallView] = [call for view in views for call in view.workers]
    while waiting:
        call = waiting.pop()
        waiting += call.calls
        key = f"{call.path}:{call.cell or ''}:{call.line}"
        if key not in found:
            text = lines(call.path if call.cell is None else f"{call.path}:cell {call.cell}")
            end = min(call.end_line, call.line + _MOST_LINES - 1)
            own = [line[:_MOST_LETTERS] for line in text[call.line - 1 : end]]
            found[key] = "\n".join([*own, *(["..."] if end < call.end_line else [])])
    return found
