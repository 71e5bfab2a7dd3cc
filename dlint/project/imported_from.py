"""Whether a program imports modules from a folder without ``__init__.py``, told by the text of its files.

Python takes such a folder for a package only where nothing else on its search path is called so: scripts in
``lmdb/`` do not come before the installed library.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from dlint.project.index.index import Index
from dlint.regex import regex

# What an import takes from a module: up to the end of the line, or in parentheses.
_TAKEN = rb"[ \t]+import[ \t]*(\([^)]{0,5000}\)|[^\n]*)"
_WORD = regex(rb"[A-Za-z_]\w*")


class ImportedFrom:
    """Which folders of an index its files import from."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._answers: dict[tuple[str, tuple[str, ...]], bool] = {}

    def has(self, name: str, modules: Sequence[str]) -> bool:
        """Whether some file imports one of some modules that lie in folders of a name, or speaks of one in
        full (``lmdb.convert``)."""
        mark = name, tuple(modules)
        if mark not in self._answers:
            self._answers[mark] = bool(modules) and self._is_imported(name, modules)
        return self._answers[mark]

    def _is_imported(self, name: str, modules: Sequence[str]) -> bool:
        wanted = {module.encode() for module in modules}
        home = re.escape(name.encode())
        full = re.compile(rb"\b" + home + rb"\.(?:" + b"|".join(map(re.escape, sorted(wanted))) + rb")\b")
        taken = re.compile(rb"\bfrom[ \t]+" + home + _TAKEN)
        return any(
            full.search(data)
            or any(wanted.intersection(_WORD.findall(line[1])) for line in taken.finditer(data))
            for file in self._index.mentioning(name)
            for data in [self._index.data(file)]
        )
