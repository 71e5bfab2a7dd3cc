"""The lines of ignore files, and what they say of paths, as git understands them.

git compares bytes. Patterns and paths are therefore looked at as if each byte were a character: ASCII text is
what it was, and of other text ``?`` takes one byte.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from typing import NamedTuple

from dlint.project.path_patterns.wildmatch import translate
from dlint.regex import regex

# One file's patterns that are neither a plain name or path nor "*" before a name: each costs every path time.
# One with more than two stars counts once more for each.
MAX_WILD = 2_000

_SPECIAL = regex(r"[*?\[\\]")
_UTF8_BOM = b"\xef\xbb\xbf"


class Pattern(NamedTuple):
    """One line: what it says of the paths that it matches, and what it looks at.

    ``body`` is compared with a path's last part where ``by_name``, else with the path from the ignore file's
    folder; ``plain`` is the length of its beginning without wildcards.
    """

    ignores: bool
    folders_only: bool
    by_name: bool
    body: str
    plain: int


def lines_of(data: bytes) -> list[str]:
    """The lines of an ignore file, as git cuts them."""
    lines = data.removeprefix(_UTF8_BOM).decode("latin-1").split("\n")
    return [line.removesuffix("\r").partition("\0")[0] for line in lines]


def lines_in(text: Iterable[str]) -> list[str]:
    """Lines that came from elsewhere, in the same form."""
    return [_as_bytes(line) for line in text]


def parse(line: str) -> Pattern | None:
    """The pattern of a line; None for an empty line and a comment."""
    if line.startswith("#"):
        return None
    line = _without_trailing_spaces(line)
    if not line:
        return None
    ignores = not line.startswith("!")
    body = line if ignores else line[1:]
    folders_only = body.endswith("/")
    if folders_only:
        body = body[:-1]
    by_name = "/" not in body
    body = body.removeprefix("/")
    special = _SPECIAL.search(body)
    return Pattern(ignores, folders_only, by_name, body, special.start() if special else len(body))


def _without_trailing_spaces(line: str) -> str:
    end = len(line.rstrip(" "))
    if end == len(line):
        return line
    # A backslash makes the space behind it count, unless a backslash stands before it.
    slashes = end - len(line[:end].rstrip("\\"))
    return line[: end + slashes % 2]


def useless(line: str) -> bool:
    """Whether a line looks like a pattern and can match nothing."""
    pattern = parse(_as_bytes(line))
    if pattern is None:
        return False
    return not pattern.body or (pattern.plain < len(pattern.body) and translate(pattern.body) is None)


class _Wild:
    """A pattern that takes a regular expression, which is compiled when it is needed."""

    def __init__(self, rank: int, folders_only: bool, source: str) -> None:
        self.rank = rank
        self.folders_only = folders_only
        self.source = source
        self._regex: re.Pattern[str] | None = None

    def matches(self, text: str) -> bool:
        if self._regex is None:
            self._regex = re.compile(self.source, re.DOTALL)
        return self._regex.match(text) is not None


class _Wilds:
    """Such patterns together; first of all, one regular expression tells whether any matches."""

    def __init__(self) -> None:
        self._all: list[_Wild] = []
        self._any: re.Pattern[str] | None = None

    def add(self, wild: _Wild) -> None:
        self._all.append(wild)

    def last(self, text: str, is_folder: bool, best: int) -> int:
        """The rank of the last pattern that matches, or ``best`` where that is higher."""
        if not self._all:
            return best
        if self._any is None:
            self._any = re.compile("|".join(f"(?:{wild.source})" for wild in self._all), re.DOTALL)
        if self._any.match(text):
            for wild in reversed(self._all):
                if wild.rank < best:
                    break
                if (is_folder or not wild.folders_only) and wild.matches(text):
                    return wild.rank
        return best


class Ignore:
    """The patterns of one ignore file, seen from its folder; the last that matches a path decides.

    A pattern means what it names, not what is below that: folders are asked about before their files.
    ``cut`` is the line from which on patterns with wildcards were too many, None where they were not.
    """

    def __init__(self, folder: str, lines: Iterable[str]) -> None:
        self._start = len(folder.rstrip(os.sep)) + 1
        # For plain texts: the rank of the last pattern for a file, and of the last for a folder.
        self._names: dict[str, list[int]] = {}
        self._paths: dict[str, list[int]] = {}
        self._endings: dict[int, dict[str, list[int]]] = {}
        self._wild_names, self._wild_paths = _Wilds(), _Wilds()
        self.cut: int | None = None
        groups = wild = 0
        for number, line in enumerate(lines, start=1):
            pattern = parse(line)
            if pattern is None:
                continue
            rank = number * 2 + pattern.ignores
            body = pattern.body
            if pattern.plain == len(body):
                table = self._names if pattern.by_name else self._paths
            elif pattern.by_name and len(body) > 1 and body[0] == "*" and not _SPECIAL.search(body, 1):
                body = body[1:]
                table = self._endings.setdefault(len(body), {})
            else:
                source = translate(body, 0 if pattern.by_name else pattern.plain, groups)
                if source is None:
                    continue
                pieces = source.count("(?P<")
                wild += 1 + pieces
                if wild > MAX_WILD:
                    self.cut = self.cut or number
                    continue
                groups += pieces
                wilds = self._wild_names if pattern.by_name else self._wild_paths
                wilds.add(_Wild(rank, pattern.folders_only, source))
                continue
            ranks = table.setdefault(body, [-1, -1])
            ranks[1] = rank
            if not pattern.folders_only:
                ranks[0] = rank

    def says(self, path: str, *, is_folder: bool) -> bool | None:
        """True: ignored; False: taken back by a ``!`` pattern; None: not mentioned."""
        relative = path[self._start :]
        if os.sep != "/":
            relative = relative.replace(os.sep, "/")
        relative = _as_bytes(relative)
        name = relative[relative.rfind("/") + 1 :]
        best = -1
        if name in self._names:
            best = self._names[name][is_folder]
        if relative in self._paths:
            best = max(best, self._paths[relative][is_folder])
        for length, endings in self._endings.items():
            ending = name[-length:]
            if ending in endings:
                best = max(best, endings[ending][is_folder])
        best = self._wild_names.last(name, is_folder, best)
        best = self._wild_paths.last(relative, is_folder, best)
        return None if best < 0 else bool(best & 1)


def _as_bytes(text: str) -> str:
    """The text with a character for each byte that the file system has for it."""
    if text.isascii():
        return text
    try:
        return os.fsencode(text).decode("latin-1")
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass").decode("latin-1")
