"""Registries: classes that a decorator registers, to be made by names that only a configuration knows.

Which of them a piece of code gets cannot be told, so every one of its registry is possible.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.program.values import Class, Instance

if TYPE_CHECKING:
    from dlint.module.source import Module
    from dlint.program.evaluate import Evaluator

_WORD = "regist"
# `@PIPELINES.register_module()` or `@register_transform("flip")`, and the class below it.
_REGISTERED = re.compile(
    rb"^@((?:[\w.]+\.)?)(\w*[Rr]egist\w*)\b[^\n]*\n(?:[@#) \t][^\n]*\n)*class (\w+)", re.MULTILINE
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

    def callables(self, module: Module) -> Iterator[Instance]:
        """Objects of the registered classes that the code of a module may get and call: those of a
        registry that it names, or of a file that it imports."""
        for entry in self._all():
            if self._within_reach(entry, module.relative):
                if entry not in self._classes:
                    self._classes[entry] = self._class(entry)
                found = self._classes[entry]
                if found is not None:
                    yield Instance(found, None, None)

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

    def _within_reach(self, entry: _Entry, relative: str) -> bool:
        index = self._evaluator.modules.index
        if entry.registry:
            return relative in index.naming(entry.registry)
        stem = entry.relative.removesuffix(".py").rpartition("/")[2]
        return relative == entry.relative or relative in index.importing(stem)

    def _class(self, entry: _Entry) -> Class | None:
        module = self._evaluator.modules.get(entry.relative)
        if module is None:
            return None
        for node in module.tree.body:
            if isinstance(node, ast.ClassDef) and node.name == entry.name:
                found = Class(node, self._evaluator.modules.frame(module))
                return found if self._evaluator.classes.member(found, "__call__") else None
        return None
