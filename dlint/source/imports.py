"""The imports that running a module's body does, read from its bytes.

Following imports is a question about whole programs: parsing every file on the way would cost more than
all the rest. A statement in the first column counts, and one inside a ``try``, ``if`` or ``with`` that
stands there; one inside a function or class does not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from dlint.regex import regex

_IMPORT = regex(
    rb"\n([ \t]*)(?:"  # not ^, which the search would try at every byte
    rb"from[ \t]+(?=[\w.])(\.*)((?!\.)[\w.]*)[ \t]+import[ \t]*(\([^)]{0,20000}\)|(?:[^\n#\\]|\\\r?\n)*)"
    rb"|import[ \t]+([^\n#]+))"
)
_BLOCK = regex(rb"^(?:try|if|elif|else|except|finally|with)\b", re.MULTILINE)
_FIRST_COLUMN = regex(rb"^[^\s#)\]}]", re.MULTILINE)


class ImportStatement(NamedTuple):
    """``level`` dots, the ``module`` after them, and the ``names`` taken from it."""

    level: int
    module: str
    names: tuple[str, ...]


def import_statements(data: bytes) -> Iterator[ImportStatement]:
    """The imports of a module's own body, in order."""
    for match in _IMPORT.finditer(b"\n" + data):
        if match[1] and not _in_block(data, match.start()):
            continue
        if match[5] is not None:
            for part in match[5].split(b","):
                words = part.split()
                if words:
                    yield ImportStatement(0, words[0].decode(errors="replace"), ())
            continue
        taken = re.sub(rb"#[^\n]*", b"", match[4]).replace(b"\\", b" ").strip(b"() \t\r\n")
        names = tuple(part.split()[0].decode(errors="replace") for part in taken.split(b",") if part.split())
        yield ImportStatement(len(match[2]), match[3].decode(errors="replace"), names)


def _in_block(data: bytes, at: int) -> bool:
    """Whether the last line before ``at`` that starts in the first column opens a block of the module."""
    start = max(0, at - 4000)
    starts = [match.start() for match in _FIRST_COLUMN.finditer(data, start, at)]
    return bool(starts) and _BLOCK.match(data, starts[-1]) is not None
