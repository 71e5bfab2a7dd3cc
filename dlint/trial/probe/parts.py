"""In which files the code lies that a loader is made of."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from types import FunctionType

from dlint.trial.probe.holds.walk import held
from dlint.trial.probe.places import is_own


def files_of(roots: Iterable[object]) -> list[str]:
    """The user's files with the classes and functions of objects and of all that they hold: of a dataset also
    those of the classes that it inherits from, and of its transforms."""
    found: dict[str, None] = {}
    for root in roots:
        for _, part in held(root, ""):
            found.update(dict.fromkeys(_files(part)))
    return [file for file in found if is_own(file)]


def loaded_files() -> list[str]:
    """Those of the user's modules that the process has loaded."""
    files = {str(getattr(module, "__file__", None) or "") for module in list(sys.modules.values())}
    return sorted(file for file in files if file and is_own(file))


def _files(part: object) -> Iterator[str]:
    if isinstance(part, FunctionType):
        yield part.__code__.co_filename
    for cls in type(part).__mro__:
        file = getattr(sys.modules.get(cls.__module__), "__file__", None)
        if isinstance(file, str):
            yield file
