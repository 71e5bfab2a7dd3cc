"""Gets what the user has named: as Python itself would, with the program's own folders on the path."""

from __future__ import annotations

import ast
import importlib
import inspect
import runpy
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any


class NotThere(Exception):
    """The name, or a part of it, is not there, or cannot be called with what was given. One line."""


def load(place: str, name: str, arguments: Mapping[str, str]) -> object:
    """What ``name`` stands for in ``place``, a path that ends with .py or a module's name.

    What can be called is called, with ``arguments``: a function, or a class on the way to a method. Raises
    NotThere, and whatever the user's code does.
    """
    module = _script(Path(place)) if place.endswith(".py") else _module(place)
    found: Any = module
    given = {key: value_of(text) for key, text in arguments.items()}
    used = False
    for step in name.split("."):
        attribute, _, key = step.partition("[")
        if inspect.isclass(found):
            found, used = _call(found, given, name), True
        try:
            found = getattr(found, attribute)
        except AttributeError:
            near = ", ".join(sorted(each for each in vars(module) if not each.startswith("_"))[:20])
            raise NotThere(f"{place} has no {name}; it has {near}") from None
        if key:
            found = _call(found, given, name) if callable(found) else found
            found, used = _entry(found, key.rstrip("]"), name), True
    is_data = hasattr(found, "__getitem__") or hasattr(found, "__iter__")
    if inspect.isclass(found) or (callable(found) and not is_data):
        return _call(found, {} if used else given, name)
    if given and not used:
        raise NotThere(f"{name} is no function or class: it takes no arguments")
    return found


def run_script(file: Path, arguments: Sequence[str]) -> None:
    """Run a file as Python does: as the program's main module."""
    _put_first(file.parent)
    sys.argv = [str(file), *arguments]
    module = ModuleType("__main__")
    module.__file__ = str(file)
    module.__builtins__ = __builtins__  # type: ignore[attr-defined]
    sys.modules["__main__"] = module
    exec(compile(file.read_bytes(), str(file), "exec"), module.__dict__)


def value_of(text: str) -> object:
    """A number, list, None ... where the text is one, else the text itself."""
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return text


def _module(name: str) -> ModuleType:
    """A module as ``python -m`` finds it: the working directory comes first."""
    _put_first(Path.cwd())
    return importlib.import_module(name)


def _script(file: Path) -> ModuleType:
    """A file as the module that it is to its program, or as the main module as workers import it: what
    stands behind ``if __name__ == "__main__":`` does not run."""
    package, top = _package(file)
    if package is not None:
        _put_first(top)
        return importlib.import_module(package)
    _put_first(file.parent)
    sys.argv = [str(file)]
    module = ModuleType("__mp_main__")
    module.__file__ = str(file)
    # Workers that are started afresh look for the main module's file here, and import it under this name.
    sys.modules["__main__"] = sys.modules["__mp_main__"] = module
    module.__dict__.update(runpy.run_path(str(file), run_name="__mp_main__"))
    return module


def _package(file: Path) -> tuple[str | None, Path]:
    """The dotted name of a file of a package, and the folder that the package lies in."""
    parts = [] if file.name == "__init__.py" else [file.stem]
    folder = file.parent
    while (folder / "__init__.py").is_file():
        parts.insert(0, folder.name)
        folder = folder.parent
    inside = len(parts) > 1 or file.name == "__init__.py"
    return (".".join(parts), folder) if inside else (None, folder)


def _put_first(folder: Path) -> None:
    """Put a folder before all others, and the working directory behind it, as PYTHONPATH=. does."""
    here = str(Path.cwd())
    sys.path[:] = [str(folder), *([here] if here != str(folder) else []), *filter(None, sys.path)]


def _call(function: Any, given: Mapping[str, object], name: str) -> object:
    try:
        inspect.signature(function).bind(**given)
    except (TypeError, ValueError) as error:
        if isinstance(error, TypeError):
            raise NotThere(f"{name}: {error}; give ARG=VALUE") from None
    return function(**given)


def _entry(found: Any, key: str, name: str) -> object:
    try:
        return found[value_of(key)]
    except (TypeError, LookupError):
        raise NotThere(f"{name}: there is no [{key}] in what it gives") from None
