"""What a worker that is started afresh cannot be sent, by its path:
``dataset.transform.transforms[2].fn``."""

from __future__ import annotations

from multiprocessing.reduction import ForkingPickler
from types import FunctionType, ModuleType
from typing import Any, NamedTuple

from dlint.trial.probe.holds.walk import children

_DEEPEST = 16


class Refused(NamedTuple):
    """An object that pickle refuses: its path, its class with the module, its own name where it has one, and
    what pickle says."""

    path: str
    cls: str
    name: str
    message: str


def refused(root: object, path: str) -> Refused | None:
    """The innermost part of an object that pickle refuses, None where it takes the whole."""
    return _search(root, path, set(), 0)


def _search(found: object, path: str, seen: set[int], depth: int) -> Refused | None:
    message = _pickles(found)
    if message is None:
        return None
    seen.add(id(found))
    if depth < _DEEPEST:
        for name, part in _sent(found, path):
            if id(part) not in seen and (inner := _search(part, name, seen, depth + 1)) is not None:
                return inner
    cls = f"{type(found).__module__}.{type(found).__qualname__}"
    return Refused(path, cls, str(getattr(found, "__qualname__", "")), message)


def _pickles(found: object) -> str | None:
    """None, or what pickle says against it."""
    try:
        ForkingPickler.dumps(found)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return None


def _sent(found: object, path: str) -> list[tuple[str, object]]:
    """The parts that go along: none of what is sent by its name, else what the object itself says."""
    if isinstance(found, (FunctionType, ModuleType, type)):
        return []
    try:
        state: Any = found.__reduce_ex__(4)
    except Exception:
        return list(children(path, found))
    if isinstance(state, tuple) and len(state) > 2 and isinstance(state[2], dict):
        return [(f"{path}.{name}", part) for name, part in state[2].items()]
    return list(children(path, found))
