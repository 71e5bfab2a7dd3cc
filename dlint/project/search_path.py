"""Which folders a program's files put on ``sys.path``, told by the text of the lines that do.

Only the names in such a line are read (``sys.path.insert(0, os.path.join(here, "..", "lib"))``,
``add_path("../lib")``), and those in lines that give a name that stands there its value, not what is
computed: a folder counts where it is called so, and lies beside or above the file that says it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from dlint.project.index.index import Index
from dlint.regex import regex

# A line, and those after it that it goes on in.
_REST = rb"[^\n]*?(?:[(\[,\\][ \t]*\n[^\n]*?){0,4}$"
_ADDS = regex(
    rb"^[^#\n]{0,200}\b(?:sys\.path\b|\w{0,40}add\w{0,40}path\w{0,40}\()" + _REST,
    re.MULTILINE | re.IGNORECASE,
)
_GIVES = regex(rb"^[ \t]*(\w+)[ \t]*=(?!=)" + _REST, re.MULTILINE)
_WORD = regex(rb"[A-Za-z_]\w*")
_TEXT = regex(rb"\"([^\"\n]{1,200})\"|'([^'\n]{1,200})'")
_NOWHERE = ("", ".", "..")


class SearchPath:
    """The folders of an index that scripts put on their search path."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._named: list[tuple[str, str]] | None = None
        self._answers: dict[str, bool] = {}

    def has(self, folder: str) -> bool:
        """Whether some file puts a folder on its search path."""
        if self._named is None:
            self._named = [
                (file.rpartition("/")[0], named)
                for file in self._index.mentioning("sys")
                if b"sys.path" in (data := self._index.data(file))
                for line in _lines(data)
                for named in _names(line)
            ]
        if folder not in self._answers:
            self._answers[folder] = any(_is_meant(folder, named, within) for within, named in self._named)
        return self._answers[folder]


def _lines(data: bytes) -> Iterator[bytes]:
    """The lines of a file that add to the search path, and those that make what they add."""
    adding = [line[0] for line in _ADDS.finditer(data)]
    yield from adding
    words = {word for line in adding for word in _WORD.findall(line)}
    yield from (line[0] for line in _GIVES.finditer(data) if line[1] in words)


def _names(line: bytes) -> set[str]:
    """The folders that a line may name: each of its texts, and all of them in their order."""
    texts = [(double or single).decode(errors="replace") for double, single in _TEXT.findall(line)]
    plain = [[part for part in re.split(r"[/\\]", text) if part not in _NOWHERE] for text in texts]
    return {"/".join(parts) for parts in [*plain, [part for parts in plain for part in parts]] if parts}


def _is_meant(folder: str, named: str, within: str) -> bool:
    """Whether a folder is one that a file in ``within`` names: from there, or from a folder above it."""
    if folder != named and not folder.endswith(f"/{named}"):
        return False
    above = folder[: -len(named)].rstrip("/")
    return not above or within == above or within.startswith(f"{above}/")
