"""Who in the program says a name: what a remedy must know before it changes what the name stands for."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from dlint.program.program import Program
from dlint.source.module import Module
from dlint.source.nodes import walk
from dlint.values.values import ModuleValue


class Mention(NamedTuple):
    """A node that says a name (a definition, a name, an attribute, a keyword or an import's alias), the
    module it stands in, and the nodes from the module's tree down to it."""

    module: Module
    trail: list[ast.AST]

    @property
    def node(self) -> ast.AST:
        """The node itself."""
        return self.trail[-1]


def mentions(program: Program, name: str) -> Iterator[Mention]:
    """Every mention of a name in the files of the program, whatever it stands for there."""
    for module in program.modules.naming(name):
        for trail in module.paths_to(name):
            yield Mention(module, trail)


def uses_elsewhere(program: Program, home: str, name: str) -> Iterator[Mention]:
    """Where other files may mean what the module ``home`` (a relative path) has under ``name``.

    They import that module, at whatever distance, and import the name, ask a module for it, or import all
    that a module has and then say the name. It says rather one too many than one too few.
    """
    importers = set(program.boundaries.importers(home))
    for mention in mentions(program, name):
        if mention.module.relative not in importers:
            continue
        match mention.node:
            case ast.alias() | ast.Attribute():
                yield mention
            case ast.Name() if imports_all(mention.module):
                yield mention


def imports_all(module: Module) -> bool:
    """Whether a module has a star import somewhere: any name may come from there."""
    return "*" in module.text and any(
        isinstance(node, ast.ImportFrom) and any(alias.name == "*" for alias in node.names)
        for node in walk(module.tree)
    )


_LISTING = ("vars", "dir", "getmembers", "globals")


def lists_its_names(program: Program, module: Module) -> bool:
    """Whether some code may go through all the names that a module has: a new one would be among them."""
    home = module.relative
    near = {home, *program.boundaries.importers(home)}
    for word in _LISTING:
        for other in program.modules.each(sorted(near.intersection(program.modules.index.naming(word)))):
            if any(_lists(program, other, trail, module) for trail in other.paths_to(word)):
                return True
    return False


def _lists(program: Program, other: Module, trail: list[ast.AST], module: Module) -> bool:
    node, call = trail[-1], trail[-2]
    if isinstance(node, ast.Attribute) and node.attr == "getmembers":
        pass
    elif not isinstance(node, ast.Name):
        return False
    if not isinstance(call, ast.Call) or call.func is not node:
        return False
    if not call.args:
        above = trail[-3]
        one = isinstance(above, ast.Subscript) and above.value is call
        return other is module and not one
    point = program.evaluator.sites.point_of(other, trail)
    values = [value for value, _ in program.evaluator.values(call.args[0], point)]
    return any(isinstance(value, ModuleValue) and value.module is module for value in values)
