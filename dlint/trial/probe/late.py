"""Does something right after a module has been imported, whoever imports it, and when."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable, Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType


class AfterImport(MetaPathFinder):
    """``then`` is called after each of the modules has been imported. Importing torch before the program does
    would change the order of its imports, on which it depends which OpenMP is used."""

    def __init__(self, modules: Sequence[str], then: Callable[[], None]) -> None:
        self._modules = set(modules)
        self._then = then

    def install(self) -> None:
        """Begin to listen; what is there already counts as imported now."""
        loaded = self._modules & sys.modules.keys()
        self._modules -= loaded
        if loaded:
            self._then()
        sys.meta_path.insert(0, self)

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The module as others find it, with a loader that tells."""
        if name not in self._modules:
            return None
        self._modules.discard(name)  # so that others are asked
        spec = importlib.util.find_spec(name)
        if spec is None or spec.loader is None or not hasattr(spec.loader, "exec_module"):
            return spec
        execute = spec.loader.exec_module

        def executed(module: ModuleType) -> None:
            execute(module)
            self._then()

        spec.loader.exec_module = executed  # type: ignore[method-assign]
        return spec
