"""Libraries that a project does without where they are not installed: ``try: import torch``, and ``except
ImportError`` below it. A repair that has another of its files import one would take that away."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from dlint.project.files import Program
from dlint.rewriting.edits import Edits
from dlint.source.reading import SourceError, read_bytes

_TRIED = re.compile(
    rb"^(?P<indent>[ \t]*)try:[^\n]*\n(?P<body>(?:(?P=indent)[ \t]+[^\n]*\n|[ \t]*\n)+)"
    rb"(?P=indent)except[ \t]*\(?[^:\n]*\b(?:ImportError|ModuleNotFoundError)\b",
    re.MULTILINE,
)
# What is taken from a library may be missing in some versions of it only.
_IMPORTS = re.compile(rb"^[ \t]+import[ \t]+(\w+)(?![\w.])", re.MULTILINE)


class OptionalLibraries:
    """Answers for the programs of one repair, each kept by the folder."""

    def __init__(self, programs: Mapping[Path, Program]) -> None:
        self._programs = programs
        self._known: dict[Path, dict[str, Path]] = {}

    def hinders(self, edits: Iterable[Edits]) -> str | None:
        """Why a repair may not import what it needs; None where it may."""
        for each in edits:
            path = each.source.path
            program = self._programs.get(path)
            for library in sorted({module.partition(".")[0] for module in each.imported}) if program else ():
                assert program is not None
                tried = self._tried(program, path).get(library)
                if tried is not None and not _imports(each.source.data, library):
                    return (
                        f"{path.name} would have to import {library}, which this project does without where "
                        f"it is not installed ({tried.name})"
                    )
        return None

    def _tried(self, program: Program, path: Path) -> dict[str, Path]:
        """The libraries that files of the same package, or of the folder at the top, do without, each with
        such a file."""
        home = _package(program.root, path)
        known = self._known.get(home)
        if known is None:
            known = self._known[home] = {}
            for each in program.files:
                if _package(program.root, each) == home:
                    for library in _tried_in(each):
                        known.setdefault(library, each)
        return known


def _package(root: Path, path: Path) -> Path:
    """The folder below the root that a file is in, or the root."""
    parts = path.relative_to(root).parts
    return root / parts[0] if len(parts) > 1 else root


def _tried_in(path: Path) -> set[str]:
    try:
        data = read_bytes(path)
    except SourceError:
        return set()
    if b"ImportError" not in data and b"ModuleNotFoundError" not in data:
        return set()
    return {name.decode() for block in _TRIED.finditer(data) for name in _IMPORTS.findall(block["body"])}


def _imports(data: bytes, library: str) -> bool:
    """Whether a file imports a library itself, somewhere."""
    return re.search(rb"^[ \t]*(?:import|from)[ \t]+%b\b" % library.encode(), data, re.MULTILINE) is not None
