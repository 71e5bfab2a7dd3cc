"""How long a file's lines may be: what its formatter or linter is told, else what its lines are."""

from __future__ import annotations

import configparser
import re
from pathlib import Path
from typing import NamedTuple

from dlint.project.toml import TOMLError, loads
from dlint.rewriting.source import Source
from dlint.source.reading import configuration_text

_COMMON = 79
_BLACK = 88
_RUFF_FILES = (".ruff.toml", "ruff.toml")
_INI_FILES = ("setup.cfg", ".flake8", "tox.ini")
_INI_KEYS = (("flake8", "max-line-length"), ("flake8", "max_line_length"), ("yapf", "column_limit"))
_NUMBER = re.compile(r"[0-9]{2,4}")
_FARTHEST = 12


class Limit(NamedTuple):
    """The longest line, and whether a formatter that lays calls out as black does is in use."""

    columns: int
    black: bool


def limit_of(source: Source, least: int = _COMMON) -> Limit:
    """What holds for a file; where nothing is said, ``least`` at the least."""
    declared = _declared(source.path.parent)
    if declared is not None:
        return declared
    code = (line for line in source.module.code.splitlines() if not line.lstrip().startswith("#"))
    return Limit(max(least, max((len(line.expandtabs(4)) for line in code), default=0)), False)


def _declared(folder: Path) -> Limit | None:
    """What the nearest configuration above a file says."""
    for above in [folder, *folder.parents][:_FARTHEST]:
        found = _of_ruff(above) or _of_pyproject(above / "pyproject.toml") or _of_ini(above)
        if found is not None or (above / ".git").exists():
            return found
    return None


def _of_ruff(folder: Path) -> Limit | None:
    """What Ruff's own file says, which counts before its part of pyproject.toml."""
    for name in _RUFF_FILES:
        text = configuration_text(folder / name)
        try:
            columns = loads(text).get("line-length", _BLACK) if text.strip() else None
        except TOMLError:
            continue
        if columns is not None:
            return Limit(columns if type(columns) is int else _BLACK, True)
    return None


def _of_pyproject(file: Path) -> Limit | None:
    try:
        tool = loads(configuration_text(file)).get("tool", {})
    except TOMLError:
        return None
    for name in ("black", "ruff"):
        table = tool.get(name) if isinstance(tool, dict) else None
        if isinstance(table, dict):
            columns = table.get("line-length", _BLACK)
            return Limit(columns if type(columns) is int else _BLACK, True)
    return None


def _of_ini(folder: Path) -> Limit | None:
    for name in _INI_FILES:
        parser = configparser.ConfigParser(interpolation=None, strict=False)
        try:
            parser.read_string(configuration_text(folder / name))
        except configparser.Error:
            continue
        for section, key in _INI_KEYS:
            columns = parser.get(section, key, fallback="").strip()
            if _NUMBER.fullmatch(columns):
                return Limit(int(columns), False)
    return None
