"""Random numbers: the states of all generators that worker code can draw from, as short fingerprints."""

from __future__ import annotations

import random
import sys
import zlib
from collections.abc import Callable, Iterable
from typing import Any

from dlint.trial.probe.holds.walk import held, module_globals

# The streams that everybody shares, by the library.
GLOBAL = ("numpy", "random", "torch")


def fingerprints() -> dict[str, int]:
    """The states of the streams that everybody shares, of the libraries that are loaded."""
    found = {"random": _mark(random.getstate())}
    numpy: Any = sys.modules.get("numpy.random")
    if numpy is not None:
        found["numpy"] = _of_random_state(numpy)
    torch: Any = sys.modules.get("torch")
    if torch is not None:
        found["torch"] = zlib.crc32(torch.random.default_generator.get_state().numpy().tobytes())
    return found


class Held:
    """The generators that objects hold, and the user's modules at their top level, by their paths."""

    def __init__(self, roots: Iterable[tuple[str, object]]) -> None:
        self._readers: dict[str, tuple[object, Callable[[Any], int]]] = {}
        self.known = False
        self._roots = list(roots)

    def look(self) -> None:
        """Look for generators."""
        self.known = True
        shared = _shared()
        for name, root in (*self._roots, *module_globals()):
            for path, found in held(root, name):
                reader = _reader(found)
                known = any(found is each for each, _ in self._readers.values())
                if reader is not None and not known and not any(found is each for each in shared):
                    self._readers[path] = (found, reader)

    def fingerprints(self) -> dict[str, int]:
        """The states of all that were found."""
        return {path: reader(found) for path, (found, reader) in self._readers.items()}

    def kinds(self) -> dict[str, str]:
        """The classes of all that were found."""
        return {
            path: f"{type(found).__module__}.{type(found).__qualname__}"
            for path, (found, _) in self._readers.items()
        }


def _reader(found: object) -> Callable[[Any], int] | None:
    if type(found) is random.Random:
        return lambda generator: _mark(generator.getstate())
    module = type(found).__module__
    name = type(found).__name__
    if module.startswith("numpy.random"):
        if name == "Generator":
            return lambda generator: _mark(generator.bit_generator.state)
        if name == "RandomState":
            return _of_random_state
    if name == "Generator" and module.startswith("torch"):
        return lambda generator: zlib.crc32(generator.get_state().numpy().tobytes())
    return None


def _shared() -> list[object]:
    found: list[object] = [getattr(random, "_inst", None)]
    numpy: Any = sys.modules.get("numpy.random")
    if numpy is not None:
        found.append(getattr(getattr(numpy, "mtrand", None), "_rand", None))
    torch: Any = sys.modules.get("torch")
    if torch is not None:
        found.append(torch.random.default_generator)
    return found


def _of_random_state(generator: Any) -> int:
    state = generator.get_state()
    return zlib.crc32(state[1].tobytes(), zlib.crc32(repr(state[2:]).encode()))


def _mark(state: object) -> int:
    return zlib.crc32(repr(state).encode())
