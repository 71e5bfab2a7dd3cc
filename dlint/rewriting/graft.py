"""Carries an edit over to a text that libcst does not give back exactly.

libcst drops a few things that mean nothing: blank lines at the end of some files, a form feed before a
statement. The edit, as lines, is made in the original instead.
"""

from __future__ import annotations

import re
from difflib import Match, SequenceMatcher


class Graft:
    """The lines of the original and which of them libcst's version still has."""

    def __init__(self, original: str, given_back: str) -> None:
        self._original = _lines(original)
        self._back = _lines(given_back)
        matcher = SequenceMatcher(None, self._back, self._original, autojunk=False)
        self._blocks = [Match(0, 0, 0), *matcher.get_matching_blocks()]  # the last one is (end, end, 0)

    def line(self, original_line: int) -> int | None:
        """The line (from 1) of libcst's version that is this line of the original."""
        for block in self._blocks:
            if block.b < original_line <= block.b + block.size:
                return block.a + original_line - block.b
        return None

    def line_in_original(self, line: int) -> int | None:
        """The line (from 1) of the original that is this line of libcst's version."""
        for block in self._blocks:
            if block.a < line <= block.a + block.size:
                return block.b + line - block.a
        return None

    def carry(self, new: str) -> str | None:
        """The original with the edit in it; None where the edit touches what libcst had dropped."""
        after = _lines(new)
        result: list[str] = []
        at = 0
        matcher = SequenceMatcher(None, self._back, after, autojunk=False)
        for tag, i1, i2, j1, j2 in matcher.get_opcodes():
            if tag == "equal":
                continue
            start, end = self._place(i1), self._place(i2)
            if start is None or end is None or end - start != i2 - i1:
                return None
            result += self._original[at:start] + after[j1:j2]
            at = end
        return "".join(result + self._original[at:])

    def _place(self, index: int) -> int | None:
        """Where in the original a gap between two lines of libcst's version is."""
        return next((b.b + index - b.a for b in self._blocks if b.a <= index <= b.a + b.size), None)


def _lines(text: str) -> list[str]:
    """Lines as Python counts them: form feeds and their like end none."""
    return [part for part in re.split(r"(?<=\n)|(?<=\r)(?!\n)", text) if part]
