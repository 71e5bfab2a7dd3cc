"""What a file imports, under which names, and how to have a module under a name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import libcst as cst
from libcst.metadata import BaseAssignment, GlobalScope, ImportAssignment, ScopeProvider

from dlint.rewriting import header
from dlint.rewriting.edits import Edits
from dlint.rewriting.source import Source


@dataclass(frozen=True)
class Imported:
    """One import of a module: the statement, and the name that stands for the module after it, if any."""

    statement: cst.Import | cst.ImportFrom
    name: str | None


def imports_of(source: Source, module: str) -> Iterator[Imported]:
    """Every import, at any level, of ``module``, of what is in it, or (``import a.b``) through it."""
    statement: cst.Import | cst.ImportFrom
    for statement in source.descendants(source.module, cst.Import, cst.ImportFrom):
        if isinstance(statement, cst.Import):
            yield from (
                Imported(statement, _bound(alias, module))
                for alias in statement.names
                if f"{header.dotted(alias.name)}.".startswith(f"{module}.")
            )
        elif statement.module is not None and not statement.relative:
            here = header.dotted(statement.module)
            names = () if isinstance(statement.names, cst.ImportStar) else statement.names
            same = [alias for alias in names if f"{here}.{header.dotted(alias.name)}" in _spellings(module)]
            if same:
                yield Imported(statement, _asname(same[0]) or header.dotted(same[0].name))
            elif f"{here}.".startswith(f"{module}."):
                yield Imported(statement, None)


def name_for(source: Source, edits: Edits, module: str, wished: str) -> str:
    """A module-level name for ``module``: the one the file has, else a new import under ``wished``."""
    head = source.module.body[: header.end_of_imports(source.module.body)]
    for each in imports_of(source, module):
        at_import = source.function_of(each.statement) is None and not for_types_only(source, each.statement)
        if each.name and at_import and any(line is source.top_level(each.statement) for line in head):
            return each.name
    name = wished if _is_free_for(source, module, wished) else source.free_name(f"{wished}_module")
    edits.add_import(module, name)
    return name


def for_types_only(source: Source, statement: cst.CSTNode) -> bool:
    """Whether a statement stands under ``if TYPE_CHECKING:``, which never runs."""
    return any(
        isinstance(each, cst.If) and source.code(each.test).endswith("TYPE_CHECKING")
        for each in source.ancestors(statement)
    )


def imports_that_bind(name: str, bindings: Sequence[BaseAssignment]) -> list[tuple[str, str]] | None:
    """The modules, each with the name it gets, of the imports that bind ``name``; None where anything else
    does."""
    found: dict[tuple[str, str], None] = {}
    for each in bindings:
        statement = getattr(each, "node", None)
        if not isinstance(each, ImportAssignment) or not isinstance(statement, cst.Import):
            return None
        for alias in statement.names:
            dotted = header.dotted(alias.name)
            if (_asname(alias) or dotted.partition(".")[0]) == name:
                found[dotted, _asname(alias) or dotted] = None
    return list(found)


def _is_free_for(source: Source, module: str, name: str) -> bool:
    """Whether nothing in the module has the name, or only later imports of the same thing."""
    imports = imports_that_bind(name, bound_in_module(source, name))
    return imports is not None and all(
        (dotted.partition(".")[0] if alias == dotted else dotted) == module for dotted, alias in imports
    )


def bound_in_module(source: Source, name: str) -> list[BaseAssignment]:
    """What binds a name in the module itself."""
    scopes = dict.fromkeys(source.metadata(ScopeProvider).values())
    return [each for scope in scopes if isinstance(scope, GlobalScope) for each in scope.assignments[name]]


def _spellings(module: str) -> tuple[str, ...]:
    # `from cv2 import cv2` gave the module itself in the wheels before 4.5.4.
    return (module, "cv2.cv2") if module == "cv2" else (module,)


def _bound(alias: cst.ImportAlias, module: str) -> str | None:
    asname = _asname(alias)
    dotted = header.dotted(alias.name)
    if asname is None:
        return module if "." not in module or dotted == module else None
    return asname if dotted in _spellings(module) else None


def _asname(alias: cst.ImportAlias) -> str | None:
    return alias.asname.name.value if alias.asname and isinstance(alias.asname.name, cst.Name) else None
