"""What the files of a project's root declare: of torch, of Python."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from dlint.project.releases.bounds import Range
from dlint.source.reading import MAX_CONFIGURATION_BYTES, NotThere, SourceError, read_bytes

# So many requirements files are read.
_MOST_FILES = 100

# Tells which file could not be read, and why.
Failed = Callable[[Path, str], None]


class Declaration(NamedTuple):
    """What stands behind a name at one place: ``>=1.9``; empty where no release is named."""

    bounds: str
    file: Path
    line: int


class Declared(NamedTuple):
    """The releases that are allowed, None where that is not known, and what decides it: of several
    declarations that which reaches furthest back comes first."""

    allowed: Range | None
    deciding: tuple[Declaration, ...]


NOTHING = Declared(None, ())

# What stands behind a name, and the line it stands on.
Found = Iterator[tuple[str, int]]


class Files:
    """The files of a project's root that may declare releases of something, by its name."""

    def __init__(self, root: Path, name: str, failed: Failed | None = None) -> None:
        self.root = root
        self._name = name
        self.incomplete = False
        self._failed = failed
        self._listed: dict[Path, list[os.DirEntry[str]] | None] = {}

    def text(self, file: Path, limit: int = MAX_CONFIGURATION_BYTES) -> str:
        """The file's text, empty where there is none or it does not mention what is looked for."""
        if not self._may_have(file):
            return ""
        try:
            data = read_bytes(file, limit)
        except NotThere:
            return ""
        except SourceError as error:
            self._refuse(file, f"{error.message}; it may declare any {self._name} release")
            return ""
        return data.decode("utf-8", "replace") if self._name.encode() in data.lower() else ""

    def named(self, folder: Path, start: str, *ends: str) -> list[Path]:
        """The files of a folder by the beginning and end of their names, sorted; not too many."""
        if folder != self.root and not self._may_have(folder):
            return []
        names = [
            entry.name
            for entry in self._in(folder) or ()
            if entry.name.startswith(start) and entry.name.endswith(ends) and not _is_folder(entry)
        ]
        names.sort()
        if len(names) > _MOST_FILES:
            self._refuse(folder, f"more than {_MOST_FILES} files {start}*{ends[0]}; the others are not read")
        return [folder / name for name in names[:_MOST_FILES]]

    def _may_have(self, path: Path) -> bool:
        """Whether there may be something of a name, in small letters or great ones, as the system takes them.
        Most folders of a program declare nothing, and their names are all that is asked of them."""
        listed = self._in(path.parent)
        return listed is None or path.name.casefold() in {entry.name.casefold() for entry in listed}

    def _in(self, folder: Path) -> list[os.DirEntry[str]] | None:
        """What lies in a folder; None where it may not be looked into."""
        if folder not in self._listed:
            try:
                with os.scandir(folder) as entries:
                    self._listed[folder] = list(entries)
            except OSError:
                self._listed[folder] = None
        return self._listed[folder]

    def _refuse(self, path: Path, why: str) -> None:
        self.incomplete = True
        if self._failed is not None:
            self._failed(path, why)


def _is_folder(entry: os.DirEntry[str]) -> bool:
    """Of a link that leads nowhere, its reader says so."""
    try:
        return entry.is_dir()
    except OSError:
        return False


def placed(file: Path, found: Found) -> Iterator[Declaration]:
    """What was found in a file, with its place."""
    for bounds, line in found:
        yield Declaration(bounds, file, line)
