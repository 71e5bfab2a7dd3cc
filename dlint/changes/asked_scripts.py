"""What other files of a program ask a script for, when they import it."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from dlint.changes.mentions import mentions
from dlint.program.program import Program
from dlint.source.module import Module
from dlint.source.statements import last_name


def why_needed_elsewhere(program: Program, home: Module, names: Iterable[str]) -> str | None:
    """Why another file needs what the body of a script does or binds (``names``); None where none does."""
    stem = home.relative.rpartition("/")[2].removesuffix(".py")
    # A function may import it, too: that is how files that import each other do.
    inside = (each for each in program.modules.index.importing(stem) if _imports(program, each, home))
    importers = {*program.boundaries.importers(home.relative), *inside} - {home.relative}
    for relative in sorted(importers):
        other = program.modules.get(relative)
        taken, owners = _taken(other, stem) if other is not None else (set(), set())
        if "*" in taken:
            return f"{relative} imports all names of the script"
        if other is not None and owners and not _asks(other, owners):
            return f"{relative} imports the script for what it does"
        if other is not None and _hands_on(other, owners):
            return f"{relative} may ask the script for anything"
    for name in sorted(names):
        for mention in mentions(program, name):
            other = mention.module
            if other.relative not in importers:
                continue
            taken, owners = _taken(other, stem)
            node = mention.node
            if (isinstance(node, ast.alias) and name in taken) or (
                isinstance(node, ast.Attribute) and last_name(node.value) in owners
            ):
                return f"{other.relative} imports {name} from the script"
    return None


def _imports(program: Program, relative: str, home: Module) -> bool:
    """Whether a file imports a module, wherever the statement stands."""
    module, imports = program.modules.get(relative), program.modules.imports
    for node in ast.walk(module.tree) if module is not None else ():
        if isinstance(node, ast.Import):
            places = [imports.absolute(alias.name, relative) for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.level:
            places = [imports.relative(node.level, node.module, relative)]
        elif isinstance(node, ast.ImportFrom):
            places = [imports.absolute(node.module or "", relative)]
        else:
            continue
        package = places[0] or ".py"
        in_package = package.endswith("__init__.py") or not package.endswith(".py")
        if isinstance(node, ast.ImportFrom) and in_package:
            places += [imports.child(package, alias.name) for alias in node.names]
        if home.relative in places:
            return True
    return False


def _asks(module: Module, owners: set[str]) -> bool:
    """Whether a module asks one of the modules that it calls so for something."""
    return any(
        isinstance(node, ast.Attribute) and last_name(node.value) in owners for node in ast.walk(module.tree)
    )


def _hands_on(module: Module, owners: set[str]) -> bool:
    """Whether a module gives one of those modules to a function (``getattr(train, "net")``)."""
    given = (each for node in ast.walk(module.tree) if isinstance(node, ast.Call) for each in node.args)
    return any(isinstance(each, ast.Name) and each.id in owners for each in given)


def _taken(module: Module, stem: str) -> tuple[set[str], set[str]]:
    """The names that a module imports from modules called ``stem``, and what it calls such modules."""
    names: set[str] = set()
    owners: set[str] = set()
    for node in ast.walk(module.tree):
        if not isinstance(node, ast.Import | ast.ImportFrom):
            continue
        if isinstance(node, ast.ImportFrom) and (node.module or "").rpartition(".")[2] == stem:
            names |= {alias.name for alias in node.names}
        for alias in node.names:
            if alias.name.rpartition(".")[2] == stem:
                owners |= {stem, alias.asname or stem}
    return names, owners
