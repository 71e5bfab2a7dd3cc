"""The objects of classes to which a class leaves some of its methods, or what these make objects of."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from dlint.source.desugaring.records import is_record
from dlint.source.statements import functions_in
from dlint.values.methods import is_abstract, is_only_declared
from dlint.values.values import Class, Const, Key

if TYPE_CHECKING:
    from dlint.calls.interface import Evaluator

# Classes below a class that are told apart; of more of them nothing is said.
_MOST = 8


class Heirs:
    """The classes below those of which no object can do all that it is asked."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator
        self._known: dict[Key, list[Class]] = {}
        # The classes that are being asked about, and how deep.
        self._asking: dict[Key, int] = {}

    def of(self, cls: Class) -> list[Class]:
        """The classes whose objects a method of a class has to do with where it leaves others to them: those
        below that leave none. None where it has all that it calls by itself, or where they are too many."""
        known = self._known.get(cls.key)
        if known is not None:
            return known
        if cls.key in self._asking:
            self._evaluator.cut(self._asking[cls.key])
            return []
        self._asking[cls.key] = self._evaluator.depth
        try:
            found, whole = self._evaluator.apart(lambda: self._below(cls) if self._leaves_some(cls) else [])
        finally:
            del self._asking[cls.key]
        if whole:
            self._known[cls.key] = found
        return found

    def _below(self, cls: Class) -> list[Class]:
        found: dict[Key, Class] = {}
        waiting, seen = [cls], {cls.key}
        while waiting:
            for below in self._evaluator.classes.subclasses(waiting.pop(0), _MOST + 1):
                if below.key in seen:
                    continue
                seen.add(below.key)
                if self._leaves_some(below):
                    waiting.append(below)
                else:
                    found[below.key] = below
            if len(found) + len(waiting) > _MOST:
                return []
        return list(found.values())

    def _leaves_some(self, cls: Class) -> bool:
        """Whether a method that a class has is only declared in it and above, or a class that its methods
        make objects of."""
        line = self._evaluator.classes.line(cls)
        declared = {
            function.name
            for above in line
            for function in functions_in(above.node.body)
            if is_only_declared(function)
        }
        return any(
            all(is_abstract(value) for value, _ in self._evaluator.classes.member(cls, name))
            for name in declared
        ) or any(
            all(isinstance(value, Const) for value, _ in self._evaluator.classes.member(cls, name))
            for name in self._called_of(line)
        )

    def _called_of(self, line: list[Class]) -> set[str]:
        """The attributes of a class and those above it that are None or only declared there, that no method
        stores, and that methods call: ``dataset_cls = None``, ``self.dataset_cls(root)``."""
        names = {name for above in line for name in _left_open(above)}
        if not names:
            return names
        texts = [above.module.text_of(above.node) for above in line]
        called = {
            name for name in names for text in texts if f"self.{name}(" in text or f"cls.{name}(" in text
        }
        return {name for name in called if not any(f"self.{name} = " in text for text in texts)}


def _left_open(cls: Class) -> list[str]:
    """The names to which the body of a class gives None or nothing yet."""
    found: list[str] = []
    if is_record(cls.node):
        return found  # its constructor is given them
    for statement in cls.node.body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Constant(value=None)):
                found.append(name)
            case ast.AnnAssign(target=ast.Name(id=name), value=None):
                found.append(name)
    return found
