"""What a change of files comes to, as lines that give way to others: for editors and programs."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from dlint.finding import Edit
from dlint.project.paths import display_path
from dlint.source.notebooks import cell_texts, is_notebook
from dlint.source.reading import SourceError, decode

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")


def edits_of(texts: Mapping[Path, tuple[bytes, bytes]]) -> Iterator[Edit]:
    """The edits, in order, of files' bytes before and after; none of a file whose text nobody can read."""
    for path, (before, after) in texts.items():
        shown = display_path(path)
        try:
            if is_notebook(path):
                both = zip(cell_texts(before), cell_texts(after), strict=True)
                for cell, (old, new) in enumerate(both, start=1):
                    yield from _edits(shown, old, new, cell)
            else:
                yield from _edits(shown, decode(before), decode(after), None)
        except SourceError:
            continue


def _edits(shown: str, before: str, after: str, cell: int | None) -> Iterator[Edit]:
    # Lines as Python counts them, with their ends.
    old, new = _LINE.findall(before), _LINE.findall(after)
    for tag, first, last, begin, end in difflib.SequenceMatcher(None, old, new, False).get_opcodes():
        if tag != "equal":
            yield Edit(shown, first + 1, last + 1, "".join(new[begin:end]), cell)
