"""Namespaces of modules: what a module has under a name once it has run, and what an import binds.

Which file a module's name means is for ``imports`` to say.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.knowledge.names import canonical
from dlint.source.statements import FunctionNode, functions_in, own_names, statements_in
from dlint.values.frame import Frame, Point
from dlint.values.outcomes import Outcome, within
from dlint.values.values import (
    Class,
    Const,
    External,
    Function,
    Instance,
    Key,
    Made,
    ModuleValue,
    Table,
    Unknown,
    Value,
)
from dlint.values.worlds import HERE, World

if TYPE_CHECKING:
    from dlint.evaluation.interface import Evaluator
    from dlint.source.module import Module

# What `from library import *` brings, for the libraries people write that of.
_STAR_NAMES = {
    "torch.utils.data": frozenset({"DataLoader", "Dataset", "IterableDataset", "Subset", "TensorDataset"}),
    "random": frozenset({"random", "randint", "seed", "choice", "shuffle", "uniform"}),
    "cv2": frozenset({"imread", "cvtColor", "resize", "setNumThreads", "UMat", "warpAffine"}),
}
_CYCLE = 12


class Namespaces:
    """What stands in the namespaces of modules, the program's and those of libraries."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator
        self._known: dict[tuple[int, str], list[Outcome]] = {}
        # The names that are being looked for, and how deep each was asked.
        self._open: dict[tuple[int, str], int] = {}
        # The modules that the present search through star imports has been to in vain, and how deep it is.
        self._in_vain: set[tuple[int, str]] = set()
        self._stars = 0
        # By module, the names that some function declares global.
        self._declared: dict[int, set[str]] = {}

    # Once a module has run

    def of_module(self, name: str, frame: Frame) -> list[Outcome]:
        """What a module's name stands for once the module has run, with what the ways to it assume: names
        that one branch binds are together, whoever reads them (``if CI: WORKERS, KEEP = 0, False``)."""
        mark = (id(frame.scope), name)
        known = self._known.get(mark)
        if known is not None:
            return known
        if mark in self._open or len(self._open) > _CYCLE:
            self._evaluator.cut(self._open.get(mark, 0))
            return [(Unknown(("global", frame.module.relative, name)), HERE)]
        self._open[mark] = self._evaluator.depth
        try:
            values: dict[Key, Value] = {}
            worlds: dict[Key, list[World]] = {}
            for statement, w in self._evaluator.flow.definitions(
                name, Point(frame, None), HERE, anew=name not in frame.layout.changes
            ):
                found = (
                    self._evaluator.names.from_start(name, frame, w)
                    if statement is None
                    else self._evaluator.names.defined(statement, name, frame, w)
                )
                # A name that some path never binds is not read there.
                for value, v in found if statement is not None or len(found) == 1 else ():
                    values[value.key] = value
                    worlds.setdefault(value.key, []).append(v)
            if len(values) > 1:
                values.pop(Unknown(("unbound", frame.module.relative, name)).key, None)
            by_functions = self.declared_global(name, frame)
            if by_functions:
                if all(isinstance(value, Const) and value.value is not None for value in values.values()):
                    values.clear()  # a setting, and what it starts with is not what it is set to
                values.update((value.key, value) for value in self._set_by_functions(name, frame))
                values[("global", name)] = Unknown(("global", frame.module.relative, name))
        finally:
            del self._open[mark]
        filled = self._evaluator.filled
        left = list(values.values())
        last = self._evaluator.changed_later.of_module(left, name, frame)
        # What is stored later is stored on all ways, and one value needs no telling apart.
        told = (
            len(left) > 1
            and not by_functions
            and [value.key for value in last] == [value.key for value in left]
        )
        result = [
            (
                filled.of_module(value, frame.module, name) if isinstance(value, Table) else value,
                worlds[value.key][0].shared(worlds[value.key][1:]) if told else HERE,
            )
            for value in last
        ]
        if not self._open:
            self._known[mark] = result
        return result

    def declared_global(self, name: str, frame: Frame) -> bool:
        """Whether some function of the module declares the name global."""
        declared = self._declared.get(id(frame.scope))
        if declared is None:
            found: set[str] = set()
            text = frame.module.text
            for line in text.splitlines() if "global " in text else ():
                words = line.replace(",", " ").split()
                if words and words[0] == "global":
                    found.update(words[1:])
            declared = self._declared[id(frame.scope)] = found
        return name in declared

    def _set_by_functions(self, name: str, frame: Frame) -> Iterator[Value]:
        """The objects that functions of a module store in one of its names."""
        for statement, own in self.stored_by_functions(name, frame):
            for value, _ in self._evaluator.names.defined(statement, name, own, HERE):
                if isinstance(value, Made | Instance):
                    yield value

    def stored_by_functions(self, name: str, frame: Frame) -> Iterator[tuple[ast.stmt, Frame]]:
        """The statements by which functions of a module bind one of its names that they declare global, with
        the frames of these functions."""
        for node, around in _functions_of(frame):
            inside = list(statements_in(node.body))
            if any(isinstance(each, ast.Global) and name in each.names for each in inside):
                owner = Class(around.scope, frame) if isinstance(around.scope, ast.ClassDef) else None
                own = Frame(frame.module, node, around, owner=owner)
                yield from ((each, own) for each in inside if name in own_names(each))

    def from_star(self, name: str, frame: Frame) -> list[Outcome]:
        """What the star imports of a module bring under a name."""
        if len(self._open) > _CYCLE:
            return []
        mark = (id(frame.scope), "*" + name)
        if mark in self._open or mark in self._in_vain:
            return []
        self._open[mark] = self._evaluator.depth
        self._stars += 1
        try:
            for statement in _star_imports(frame.module.tree.body):
                for source in self.imported_module(statement, frame):
                    if isinstance(source, ModuleValue):
                        found = self.exported(source, name)
                        if found:
                            return found
                    elif isinstance(source, External) and name in _STAR_NAMES.get(source.name, ()):
                        return [(External(canonical(f"{source.name}.{name}")), HERE)]
            self._in_vain.add(mark)
        finally:
            del self._open[mark]
            self._stars -= 1
            if not self._stars:
                self._in_vain.clear()
        return []

    def exported(self, module: ModuleValue, name: str) -> list[Outcome]:
        """What a module of the program has under a name: its own, by a star import, or a submodule."""
        if module.module is not None:
            frame = self._evaluator.modules.frame(module.module)
            if name in frame.layout.binds:
                return self.of_module(name, frame)
            if "*" in frame.layout.binds:
                found = self.from_star(name, frame)
                if found:
                    return found
            if not module.module.is_package:
                return []
        value = self._submodule(module, name)
        return [(value, HERE)] if value is not None else []

    def member(self, module: ModuleValue, name: str, world: World) -> list[Outcome]:
        """The values of an attribute of a module of the program."""
        found = self.exported(module, name)
        return within(found, world) if found else [(Unknown(("member", module.key, name)), world)]

    def public(self, module: ModuleValue) -> Iterator[tuple[str, Class | Function]]:
        """The classes and functions that a module of the program makes available, with their names and by
        these: what comes after those that are taken is not looked for, which may be in a hundred files."""
        if module.module is None:
            return
        frame = self._evaluator.modules.frame(module.module)
        names = [name for name in frame.layout.binds if name != "*" and "." not in name]
        for statement in _star_imports(module.module.tree.body):
            for source in self.imported_module(statement, frame):
                if isinstance(source, ModuleValue) and source.module is not None:
                    names += [
                        name
                        for name in self._evaluator.modules.frame(source.module).layout.binds
                        if "." not in name and name != "*"
                    ]
        for name in sorted(set(names)):
            for value, _ in self.exported(module, name):
                if isinstance(value, Class | Function):
                    yield name, value

    # Imports

    def module_named(self, name: str, importer: str) -> Value:
        """What ``import name`` binds, as a value."""
        modules = self._evaluator.modules
        return self._found(modules.imports.absolute(name, importer)) or External(canonical(name))

    def module_around(self, level: int, name: str | None, importer: str) -> Value:
        """The same of a name with so many leading dots."""
        place = self._evaluator.modules.imports.relative(level, name, importer)
        return self._found(place) or Unknown(("import", importer, level, name))

    def imported_module(self, statement: ast.ImportFrom, frame: Frame) -> list[Value]:
        """The module of ``from module import ...``; none when the project lacks a relative one."""
        modules = self._evaluator.modules
        importer = frame.module.relative
        if statement.level:
            found = self._found(modules.imports.relative(statement.level, statement.module, importer))
            return [found] if found is not None else []
        return [self.module_named(statement.module or "", importer)]

    def imported(self, source: Value, name: str, importer: Module, world: World) -> list[Outcome]:
        """What ``from source import name`` binds in a module.

        A package that imports from itself has not run yet: the name is a submodule's, which Python then
        imports.
        """
        if isinstance(source, ModuleValue):
            own = self._submodule(source, name) if source.module is importer else None
            return self.member(source, name, world) if own is None else [(own, world)]
        if isinstance(source, External):
            return [(External(canonical(f"{source.name}.{name}")), world)]
        return [(Unknown(("import", name)), world)]

    def _submodule(self, package: ModuleValue, name: str) -> Value | None:
        return self._found(self._evaluator.modules.imports.child(package.folder or "", name))

    def _found(self, place: str | None) -> Value | None:
        if place is None:
            return None
        if place.endswith(".py"):
            module = self._evaluator.modules.get(place)
            return ModuleValue(module, place.rpartition("/")[0]) if module is not None else None
        return ModuleValue(None, place)


def _functions_of(frame: Frame) -> Iterator[tuple[FunctionNode, Frame]]:
    """The functions of a module and the methods of its classes, each with the frame around it."""
    assert isinstance(frame.scope, ast.Module)
    for statement in statements_in(frame.scope.body):
        if isinstance(statement, FunctionNode):
            yield statement, frame
        elif isinstance(statement, ast.ClassDef):
            inside = Frame(frame.module, statement, frame)
            yield from ((method, inside) for method in functions_in(statement.body))


def _star_imports(block: list[ast.stmt]) -> list[ast.ImportFrom]:
    """The ``from x import *`` of a module, also those in ``try`` and ``if``, last first."""
    found = []
    for statement in reversed(block):
        if isinstance(statement, ast.ImportFrom):
            if any(alias.name == "*" for alias in statement.names):
                found.append(statement)
        elif isinstance(statement, ast.If | ast.Try):
            found += _star_imports(statement.body)
    return found
