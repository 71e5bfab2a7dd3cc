"""The cases of a remedy: code before and after, as text files that read like what they test.

A case begins with ``=== title``; the finding's node stands between ⟦ and ⟧; ``data {...}`` on the line
after the title is the remedy's data; ``---`` separates before and after; ``--- cannot`` is followed by a
part of the reason why the remedy refuses.
"""

from __future__ import annotations

import importlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dlint.finding import Finding, Remedy
from dlint.rewriting.edits import Edits
from dlint.rewriting.source import Source

FOLDER = Path(__file__).parent / "cases"
_OPEN, _CLOSE = "⟦", "⟧"


@dataclass(frozen=True)
class Case:
    """One shape of surroundings for a remedy; ``after`` is None where it must refuse with ``reason``."""

    remedy: str
    title: str
    marked: str
    data: dict[str, Any]
    after: str | None
    reason: str = ""

    @property
    def before(self) -> str:
        return self.marked.replace(_OPEN, "").replace(_CLOSE, "")


def cases() -> list[Case]:
    """Every case of every remedy."""
    return [case for file in sorted(FOLDER.glob("*.txt")) for case in _read(file)]


def _read(file: Path) -> list[Case]:
    found = []
    for part in file.read_text().split("=== ")[1:]:
        title, _, rest = part.partition("\n")
        data: dict[str, Any] = {}
        if rest.startswith("data "):
            line, _, rest = rest.partition("\n")
            data = json.loads(line.removeprefix("data "))
        if "\n--- cannot\n" in f"\n{rest}":
            marked, _, reason = rest.partition("--- cannot\n")
            found.append(Case(file.stem, title, marked, data, None, reason.strip()))
        else:
            marked, _, after = rest.partition("---\n")
            found.append(Case(file.stem, title, marked, data, after))
    return found


def finding_at(marked: str, remedy: str, data: dict[str, Any]) -> Finding:
    """A finding for the code between the marks."""
    head, _, tail = marked.partition(_OPEN)
    inside = tail.partition(_CLOSE)[0]
    line, column = _place(head)
    end_line, end_column = _place(head + inside)
    return Finding(
        code="DL000",
        name="made-by-hand",
        message="a finding made by hand",
        path="module.py",
        line=line,
        column=column,
        end_line=end_line,
        end_column=end_column,
        remedy=Remedy(remedy, "unsafe", "repair it", data),
    )


def repaired(case: Case) -> str:
    """The code after the remedy. Raises CannotRepair."""
    source = Source.of_text(case.before)
    edits = Edits(source)
    finding = finding_at(case.marked, case.remedy, case.data)
    importlib.import_module(f"dlint.remedies.{case.remedy}").repair(source, finding, edits)
    return source.encode(edits.apply()).decode()


def _place(text: str) -> tuple[int, int]:
    return text.count("\n") + 1, len(text) - (text.rfind("\n") + 1) + 1
