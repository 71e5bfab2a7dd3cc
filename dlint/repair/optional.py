"""Libraries that a project does without where they are not installed: ``try: import torch``, and ``except
ImportError`` below it. A repair that has another of its files import one would take that away."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from dlint.project.files import Program
from dlint.rewriting.edits import Edits
from dlint.source.reading import SourceError, read_bytes

# What is taken from a library may be missing in some versions of it only.
_IMPORT = re.compile(rb"import[ \t]+(\w+)(?![\w.])")
_MISSING = re.compile(rb"except\b.*\b(?:ImportError|ModuleNotFoundError)\b")


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
    """The libraries that a file imports in a ``try`` which goes on where there are none, line by line."""
    try:
        data = read_bytes(path)
    except SourceError:
        return set()
    found: set[str] = set()
    if b"ImportError" not in data and b"ModuleNotFoundError" not in data:
        return found
    tries: list[tuple[int, set[str]]] = []  # those around a line, by their indents, with what they import
    for line in data.splitlines():
        text = line.strip()
        if not text or text.startswith(b"#"):
            continue
        indent = len(line) - len(line.lstrip())
        while tries and tries[-1][0] > indent:
            tries.pop()
        if tries and tries[-1][0] == indent:
            if _MISSING.match(text):
                found |= tries[-1][1]
            if not text.startswith(b"except"):
                tries.pop()
        imported = _IMPORT.match(text)
        if text.startswith(b"try:"):
            tries.append((indent, set()))
        elif imported is not None and tries:
            tries[-1][1].add(imported[1].decode())
    return found


def _imports(data: bytes, library: str) -> bool:
    """Whether a file imports a library itself, somewhere."""
    return re.search(rb"^[ \t]*(?:import|from)[ \t]+%b\b" % library.encode(), data, re.MULTILINE) is not None
