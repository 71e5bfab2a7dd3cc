"""Which words stand in which files: asking this costs next to nothing, reading all text again does not."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Sequence

from dlint.regex import regex

_OPENS = ord("(")
_WORD = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_") | set(range(128, 256))
# What separates words becomes a space. A parenthesis that follows a word at once belongs to it, so that
# calls of a name can be told from other mentions.
_APART = bytes(byte if byte in _WORD or byte == _OPENS else ord(" ") for byte in range(256))
# A class with types told is called as the class: ``Source[dict[str, int]](path)``.
_TOLD_TYPES = regex(rb"\[(?<=[\w\x80-\xff]\[)((?:[^\[\]()\n]|\[[^\[\]()\n]*\])*)\]\(")
_SEARCHABLE = regex(rb"[\w\x80-\xff]+\(?")
_PIECE = regex(rb"[\w\x80-\xff]+")


class Words:
    """The words of files, added one after another."""

    def __init__(self) -> None:
        self._names: list[str] = []
        self._numbers: dict[str, int] = {}
        self._files: defaultdict[bytes, list[int]] = defaultdict(list)
        # All words, each between spaces: a part of a word is found here at the speed of a text search.
        self._all: bytes | None = None

    def add(self, name: str, data: bytes) -> None:
        """Take in a file's words, under its name."""
        number = len(self._names)
        self._names.append(name)
        self._numbers[name] = number
        self._all = None
        files = self._files
        if b"](" in data:
            data = _TOLD_TYPES.sub(rb"( \1 (", data)
        for word in set(data.replace(b"(", b"( ").translate(_APART).split()):
            files[word].append(number)

    def files_with_word(self, word: bytes, *, called: bool) -> tuple[str, ...]:
        """The files in which a word stands by itself, in the order in which they were added; ``called``: with
        a parenthesis behind it."""
        numbers = self._files.get(word + b"(", ())
        if not called:
            numbers = sorted({*numbers, *self._files.get(word, ())})
        return tuple(self._names[number] for number in numbers)

    def stands(self, name: str, word: bytes) -> tuple[bool, bool]:
        """Whether a word stands in a file without a parenthesis behind it, and whether it does with one."""
        number = self._numbers[name]
        return _holds(self._files.get(word, ()), number), _holds(self._files.get(word + b"(", ()), number)

    def files_with(self, needle: bytes) -> tuple[tuple[str, ...], bool]:
        """The files that may hold a text, in the order in which they were added, and whether they all do.

        For a word, a part of one, or either with a parenthesis behind it, they do.
        """
        if _SEARCHABLE.fullmatch(needle):
            numbers, sure = self._with_part(needle), True
        else:
            numbers, sure = set(range(len(self._names))), False
            for piece in _PIECE.findall(needle):
                numbers &= self._with_part(piece)
        return tuple(self._names[number] for number in sorted(numbers)), sure

    def _with_part(self, part: bytes) -> set[int]:
        if self._all is None:
            self._all = b" %s " % b" ".join(self._files)
        text = self._all
        found: set[int] = set()
        at = text.find(part)
        while at >= 0:
            end = text.index(b" ", at)
            found.update(self._files[text[text.rindex(b" ", 0, at) + 1 : end]])
            at = text.find(part, end)
        return found


def _holds(numbers: Sequence[int], number: int) -> bool:
    """Whether a number is among some in order."""
    at = bisect_left(numbers, number)
    return at < len(numbers) and numbers[at] == number
