"""What a change of files comes to, as lines that give way to others: for editors and programs."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from dlint.finding import Edit
from dlint.project.files import display_path
from dlint.source.reading import SourceError, decode

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")


def edits_of(texts: Mapping[Path, tuple[bytes, bytes]]) -> Iterator[Edit]:
    """The edits, in order, of files' bytes before and after; none of a file whose text nobody can read."""
    for path, (before, after) in texts.items():
        try:
            old, new = _lines(before), _lines(after)
        except SourceError:
            continue
        shown = display_path(path)
        for tag, first, last, begin, end in difflib.SequenceMatcher(None, old, new, False).get_opcodes():
            if tag != "equal":
                yield Edit(shown, first + 1, last + 1, "".join(new[begin:end]))


def _lines(data: bytes) -> list[str]:
    """The lines with their ends, as Python counts them."""
    return _LINE.findall(decode(data))
