"""The lines of files by the paths that reports show."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path

from dlint.project.files import display_path
from dlint.source.reading import SourceError, decode, read_bytes


def source_lines(texts: Mapping[Path, bytes] | None) -> Callable[[str], Sequence[str]]:
    """The lines of a file by the path that reports show; none where it cannot be read."""
    known = {display_path(path): text for path, text in (texts or {}).items()}

    @cache
    def lines(path: str) -> Sequence[str]:
        try:
            return re.split(r"\r\n?|\n", decode(known[path] if path in known else read_bytes(Path(path))))
        except SourceError:
            return ()

    return lines
