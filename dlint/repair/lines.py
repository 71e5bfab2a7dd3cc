"""Which line of a file before an edit is which line after it."""

from __future__ import annotations

from difflib import SequenceMatcher

from dlint.finding import Finding

Place = tuple[str, int, int]  # code, line, column


def place_of(finding: Finding) -> Place:
    """What tells a finding from the others of its file."""
    return (finding.code, finding.line, finding.column)


class Lines:
    """Which lines of a file an edit left, and where they stand now."""

    def __init__(self, before: bytes, after: bytes) -> None:
        matcher = SequenceMatcher(None, before.splitlines(), after.splitlines(), autojunk=False)
        self._blocks = matcher.get_opcodes() if before != after else []

    def moved(self, place: Place) -> Place:
        """The place after the edit; a line that was edited itself counts as the first of its successors."""
        code, line, column = place
        for tag, i1, i2, j1, _ in self._blocks:
            if i1 < line <= i2:
                return (code, j1 + line - i1 if tag == "equal" else j1 + 1, column)
        return place

    def is_same(self, old: Finding, new: Finding) -> bool:
        """Whether ``new`` is ``old`` again: same code, same line, or in what the edit made of that line."""
        if old.code != new.code:
            return False
        for tag, i1, i2, j1, j2 in self._blocks:
            if i1 < old.line <= i2:
                if tag == "equal":
                    return (new.line - j1, new.column) == (old.line - i1, old.column)
                return j1 < new.line <= j2
        return (old.line, old.column) == (new.line, new.column)


UNCHANGED = Lines(b"", b"")
