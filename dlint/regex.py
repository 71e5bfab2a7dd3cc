"""Regular expressions that are compiled when they are first used.

There are some three hundred in the tables, and a check of a small file uses fifteen: to compile all of them
takes longer than to look at the file.
"""

from __future__ import annotations

import re
from typing import Any, AnyStr, cast

_METHODS = ("finditer", "findall", "fullmatch", "match", "search", "split", "sub", "subn")


class _Regex:
    """Stands for what :func:`re.compile` would make of ``pattern``.

    Its methods are those of the compiled one, which lie in its slots as soon as one of them was asked for: to
    call them takes no longer than otherwise.
    """

    __slots__ = ("_flags", "pattern", *_METHODS)

    def __init__(self, pattern: Any, flags: int) -> None:
        self.pattern = pattern
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        """Asked for what no slot holds yet."""
        compiled = re.compile(self.pattern, self._flags)
        for method in _METHODS:
            setattr(self, method, getattr(compiled, method))
        return getattr(compiled, name)


def regex(pattern: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """The pattern, to be used as a compiled one, by its methods: functions of :mod:`re` do not take it."""
    return cast("re.Pattern[AnyStr]", _Regex(pattern, flags))
