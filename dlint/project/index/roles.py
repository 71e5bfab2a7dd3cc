"""As what a name stands in a text: as a base of a class, set on another object, asked for by `getattr`.

Each file is searched once, when the first name is asked about, and only what names it holds is kept.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from dlint.regex import regex
from dlint.source.module import TYPE_PARAMETERS

# A search is ten times as fast where a pattern begins with a text: what stands before it is looked at after.
# The head of a class, up to its end or where its body surely has begun.
_HEAD = regex(rb"class(?<!\wclass)\s+\w+%b\(([^:]{0,2000})" % TYPE_PARAMETERS.encode())
_FUNCTION = regex(rb"def(?<!\wdef)\s+(\w+)")
_CLASS = regex(rb"class(?<!\wclass)\s+(\w+)")
_WORD = regex(rb"[\w\x80-\xff]+")
_ASKED_LINE = regex(rb"getattr\((?<!\wgetattr\()([^\n]*)")
_ASKED = regex(rb",\s*['\"]([\w\x80-\xff]+)['\"]\s*(?=[,)])")
# But for what an f-string shows with its name: ``f"{args.device=}"``.
_STORED = regex(rb"\.([\w\x80-\xff]+)\s*(?:[-+&|^%@]|\*\*?|//?|<<|>>)?=(?!=|[ \t]*[}!:])")
# What stands on a line before the last dot of an annotation: ``device: torch.device = None``, or, of one of
# several, ``device: str | torch.device = "cpu"``.
_OTHERS = rb"(?:[\w.\x80-\xff]+(?:\[[^\]\n]*\])?\s*\|\s*)*"
_ANNOTATED = regex(
    rb"(?:^\s*(?!else\b|try\b|finally\b)|[(,]\s*)[\w\x80-\xff]+\s*:\s*%b[\w.\x80-\xff]*$" % _OTHERS
)
# So much of a line is looked at for that.
_ANNOTATION_BYTES = 300
_SET = regex(rb"""\bsetattr\(\s*([\w.]+)\s*,\s*["']([\w\x80-\xff]+)["']""")

Names = frozenset[bytes]


class Roles:
    """The roles of names, file by file; ``data`` gives a file's bytes."""

    def __init__(self, data: Callable[[str], bytes]) -> None:
        self._data = data
        self._bases: dict[str, Names] = {}
        self._defined: dict[str, dict[bytes, int]] = {}
        self._asked: dict[str, Names] = {}
        self._stored: dict[str, tuple[Names, Names]] = {}

    def is_base(self, relative: str, name: bytes) -> bool:
        """Whether a name stands in the head of a class, where its bases are."""
        known = self._bases.get(relative)
        if known is None:
            heads = b" ".join(set(_HEAD.findall(self._data(relative))))
            known = self._bases[relative] = frozenset(_WORD.findall(heads))
        return name in known

    def definitions(self, relative: str) -> dict[bytes, int]:
        """The names of the functions and classes that a file defines, and how many there are of each."""
        known = self._defined.get(relative)
        if known is None:
            data = self._data(relative)
            known = self._defined[relative] = Counter([*_FUNCTION.findall(data), *_CLASS.findall(data)])
        return known

    def is_asked_for(self, relative: str, name: bytes) -> bool:
        """Whether a name is a text in a call of ``getattr`` that stands on one line."""
        known = self._asked.get(relative)
        if known is None:
            lines = b"\n".join(_ASKED_LINE.findall(self._data(relative)))
            known = self._asked[relative] = frozenset(_ASKED.findall(lines))
        return name in known

    def is_stored(self, relative: str, name: bytes) -> bool:
        """Whether an attribute is set on something that is not called self."""
        return name in self._stores(relative)[0]

    def is_stored_in(self, relative: str, holder: bytes, name: bytes) -> bool:
        """Whether ``holder.name = ...`` stands there."""
        return holder + b"." + name in self._stores(relative)[1]

    def _stores(self, relative: str) -> tuple[Names, Names]:
        """The attributes that a file sets on others than self, and the same with the word before the dot."""
        known = self._stored.get(relative)
        if known is None:
            data = self._data(relative)
            names: set[bytes] = set()
            paths: set[bytes] = set()
            for each in _STORED.finditer(data):
                holder = _before(data, each.start())
                if holder is not None and not _is_annotation(data, each.start()):
                    names.add(each[1])
                    if holder and data[each.start() - 1 : each.start()].strip():
                        paths.add(holder + b"." + each[1])
            for holder, name in _SET.findall(data) if b"setattr(" in data else ():
                word = holder.rpartition(b".")[2]
                if holder not in (b"self", b"cls"):
                    names.add(name)
                    paths.add(word + b"." + name)
            known = self._stored[relative] = (frozenset(names), frozenset(paths))
        return known


def _is_annotation(data: bytes, dot: int) -> bool:
    """Whether a dot stands in the annotation of a variable or a parameter, which is then given a value."""
    least = max(0, dot - _ANNOTATION_BYTES)
    begin = data.rfind(b"\n", least, dot) + 1
    # A dot in place of what is cut off: it begins no annotation.
    line = data[begin or least : dot] if begin or not least else b"." + data[least:dot]
    return _ANNOTATED.search(line) is not None


def _before(data: bytes, dot: int) -> bytes | None:
    """The word before a dot, empty for a call or an item; None where that is self or nothing."""
    end = dot
    while end and data[end - 1 : end].isspace():
        end -= 1
    start = end
    while start and (data[start - 1 : start].isalnum() or data[start - 1 : start] == b"_"):
        start -= 1
    word = data[start:end]
    if word:
        return None if word in (b"self", b"cls") else word
    return b"" if data[end - 1 : end] in (b")", b"]") else None
