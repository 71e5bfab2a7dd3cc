"""What an object holds, attribute by attribute: no code of it runs."""

from __future__ import annotations

import functools
import sys
from collections import deque
from collections.abc import Iterator
from types import BuiltinFunctionType, CodeType, FrameType, FunctionType, MethodType, ModuleType
from typing import Any

from dlint.trial.probe.places import is_own

# An object that holds more than this is looked at in part: the first of each container, and so many in all.
_MOST_OBJECTS = 20_000
_MOST_OF_ONE = 64
_PLAIN = (str, bytes, bytearray, int, float, complex, bool, type(None), type, ModuleType, CodeType, FrameType)
# Whose inside is data.
_DATA = frozenset(("Tensor", "Parameter", "ndarray", "DataFrame", "Series", "Table", "Image"))


def held(root: object, name: str) -> Iterator[tuple[str, object]]:
    """Everything that ``root`` holds, itself first, by the path to it:
    ``dataset.transform.transforms[2]``."""
    seen: set[int] = set()
    waiting: deque[tuple[str, object]] = deque([(name, root)])
    while waiting and len(seen) < _MOST_OBJECTS:
        path, found = waiting.popleft()
        if isinstance(found, _PLAIN) or id(found) in seen:
            continue
        seen.add(id(found))
        yield path, found
        if type(found).__name__ not in _DATA:
            waiting.extend(children(path, found))


def children(path: str, found: object) -> Iterator[tuple[str, object]]:
    """What an object holds at first hand."""
    match found:
        case dict():
            for key in list(found)[:_MOST_OF_ONE]:
                yield f"{path}[{key!r}]" if isinstance(key, (str, int)) else f"{path}[...]", found[key]
        case list() | tuple() | deque():
            for at in range(min(len(found), _MOST_OF_ONE)):
                yield f"{path}[{at}]", found[at]
        case set() | frozenset():
            for each in list(found)[:_MOST_OF_ONE]:
                yield f"{path}{{...}}", each
        case functools.partial():
            yield f"{path}.func", found.func
            yield from ((f"{path}.args[{at}]", each) for at, each in enumerate(found.args))
            yield from ((f"{path}.keywords[{key!r}]", each) for key, each in found.keywords.items())
        case MethodType():
            yield f"{path}.__self__", found.__self__
        case FunctionType():
            yield from _of_function(path, found)
        case BuiltinFunctionType():
            if not isinstance(found.__self__, ModuleType):
                yield f"{path}.__self__", found.__self__
    yield from _attributes(path, found)


def _of_function(path: str, function: FunctionType) -> Iterator[tuple[str, object]]:
    """What it closes over, and its defaults."""
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=False):
        try:
            yield f"{path}:{name}", cell.cell_contents
        except ValueError:  # not assigned yet
            continue
    for at, default in enumerate(function.__defaults__ or ()):
        yield f"{path}.__defaults__[{at}]", default


def _attributes(path: str, found: object) -> Iterator[tuple[str, object]]:
    if isinstance(found, (FunctionType, type)):
        return
    try:
        own: Any = object.__getattribute__(found, "__dict__")
    except (AttributeError, TypeError):
        own = None
    if isinstance(own, dict):
        for name, value in list(own.items())[: 4 * _MOST_OF_ONE]:
            yield f"{path}.{name}", value
    for cls in type(found).__mro__:
        slots = cls.__dict__.get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else tuple(slots):
            member = cls.__dict__.get(name)
            if hasattr(member, "__objclass__"):  # the slot itself, no property of that name
                try:
                    yield f"{path}.{name}", member.__get__(found, cls)  # type: ignore[union-attr]
                except AttributeError:
                    continue


def module_globals() -> Iterator[tuple[str, object]]:
    """What the user's modules hold at their top level: plain names, no functions or classes."""
    seen: set[int] = set()
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None)
        if not isinstance(module, ModuleType) or not isinstance(file, str) or not is_own(file):
            continue
        if id(module) in seen:  # a program is known by two names
            continue
        seen.add(id(module))
        shown = "" if name in ("__main__", "__mp_main__") else f"{name}."
        for key, value in list(vars(module).items()):
            if not key.startswith("__") and not isinstance(value, (FunctionType, *_PLAIN)):
                yield f"{shown}{key}", value
