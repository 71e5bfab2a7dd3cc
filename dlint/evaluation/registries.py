"""Registries: classes that a decorator registers, to be made by names that only a configuration knows.

Which of them a piece of code gets cannot be told, so every one of its registry is possible.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.regex import regex
from dlint.source.nodes import walk
from dlint.source.statements import last_name
from dlint.values.frame import Point
from dlint.values.values import Class, External, Instance, Made, Value

if TYPE_CHECKING:
    from dlint.evaluation.interface import Evaluator
    from dlint.source.module import Module
    from dlint.values.frame import Arguments, Frame

_WORD = "regist"
# `@PIPELINES.register_module()` or `@register_transform("flip")`, and the class below it.
_REGISTERED = regex(
    rb"^@((?:[\w.]+\.)?)(\w{0,99}[Rr]egist\w{0,99})\b[^\n]*\n(?:[@#) \t][^\n]*\n){0,50}class (\w+)",
    re.MULTILINE,
)


class _Entry(NamedTuple):
    relative: str
    name: str
    registry: str  # what the decorator is a method of, "" for a plain function


class Registries:
    """The registered classes of a program whose objects can be called: its transforms."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator
        self._entries: list[_Entry] | None = None
        self._classes: dict[_Entry, Class | None] = {}
        self._of_classes: dict[int, set[str]] = {}
        self._named_in: dict[tuple[str, str], bool] = {}

    def callables(self, frame: Frame, callee: Value) -> Iterator[Instance]:
        """Objects of the registered classes that the code of a module may get and call: those of a
        registry that it names, or of a file that it imports."""
        if not self._all():
            return
        named = self._named(frame, callee)
        for entry in self._all():
            if named and entry.registry and entry.registry not in named:
                continue
            if self._within_reach(entry, frame.module):
                if entry not in self._classes:
                    self._classes[entry] = self._class(entry)
                found = self._classes[entry]
                if found is not None:
                    yield Instance(found, None, None)

    def takes(self, each: Instance, arguments: Arguments) -> bool:
        """Whether a call can be one of such an object: a metric takes two things, a transform one."""
        if arguments.spread or arguments.splats:
            return True
        for method in self._evaluator.classes.methods(each, "__call__"):
            spec = method.node.args
            names = [a.arg for a in [*spec.posonlyargs, *spec.args]][1:]
            required = names[: len(names) - len(spec.defaults)] if spec.defaults else names
            given = set(names[: len(arguments.positional)]) | set(arguments.keywords)
            room = spec.vararg is not None or len(arguments.positional) <= len(names)
            by_name = {*names, *(a.arg for a in spec.kwonlyargs)}
            known = spec.kwarg is not None or set(arguments.keywords) <= by_name
            if room and known and set(required) <= given:
                return True
        return False

    def _named(self, frame: Frame, callee: Value) -> set[str]:
        """The registries that a library's builder is told, or that the class of the calling code names; none
        where neither tells."""
        nodes: list[ast.expr] = []
        if isinstance(callee, Made):
            nodes = [a.expression for a in callee.arguments.all() if a.expression is not None]
        registries = {entry.registry for entry in self._all() if entry.registry}
        told = {n for node in nodes if (n := last_name(node)) in registries}
        if told or frame.owner is None:
            return told
        named = self._of_classes.get(id(frame.owner.node))
        if named is None:
            named = self._of_classes[id(frame.owner.node)] = {
                name
                for statement in frame.owner.node.body
                for node in walk(statement)
                if (name := node.id if isinstance(node, ast.Name) else getattr(node, "attr", ""))
                in registries
            }
        return named

    def _all(self) -> list[_Entry]:
        if self._entries is None:
            index = self._evaluator.modules.index
            self._entries = []
            for relative in index.mentioning(_WORD):
                data = index.data(relative)
                if b"def __call__" in data:
                    for owner, _, name in _REGISTERED.findall(data):
                        registry = owner.decode().rstrip(".").rpartition(".")[2]
                        self._entries.append(_Entry(relative, name.decode(), registry))
        return self._entries

    def _within_reach(self, entry: _Entry, module: Module) -> bool:
        index = self._evaluator.modules.index
        relative = module.relative
        if entry.registry:
            mark = (entry.registry, relative)
            named = self._named_in.get(mark)
            if named is None:
                named = self._named_in[mark] = any(True for _ in module.paths_to(entry.registry))
            return named
        stem = entry.relative.removesuffix(".py").rpartition("/")[2]
        return relative == entry.relative or relative in index.importing(stem)

    def _class(self, entry: _Entry) -> Class | None:
        module = self._evaluator.modules.get(entry.relative)
        if module is None:
            return None
        for node in module.tree.body:
            if isinstance(node, ast.ClassDef) and node.name == entry.name:
                frame = self._evaluator.modules.frame(module)
                if any(self._is_of_library(each, Point(frame, node)) for each in node.decorator_list):
                    return None
                found = Class(node, frame)
                return found if self._evaluator.classes.member(found, "__call__") else None
        return None

    def _is_of_library(self, decorator: ast.expr, point: Point) -> bool:
        """Whether a module of a library registers (``keras.saving.register_keras_serializable()``), for
        ends of its own, and no registry object that it has (``mmdet.registry.TRANSFORMS``)."""
        function = decorator.func if isinstance(decorator, ast.Call) else decorator
        if not isinstance(function, ast.Attribute) or _WORD not in function.attr:
            return False
        owners = [value for value, _ in self._evaluator.values(function.value, point)]
        return bool(owners) and all(
            isinstance(owner, External) and owner.name.islower() and _WORD not in owner.name
            for owner in owners
        )
