"""Which file an import means, without running anything.

Looks where Python would look for a script or a package of this project: beside the importing file when it
is no part of a package, in the folders above it, in ``src`` and ``lib`` folders, and, since scripts put
folders on ``sys.path`` in many ways, in any folder of the project that is itself no package, or that some
file of the project puts there.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence

# Names that a project's folder never shadows for an importer: Python's own and what dlint knows by name.
_OUTSIDE = frozenset(sys.stdlib_module_names) | {"torch", "numpy", "cv2", "torchvision"}


class Imports:
    """Resolution of module names over the files of one program (relative posix paths). ``on_path`` tells
    whether a script puts a folder on its search path, ``imported_from`` whether some file imports modules
    from what goes by a name."""

    def __init__(
        self,
        files: Iterable[str],
        on_path: Callable[[str], bool] = lambda folder: False,
        imported_from: Callable[[str, Sequence[str]], bool] = lambda name, modules: True,
    ) -> None:
        self._files = frozenset(files)
        self._on_path = on_path
        self._imported_from = imported_from
        self._folders: set[str] = set()
        # The first part of a dotted name -> folders that hold a module or package of that name.
        self._holders: dict[str, list[str]] = defaultdict(list)
        for file in self._files:
            folder, _, name = file.rpartition("/")
            self._holders[name[:-3]].append(folder)
            while folder and folder not in self._folders:
                self._folders.add(folder)
                above, _, last = folder.rpartition("/")
                self._holders[last].append(above)
                folder = above

    def is_package(self, folder: str) -> bool:
        return _join(folder, "__init__.py") in self._files

    def absolute(self, name: str, importer: str) -> str | None:
        """The file, or the folder of a package without ``__init__.py``, that ``import name`` finds."""
        first = name.partition(".")[0]
        if first in _OUTSIDE and not self._own(first):
            return None
        for folder in self._search_path(first, importer):
            found = self._below(folder, name)
            if found is not None and (found != _join(folder, first) or self._is_used(found, first)):
                return found
        return None

    def _is_used(self, folder: str, name: str) -> bool:
        """Whether a folder without ``__init__.py`` is a package to this program, and not only called as one
        that is installed, which comes first."""
        return self._imported_from(name, self.children(folder))

    def relative(self, level: int, name: str | None, importer: str) -> str | None:
        """What ``from ..name import`` finds."""
        folder = importer.rpartition("/")[0]
        for _ in range(level - 1):
            if not folder:
                return None
            folder = folder.rpartition("/")[0]
        if not name:
            init = _join(folder, "__init__.py")
            return init if init in self._files else folder
        return self._below(folder, name)

    def child(self, package: str, name: str) -> str | None:
        """A submodule of a package that is given as its ``__init__.py`` or its folder."""
        folder = package.rpartition("/")[0] if package.endswith(".py") else package
        return self._below(folder, name)

    def children(self, folder: str) -> list[str]:
        """The names of the modules and packages that lie directly in a folder, sorted."""
        return sorted(
            name
            for name, holders in self._holders.items()
            if folder in holders and name != "__init__" and name.isidentifier()
        )

    def _own(self, first: str) -> bool:
        # The project of that very name (torchvision's own repository) has it as a package at its top.
        return first not in sys.stdlib_module_names and (
            f"{first}/__init__.py" in self._files or f"src/{first}/__init__.py" in self._files
        )

    def _below(self, folder: str, name: str) -> str | None:
        base = _join(folder, name.replace(".", "/"))
        if base + "/__init__.py" in self._files:
            return base + "/__init__.py"
        if base + ".py" in self._files:
            return base + ".py"
        return base if base in self._folders else None

    def _search_path(self, first: str, importer: str) -> list[str]:
        holders = self._holders.get(first)
        if not holders:
            return []
        folder = importer.rpartition("/")[0]
        above = [folder]
        while above[-1]:
            above.append(above[-1].rpartition("/")[0])
        # A folder that is a package is on nobody's path, unless the importer runs as a script in it, or some
        # script puts it there.
        own = [place for place in above if place in holders and (not place or self._is_searched(place))]
        scripts = [folder] if folder in holders and folder not in own else []
        others = [
            place for place in dict.fromkeys(holders) if place not in above and self._is_searched(place)
        ]
        others.sort(key=lambda place: (-_shared(place, folder), place.count("/"), place))
        return own + others[:4] + scripts

    def _is_searched(self, folder: str) -> bool:
        return not self.is_package(folder) or self._on_path(folder)


def _join(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder else name


def _shared(a: str, b: str) -> int:
    """How many leading folders two folders share."""
    count = 0
    for x, y in zip(a.split("/"), b.split("/"), strict=False):
        if x != y:
            break
        count += 1
    return count
