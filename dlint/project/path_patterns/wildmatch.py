"""Git's patterns for paths as regular expressions, in time that no pattern can make explode.

A star that fails could be tried again at every place where it fits, and thirty stars at more places than
there is time for. But nothing is gained by trying again: between two stars the leftmost place where a piece
fits leaves most to the pieces behind it. So each piece is looked for once, in a lookahead, which Python never
enters again (its atomic groups came with 3.11), and what that found is taken by a backreference. The same
holds for whole folders between two ``**/``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

# Longer than any path that a system takes (Linux: 4,096 bytes). What is longer counts as no pattern.
MAX_PATTERN = 4_096

# What a pattern is made of besides single characters (as regular expressions) and slashes.
_STAR = "*"  # any characters but slashes
_FOLDERS = "**/"  # folders, or none
_A_FOLDER = "**\\/"  # folders, at least one
_ALL = "**"  # whatever follows


def translate(body: str, plain: int = 0, group: int = 0) -> str | None:
    """A regular expression for ``match`` (with DOTALL); None: the pattern matches nothing.

    ``plain`` is the length of a beginning without wildcards. As in git, the rest is looked at by itself:
    "a**/b" is "a", and then "**/b". The groups of the expression are numbered from ``group``.
    """
    tokens = _tokens(body[plain:]) if len(body) <= MAX_PATTERN else None
    if tokens is None:
        return None
    groups = _Groups(group)
    source = [re.escape(body[:plain])]
    jump = ""
    part: list[str] = []
    for token in tokens:
        if token in (_FOLDERS, _A_FOLDER):
            source.append(_jumping(jump, part, groups))
            jump, part = token, []
        else:
            part.append(token)
    end = r"\Z"
    if part and part[-1] == _ALL:
        part.pop()
        end = ""
    # The last part has but one place where it can end, so the order of the places does not matter.
    before = {_FOLDERS: "(?:.*/)?", _A_FOLDER: ".*/", "": ""}[jump]
    return "".join(source) + before + _segments(part, groups) + end


class _Groups:
    """Names for groups that no other pattern of the file has."""

    def __init__(self, first: int) -> None:
        self.next = first

    def once(self, source: str) -> str:
        """The first place where ``source`` matches, and no other."""
        name = f"g{self.next}"
        self.next += 1
        return f"(?=(?P<{name}>{source}))(?P={name})"


def _jumping(jump: str, part: list[str], groups: _Groups) -> str:
    """The folders before a ``**/``: at their first place behind the ``**/`` before them."""
    inner = _segments(part, groups)
    if not jump:
        return inner
    return groups.once({_FOLDERS: "(?:.*?/)??", _A_FOLDER: ".*?/"}[jump] + inner)


def _segments(part: list[str], groups: _Groups) -> str:
    """Characters, slashes and single stars: a star's pieces end where the folder's name ends."""
    source: list[str] = []
    pieces: list[str] = [""]
    for token in [*part, "/"]:
        if token == _STAR:
            pieces.append("")
        elif token != "/":
            pieces[-1] += token
        else:
            first, *others = pieces
            source.append(first)
            if others:
                source += [groups.once(f"[^/]*?{piece}") for piece in others[:-1]]
                source.append(f"[^/]*{others[-1]}")
            source.append("/")
            pieces = [""]
    return "".join(source[:-1])


def _tokens(body: str) -> list[str] | None:
    """The parts of a pattern; None where git finds that it matches nothing."""
    tokens: list[str] = []
    at = 0
    while at < len(body):
        char = body[at]
        if char == "\\":
            at += 1
            if at == len(body):
                return None
            tokens.append(_single(body[at]))
        elif char == "?":
            tokens.append("[^/]")
        elif char == "[":
            found = _bracket(body, at)
            if found is None:
                return None
            source, at = found
            if not source:
                return None
            tokens.append(source)
        elif char == "*":
            end = at
            while end < len(body) and body[end] == "*":
                end += 1
            alone = end == at + 1 or not (at == 0 or body[at - 1] == "/")
            if not alone and end == len(body):
                tokens.append(_ALL)
            elif not alone and body[end] == "/":
                tokens.append(_FOLDERS)
                end += 1
            elif not alone and body.startswith("\\/", end):
                tokens.append(_A_FOLDER)
                end += 2
            else:
                tokens.append(_STAR)
            at = end - 1
        else:
            tokens.append(_single(char))
        at += 1
    return tokens


def _single(char: str) -> str:
    return "/" if char == "/" else re.escape(char)


# Brackets --------------------------------------------------------------------------------------------


def _bits(chars: Iterable[int]) -> int:
    return sum(1 << char for char in chars)


_LOWER, _UPPER, _DIGIT = _bits(range(97, 123)), _bits(range(65, 91)), _bits(range(48, 58))
_GRAPH = _bits(range(33, 127))
_CLASSES = {
    "alnum": _LOWER | _UPPER | _DIGIT,
    "alpha": _LOWER | _UPPER,
    "blank": _bits(b" \t"),
    "cntrl": _bits([*range(1, 32), 127]),
    "digit": _DIGIT,
    "graph": _GRAPH,
    "lower": _LOWER,
    "print": _GRAPH | _bits(b" "),
    "punct": _GRAPH & ~(_LOWER | _UPPER | _DIGIT),
    "space": _bits(b" \t\n\r"),
    "upper": _UPPER,
    "xdigit": _DIGIT | _bits(b"abcdefABCDEF"),
}
_NO_SLASH = _bits(range(1, 256)) & ~_bits(b"/")


def _bracket(body: str, start: int) -> tuple[str, int] | None:
    """A set of characters as a regular expression ("": an empty one) and where it ends; None: nowhere."""
    at = start + 1
    negated = body[at : at + 1] in ("!", "^")
    at += negated
    members = 0
    before = 0  # the character that a range may begin with
    while True:
        char = body[at : at + 1]
        if char == "\\":
            at += 1
            char = body[at : at + 1]
            here = before = ord(char or "\0")
            members |= 1 << here
        elif char == "-" and before and body[at + 1 : at + 2] not in ("", "]"):
            at += 2 if body[at + 1] == "\\" else 1
            char = body[at : at + 1]
            here = ord(char or "\0")
            members |= (1 << (here + 1)) - (1 << before) if before <= here else 0
            before = 0
        elif char == "[" and body[at + 1 : at + 2] == ":":
            end = body.find("]", at + 2)
            if end == -1:
                return None
            if end > at + 2 and body[end - 1] == ":":
                named = _CLASSES.get(body[at + 2 : end - 1])
                if named is None:
                    return None
                members |= named
                before, at = 0, end
            else:
                before = ord("[")
                members |= 1 << before
        elif char:
            before = ord(char)
            members |= 1 << before
        if not char:
            return None
        at += 1
        if body[at : at + 1] == "]":
            break
    return _as_set((~members if negated else members) & _NO_SLASH), at


def _as_set(members: int) -> str:
    ranges = "".join(f"\\x{first:02x}-\\x{last:02x}" for first, last in _ranges(members))
    return f"[{ranges}]" if ranges else ""


def _ranges(members: int) -> Iterator[tuple[int, int]]:
    first = None
    for char in range(257):
        if members >> char & 1:
            first = char if first is None else first
        elif first is not None:
            yield first, char - 1
            first = None
