"""Changes of a program's text by tokens and lines: some of what comes out is no Python any more."""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random

# Not Python's own tokens, which a broken text has not: words, runs of blanks, and single signs.
_TOKENS = re.compile(r"\w+|[ \t]+|\n|[^\w\s]|.", re.DOTALL)
_SIGNS = ("(", ")", "[", "]", "{", "}", ":", ",", ";", "=", "**", "*", "@", "\\", "'", '"""', "#", "if ", " not", "lambda: ", "await ", "# noqa", "# type: ignore")  # fmt: skip

Change = Callable[[str, Random, str], str]


def _at(parts: list[str], random: Random) -> int:
    return random.randrange(len(parts)) if parts else 0


def drop_token(text: str, random: Random, _other: str) -> str:
    return _without(_TOKENS.findall(text), random)


def _without(parts: list[str], random: Random) -> str:
    if parts:
        parts.pop(_at(parts, random))
    return "".join(parts)


def duplicate_token(text: str, random: Random, _other: str) -> str:
    tokens = _TOKENS.findall(text)
    index = _at(tokens, random)
    return "".join([*tokens[:index], *tokens[index : index + 1] * 2, *tokens[index + 1 :]])


def replace_token(text: str, random: Random, other: str) -> str:
    """A token gives way to one of another program."""
    tokens = _TOKENS.findall(text)
    if tokens:
        tokens[_at(tokens, random)] = random.choice(_TOKENS.findall(other) or [""])
    return "".join(tokens)


def swap_tokens(text: str, random: Random, _other: str) -> str:
    tokens = _TOKENS.findall(text)
    if tokens:
        first, second = _at(tokens, random), _at(tokens, random)
        tokens[first], tokens[second] = tokens[second], tokens[first]
    return "".join(tokens)


def insert_sign(text: str, random: Random, _other: str) -> str:
    tokens = _TOKENS.findall(text)
    tokens.insert(random.randint(0, len(tokens)), random.choice(_SIGNS))
    return "".join(tokens)


def drop_line(text: str, random: Random, _other: str) -> str:
    return _without(text.splitlines(keepends=True), random)


def move_line(text: str, random: Random, other: str) -> str:
    """A line goes elsewhere; now and then it is one of another program that comes."""
    lines = text.splitlines(keepends=True)
    source = other.splitlines(keepends=True) if random.random() < 0.4 else lines
    if source:
        lines.insert(random.randint(0, len(lines)), source[_at(source, random)])
    return "".join(lines)


def indent_line(text: str, random: Random, _other: str) -> str:
    lines = text.splitlines(keepends=True)
    if lines:
        index = _at(lines, random)
        lines[index] = random.choice(["    ", "\t", " ", "\f"]) + lines[index]
    return "".join(lines)


def truncate(text: str, random: Random, _other: str) -> str:
    return text[: random.randint(0, len(text))]


def join_programs(text: str, random: Random, other: str) -> str:
    """Half of this program, and half of another one."""
    here, there = text.splitlines(keepends=True), other.splitlines(keepends=True)
    return "".join(here[: random.randint(0, len(here))] + there[random.randint(0, len(there)) :])


CHANGES: dict[str, Change] = {
    change.__name__: change
    for change in (
        drop_token,
        duplicate_token,
        replace_token,
        swap_tokens,
        insert_sign,
        drop_line,
        move_line,
        indent_line,
        truncate,
        join_programs,
    )
}
NAMES = tuple(CHANGES)
