"""The names that other files may ask a module for."""

from __future__ import annotations

import ast
from pathlib import PurePosixPath

from dlint.changes.mentions import imports_all
from dlint.program.program import Program
from dlint.source.closures import bindings
from dlint.source.module import Module
from dlint.source.nodes import walk


def names_elsewhere(program: Program, module: Module) -> frozenset[str]:
    """The names by which a new function would be what others ask the module for, or hide what is theirs."""
    found: set[str] = set()
    folder, _, file = module.relative.rpartition("/")
    stem = PurePosixPath(folder).name if file == "__init__.py" else file.removesuffix(".py")
    if file == "__init__.py":
        # A package has its modules by their names, once they are imported.
        inside = [each.removeprefix(f"{folder}/") for each in program.modules.index.paths]
        found |= {each.partition("/")[0].removesuffix(".py") for each in inside}
    for relative in program.boundaries.importers(module.relative):
        other = program.modules.get(relative)
        if other is not None:
            found |= _asked_of(stem, other)
    return frozenset(found)


def _asked_of(stem: str, other: Module) -> set[str]:
    """The names that a file may ask a module for, which it imports."""
    found: set[str] = set()
    everything = imports_all(other)
    modules = {each.name for each in bindings(other.tree) if isinstance(each.node, ast.alias)}
    for node in walk(other.tree):
        match node:
            case ast.ImportFrom(module=source, names=names) if (source or stem).rpartition(".")[2] == stem:
                found |= {each.name for each in names}
            case ast.Attribute(value=ast.Name(id=holder), attr=name) if holder in modules:
                found.add(name)
            case ast.Call(
                func=ast.Name(id="getattr" | "hasattr"), args=[_, ast.Constant(value=str(name)), *_]
            ):
                found.add(name)
            case ast.Name(id=name) if everything:
                found.add(name)
    return found
