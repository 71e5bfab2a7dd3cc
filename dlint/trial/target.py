"""What the user wants tried: ``train.py``, ``data.py:make_loader``, ``package.data:make_loader``."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

_MODULE = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*")
_NAME = re.compile(r"[A-Za-z_]\w*(\[[^][]+\])?(\.[A-Za-z_]\w*(\[[^][]+\])?)*")
_ARGUMENT = re.compile(r"([A-Za-z_]\w*)=(.*)", re.DOTALL)


class BadTarget(Exception):
    """What the user has written names nothing that could be tried: one line."""


class Target(NamedTuple):
    """A file, as an absolute path, or a module's name; what is to be tried of it, and its arguments as they
    were written. ``name`` is None where the file is to be run as a program: ``arguments`` are its own
    then."""

    place: str
    name: str | None
    arguments: Mapping[str, str] | Sequence[str]
    text: str

    @property
    def is_file(self) -> bool:
        """Whether it is a file, and no module's name."""
        return self.place.endswith(".py")


def parse(text: str, rest: Sequence[str]) -> Target:
    """Read what was given on the command line. Raises BadTarget."""
    place, colon, name = text.rpartition(":")
    if not colon or (len(place) == 1 and name.startswith(("\\", "/"))):
        place, name = text, ""
    if not name:
        if not place.endswith(".py"):
            raise BadTarget(f"{text}: give FILE.py, FILE.py:NAME or MODULE:NAME")
        return Target(_file(place), None, list(rest), text)
    if not _NAME.fullmatch(name):
        raise BadTarget(f"{name} is no name of Python's")
    if place.endswith(".py"):
        place = _file(place)
    elif not _MODULE.fullmatch(place):
        raise BadTarget(f"{place} is neither a .py file nor a module's name")
    return Target(place, name, _arguments(rest), text)


def _file(place: str) -> str:
    path = Path(place)
    if not path.is_file():
        raise BadTarget(f"{place}: there is no such file")
    return str(path.resolve())


def _arguments(rest: Sequence[str]) -> Mapping[str, str]:
    found: dict[str, str] = {}
    for each in rest:
        match = _ARGUMENT.fullmatch(each)
        if match is None:
            raise BadTarget(f"{each} is not ARG=VALUE")
        found[match[1]] = match[2]
    return found
