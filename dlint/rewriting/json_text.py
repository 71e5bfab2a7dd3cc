"""A text of JSON and where its parts stand, so that one can be replaced and all else stays, byte for byte."""

from __future__ import annotations

import json
import re
from typing import NamedTuple

_SPACE = re.compile(r"[ \t\r\n]*")
_value = json.JSONDecoder().raw_decode


class Part(NamedTuple):
    """Where a value stands in the text: ``text[start:end]``."""

    start: int
    end: int


def first(text: str) -> int:
    """Where the document's value begins."""
    return _behind_space(text, 1 if text.startswith("\ufeff") else 0)


def members(text: str, at: int) -> dict[str, Part]:
    """The values of the object that begins there, by their keys. Of a key that is there twice, the last one
    counts, as for :mod:`json`."""
    found: dict[str, Part] = {}
    at = _behind_space(text, at + 1)
    while text[at] != "}":
        key, at = _value(text, at)
        start = _behind_space(text, _behind_space(text, at) + 1)  # behind the colon
        _, end = _value(text, start)
        found[key] = Part(start, end)
        at = _to_next(text, end)
    return found


def elements(text: str, at: int) -> list[Part]:
    """The values of the array that begins there."""
    found: list[Part] = []
    at = _behind_space(text, at + 1)
    while text[at] != "]":
        _, end = _value(text, at)
        found.append(Part(at, end))
        at = _to_next(text, end)
    return found


def _to_next(text: str, at: int) -> int:
    at = _behind_space(text, at)
    return _behind_space(text, at + 1) if text[at] == "," else at


def _behind_space(text: str, at: int) -> int:
    space = _SPACE.match(text, at)
    assert space is not None
    return space.end()
