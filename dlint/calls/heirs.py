"""The objects of classes to which a class leaves some of its methods."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dlint.objects.classes import is_abstract, is_only_declared
from dlint.source.statements import functions_in
from dlint.values.values import Class, Key

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
        """Whether a method that a class has is only declared in it and above."""
        declared = {
            function.name
            for above in self._evaluator.classes.line(cls)
            for function in functions_in(above.node.body)
            if is_only_declared(function)
        }
        return any(
            all(is_abstract(value) for value, _ in self._evaluator.classes.member(cls, name))
            for name in declared
        )
