"""The standard library's TOML reader, or its backport before Python 3.11, fit for what strangers wrote."""

from __future__ import annotations

import sys
from typing import Any

from dlint.regex import regex

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

__all__ = ["TOMLError", "loads"]

# The readers take quadratic time for a key of many parts, and nobody writes one of more than five.
_MOST_PARTS = 64
_PART = r"""(?:[A-Za-z0-9_-]+|(?<!\\)"(?:[^"\\\n]|\\.)*"|'[^'\n]*')"""
_LONG_KEY = regex(rf"(?<![A-Za-z0-9_-]){_PART}(?:[ \t]*\.[ \t]*{_PART}){{{_MOST_PARTS}}}")
_LONGEST_MESSAGE = 200


class TOMLError(ValueError):
    """Why a text cannot be read as TOML, in one line."""


def loads(text: str) -> dict[str, Any]:
    """The document; TOMLError whatever way the reader gives up."""
    if _LONG_KEY.search(text):
        raise TOMLError(f"a key of more than {_MOST_PARTS} parts")
    try:
        document: dict[str, Any] = tomllib.loads(text)
    except RecursionError:
        raise TOMLError("nested too deeply") from None
    except tomllib.TOMLDecodeError as error:
        raise TOMLError(" ".join(str(error).split())[:_LONGEST_MESSAGE]) from None
    except ValueError:
        raise TOMLError("a number of more digits than Python converts") from None
    return document
