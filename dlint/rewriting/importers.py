"""Whether other files of the project import a file: then its module-level names are not its own."""

from __future__ import annotations

import os
import re
from pathlib import Path

from dlint.files import around
from dlint.reading import SourceError, read_bytes


def is_imported(path: Path) -> bool:
    """Whether another Python file of the project seems to import the module at ``path``.

    Goes by the words of import statements, so it may say yes once too often.
    """
    if not os.path.isfile(path):  # noqa: PTH113 - the other one raises where it may not look
        return False
    name = path.parent.name if path.stem == "__init__" else path.stem
    pattern = re.compile(
        rb"^[ \t]*(?:from|import)\b[^#\n]*\b" + re.escape(name.encode()) + rb"\b", re.MULTILINE
    )
    return any(pattern.search(_bytes(other)) for other in around(path) if other != path)


def _bytes(path: Path) -> bytes:
    try:
        return read_bytes(path)
    except SourceError:
        return b""
