"""The lines of files by the paths that reports show."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from dlint.fingerprint import SourceLines
from dlint.project.paths import display_path
from dlint.regex import regex
from dlint.source.notebooks import cell_lines
from dlint.source.reading import SourceError, decode, read_bytes

_CELL = regex(r"(.*\.ipynb):cell (\d+)", re.DOTALL)


def source_lines(texts: Mapping[Path, bytes] | None) -> SourceLines:
    """The lines of a file or cell by `Finding.text`; none where it cannot be read."""
    known = {display_path(path): text for path, text in (texts or {}).items()}

    @cache
    def lines(path: str) -> Sequence[str]:
        in_cell = _CELL.fullmatch(path)
        path = in_cell[1] if in_cell else path
        try:
            data = known[path] if path in known else read_bytes(Path(path))
            if in_cell:
                return cell_lines(data, int(in_cell[2]))
            return re.split(r"\r\n?|\n", decode(data))
        except SourceError:
            return ()

    return lines
