"""Program boundaries: what a module imports, and which ways lead from a script to a place.

A protection counts where it runs: at import of a module that the program of a loader imports, or in a
function on the way from the script to the loader.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from dlint.calls.implicit_calls import calls_of_object
from dlint.knowledge.processes.starters import STARTED_ANEW
from dlint.project.main_guards import runs_in_main_only
from dlint.source.imports import ImportStatement, import_statements
from dlint.source.module import Module
from dlint.source.statements import last_name
from dlint.values.frame import Frame, Point
from dlint.values.values import External

if TYPE_CHECKING:
    from dlint.calls.evaluator import Evaluator
    from dlint.calls.site import Site
    from dlint.values.values import Key

_FAR = 6
_MANY = 8
_ANEW = frozenset(name.rpartition(".")[2] for name in STARTED_ANEW)
_BEFORE_METHOD = 5  # arguments that such a call takes before its start method


class Way(NamedTuple):
    """A way from the start of a program to a place: the functions it goes through, innermost first, and
    the module where it starts. ``guarded``: it starts where no worker comes to, under
    ``if __name__ == "__main__":`` or in a ``__main__.py``; ``whole`` is False where nobody in the project
    calls the outermost function. ``anew``: so many of the functions run in a process that was started anew
    on the way (``mp.spawn``), which has imported the modules and run nothing else; None for all of them."""

    functions: tuple[ast.AST, ...]
    module: Module
    guarded: bool
    whole: bool
    anew: int | None = None


class Boundaries:
    """Imports and ways of one program."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator
        self._direct: dict[str, tuple[str, ...]] = {}
        self._closures: dict[str, frozenset[str]] = {}
        self._ways: dict[tuple[Key, int], tuple[Way, ...]] = {}
        self._parts: dict[str, bool] = {}

    def imports(self, relative: str) -> frozenset[str]:
        """The files that running a module's body imports, with itself (relative paths)."""
        closure = self._closures.get(relative)
        if closure is None:
            found = {relative}
            waiting = [relative]
            while waiting:
                for other in self._imported_by(waiting.pop()):
                    if other not in found:
                        found.add(other)
                        waiting.append(other)
            closure = self._closures[relative] = frozenset(found)
        return closure

    def importers(self, relative: str) -> Iterator[str]:
        """The files that import a file, directly or through others."""
        index = self._evaluator.modules.index
        seen = {relative}
        waiting = [relative]
        while waiting:
            at = waiting.pop()
            stem = at.removesuffix("/__init__.py").removesuffix(".py").rpartition("/")[2]
            for other in index.importing(stem):
                if other not in seen and at in self._imported_by(other):
                    seen.add(other)
                    waiting.append(other)
                    yield other

    def _imported_by(self, relative: str) -> tuple[str, ...]:
        known = self._direct.get(relative)
        if known is not None:
            return known
        found: set[str] = set(self._packages_above(relative))
        for statement in import_statements(self._evaluator.modules.index.data(relative)):
            for place in self._places(statement, relative):
                self._add(place, found)
        self._direct[relative] = result = tuple(sorted(found - {relative}))
        return result

    def _places(self, statement: ImportStatement, importer: str) -> Iterator[str]:
        """The files, and the folders of packages without ``__init__.py``, that a statement imports."""
        imports = self._evaluator.modules.imports
        if statement.level:
            place = imports.relative(statement.level, statement.module or None, importer)
        else:
            place = imports.absolute(statement.module, importer)
        if place is None:
            return
        yield place
        if not place.endswith(".py") or place.endswith("/__init__.py") or place == "__init__.py":
            for name in statement.names:
                child = imports.child(place, name)
                if child is not None:
                    yield child

    def _add(self, place: str, found: set[str]) -> None:
        if place.endswith(".py"):
            found.add(place)
            found.update(self._packages_above(place))

    def _packages_above(self, relative: str) -> list[str]:
        """The packages that Python runs before a file."""
        imports = self._evaluator.modules.imports
        found = []
        folder = relative.rpartition("/")[0]
        while folder and (imports.is_package(folder) or self._is_part(folder)):
            if imports.is_package(folder):
                found.append(f"{folder}/__init__.py")
            folder = folder.rpartition("/")[0]
        return [path for path in found if path != relative]

    def _is_part(self, folder: str) -> bool:
        """Whether a folder without ``__init__.py`` lies in a package and is imported as a part of what is
        above it: as ``pk.data``, and not only as ``data`` by a script in ``pk``."""
        known = self._parts.get(folder)
        if known is None:
            known = self._parts[folder] = self._is_in_package(folder) and self._is_named_in_full(folder)
        return known

    def _is_in_package(self, folder: str) -> bool:
        parts = folder.split("/")
        return any(
            self._evaluator.modules.imports.is_package("/".join(parts[:count]))
            for count in range(1, len(parts))
        )

    def _is_named_in_full(self, folder: str) -> bool:
        """Whether some import names a folder behind the one above it, or goes through both (``..utils``)."""
        index = self._evaluator.modules.index
        above, _, name = folder.rpartition("/")
        below = [relative for relative in index.paths if relative.startswith(f"{folder}/")]
        for relative in dict.fromkeys([*below, *index.importing(name)]):
            home = relative.rpartition("/")[0]
            for statement in import_statements(index.data(relative)):
                places = list(self._places(statement, relative))
                if statement.level:
                    places.append(home)
                    # Beyond the root Python refuses it.
                    first = "/".join(home.split("/")[: max(0, home.count("/") + 2 - statement.level)])
                else:
                    first = _first_of(statement.module, places)
                if _is_in(above, first) and any(_is_in(place, folder) for place in places):
                    return True
        return False

    def ways_to(self, point: Point) -> tuple[Way, ...]:
        """The ways from the program's scripts to a point."""
        mark = (point.frame.key, id(point.statement))
        if mark not in self._ways:
            self._ways[mark] = tuple(self._climb(point.frame, point.statement, (), set()))[:_MANY]
        return self._ways[mark]

    def _climb(
        self,
        frame: Frame,
        statement: ast.stmt | None,
        below: tuple[ast.AST, ...],
        seen: set[int],
        anew: int | None = None,
    ) -> list[Way]:
        scope = frame.scope
        if isinstance(scope, ast.Module):
            # What is only described there is made by whoever reads it, by a path that may stand nowhere.
            whole = statement is None or not self._evaluator.calls.lazy.stand_in(
                statement, Point(frame, statement)
            )
            return [Way(below, frame.module, runs_in_main_only(frame, statement), whole, anew)]
        chain = (*below, scope)
        if isinstance(scope, ast.ClassDef | ast.Lambda):
            return (
                self._climb(frame.outer, scope if isinstance(scope, ast.stmt) else None, chain, seen, anew)
                if (frame.outer is not None)
                else []
            )
        broken = Way(chain, frame.module, False, False, anew)
        if id(scope) in seen or len(chain) > _FAR:
            return [broken]
        seen = seen | {id(scope)}
        sites = self._evaluator.sites.of(scope, frame)
        if not sites:
            found = [broken]
            for _, point in islice(calls_of_object(self._evaluator, scope, frame), _MANY):
                found += self._climb(point.frame, point.statement, chain, seen, anew)
            return found
        found = [] if self._evaluator.sites.are_all(scope) else [broken]
        for site in sites[:_MANY]:
            inside = len(chain) if anew is None and self._starts_anew(site) else anew
            found += self._climb(site.point.frame, site.point.statement, chain, seen, inside)
        return found

    def _starts_anew(self, site: Site) -> bool:
        """Whether a call surely runs a function in a process that is started anew."""
        call = site.call
        if last_name(call.func) not in _ANEW or len(call.args) > _BEFORE_METHOD:
            return False
        for keyword in call.keywords:
            match keyword:
                case ast.keyword(arg="start_method", value=ast.Constant(value="spawn" | "forkserver")):
                    pass
                case ast.keyword(arg="start_method" | None):
                    return False
        return any(
            isinstance(value, External) and value.name in STARTED_ANEW
            for value, _ in self._evaluator.values(call.func, site.point)
        )


def _first_of(name: str, places: list[str]) -> str:
    """The package or module that the first part of a dotted name means, whose first place is the name's."""
    if not places:
        return ""
    parts = places[0].removesuffix(".py").removesuffix("/__init__").split("/")
    return "/".join(parts[: len(parts) - name.count(".")])


def _is_in(place: str, folder: str) -> bool:
    """Whether a place is a folder, or lies in it; in no folder where that has no name."""
    return bool(folder) and (place == folder or place.startswith(f"{folder}/"))
