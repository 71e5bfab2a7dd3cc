"""Which names of classes and functions stand in a program's configuration: ``dataset: data.birds.Calls``.

The files are searched, not parsed: whatever their keys mean, a dotted name that some module of the program
has is what somebody wants to be found by it.
"""

from __future__ import annotations

import os
from pathlib import Path

from dlint.project.files import configurations
from dlint.regex import regex
from dlint.source.reading import SourceError, read_bytes

# What people write by hand; larger files are data.
_MOST_BYTES = 64 * 1024
_MOST_FILES = 1_000
_NAMES = regex(rb"(?<![\w./\\@$:-])[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+(?![\w./\\@(-])")


def texts(root: Path) -> list[bytes]:
    """The texts of the files that may name classes: the first thousand, of up to 64 KiB each."""
    return list(by_path(root).values())


def by_path(root: Path) -> dict[str, bytes]:
    """The same by the path from the root."""
    found: dict[str, bytes] = {}
    for path in configurations(root)[:_MOST_FILES]:
        try:
            found[os.path.relpath(path, root).replace(os.sep, "/")] = read_bytes(path, _MOST_BYTES)
        except SourceError:
            continue
    return found


def names(root: Path) -> tuple[str, ...]:
    """The dotted names in them, in order."""
    return tuple(sorted({name.decode() for text in texts(root) for name in _NAMES.findall(text)}))
