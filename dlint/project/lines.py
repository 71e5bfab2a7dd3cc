"""The lines of files by the paths that reports show."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from dlint.fingerprint import SourceLines
from dlint.project.files import display_path
from dlint.source.notebooks import cell_lines
from dlint.source.reading import SourceError, decode, read_bytes


def source_lines(texts: Mapping[Path, bytes] | None) -> SourceLines:
    """The lines of a file or cell by the path that reports show; none where it cannot be read."""
    known = {display_path(path): text for path, text in (texts or {}).items()}

    @cache
    def lines(path: str, cell: int | None = None, /) -> Sequence[str]:
        try:
            data = known[path] if path in known else read_bytes(Path(path))
            return re.split(r"\r\n?|\n", decode(data)) if cell is None else cell_lines(data, cell)
        except SourceError:
            return ()

    return lines
