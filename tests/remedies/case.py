"""The cases of a remedy: code before and after, as text files that read like what they test.

A case begins with ``=== title``; the finding's node stands between ⟦ and ⟧; ``data {...}`` on the line
after the title is the remedy's data; ``---`` separates before and after; ``--- cannot`` is followed by a
part of the reason why the remedy refuses. A line ``@@ path.py`` begins another file of the same project; of
those only the ones that change stand after the ``---``. The file with the finding is ``module.py``.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dlint.finding import Finding, Remedy
from dlint.remedies import remedy
from dlint.rewriting.edits import Edits
from dlint.rewriting.refusal import CannotRepair
from dlint.rewriting.source import Source
from dlint.rewriting.surroundings import Surroundings

FOLDER = Path(__file__).parent / "cases"
ROOT = Path("/project")
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
    """The code after the remedy, and that of other files it changed. Raises CannotRepair."""
    return performed(case)[0]


def performed(case: Case) -> tuple[str, list[str]]:
    """The code after the remedy, and the comments that it dropped."""
    text, others = _files(case.before)
    source = opened(text, others)
    edits = Edits(source)
    finding = finding_at(case.marked, case.remedy, case.data)
    remedy(case.remedy).repair(source, finding, edits)
    after = source.encode(edits.apply()).decode()
    for path, more in sorted(edits.others.items()):
        after += f"@@ {path.relative_to(ROOT)}\n{more.source.encode(more.apply()).decode()}"
    return after, edits.dropped


def opened(text: str, others: dict[str, str]) -> Source:
    """``module.py`` with this text, in a project with these other files (by relative path)."""
    texts = {ROOT / path: other.encode() for path, other in {"module.py": text, **others}.items()}
    sources: dict[Path, Source] = {}

    def open_(path: Path) -> Source:
        if path not in texts:
            raise CannotRepair("no other file may be edited")
        if path not in sources:
            sources[path] = Source(path, texts[path], surroundings)
        return sources[path]

    surroundings = Surroundings(ROOT, list(texts), texts, open_)
    return open_(ROOT / "module.py")


def _files(text: str) -> tuple[str, dict[str, str]]:
    """The text of the file with the finding, and the other files."""
    first, *rest = text.split("@@ ")
    parts = (each.partition("\n") for each in rest)
    return first, {name: code for name, _, code in parts}


def _place(text: str) -> tuple[int, int]:
    return text.count("\n") + 1, len(text) - (text.rfind("\n") + 1) + 1
