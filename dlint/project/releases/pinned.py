"""Which releases of a library the declarations of a project leave out, as far as a search of them shows."""

from __future__ import annotations

import re
from pathlib import Path

from dlint.regex import regex
from dlint.source.reading import MAX_CONFIGURATION_BYTES, SourceError, read_bytes

_FILES = ("pyproject.toml", "setup.cfg", "setup.py", "Pipfile")
_LISTS = ("requirements*.txt", "requirements/*.txt", "environment*.yml", "environment*.yaml")
_MOST_FILES = 100
# A bound as pip, poetry and conda write it, behind a name.
_BOUND = regex(r"(?<![<>!~=])(===?|~=|<=|<|\^|=)\s*[\"']?v?([0-9]{1,9}(?:\.[0-9]{1,9}){0,9})")


def texts(root: Path) -> list[bytes]:
    """The texts of the files that may declare what a project needs."""
    found: list[bytes] = []
    paths = [root / name for name in _FILES]
    for pattern in _LISTS:
        paths += sorted(root.glob(pattern))[:_MOST_FILES]
    for path in paths:
        try:
            found.append(read_bytes(path, MAX_CONFIGURATION_BYTES))
        except SourceError:
            continue
    return found


def is_older(root: Path, library: str, release: tuple[int, ...]) -> bool:
    """Whether some declaration of a project allows only releases of a library before this one."""
    named = re.compile(rf"(?<![\w./-]){re.escape(library)}(?![\w./-])([^\n#;]{{0,200}})", re.IGNORECASE)
    return any(
        _is_below(bound, text, release)
        for data in texts(root)
        for line in data.decode("utf-8", "replace").splitlines()
        for rest in named.findall(line.partition("#")[0])
        for bound, text in _BOUND.findall(rest)
    )


def _is_below(bound: str, text: str, release: tuple[int, ...]) -> bool:
    """Whether all that a bound allows comes before a release."""
    numbers = tuple(int(part) for part in text.split("."))
    if bound == "<":
        return numbers <= release
    if bound in ("~=", "^"):
        # The last number written may grow, or with ``^`` all but the first.
        kept = numbers[:1] if bound == "^" else numbers[:-1]
        return kept < release[: len(kept)]
    return numbers < release[: len(numbers)]
