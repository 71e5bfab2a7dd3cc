"""What a library that runs the training gives back of the objects that it is handed:
``model, loader = accelerator.prepare(model, loader)``."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from dlint.knowledge.loading import LOADERS
from dlint.values.frame import Argument, Arguments, Point
from dlint.values.outcomes import OUTCOMES, Outcome
from dlint.values.values import Instance, Items, Key, Made, Unknown, Value
from dlint.values.worlds import World

if TYPE_CHECKING:
    from dlint.objects.interface import Evaluator


_PREPARED: Final = "prepared"
_WRAPPED: Final = "wrapped"


class Prepared:
    """Questions about loaders that are made ready for a device. What else is made ready with them may be
    wrapped in something, and is not known."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator
        self._keys: set[Key] = set()
        self._wrapped: set[Key] = set()

    def given(
        self, arguments: Arguments, node: ast.AST, point: Point, world: World, how: str = _PREPARED
    ) -> list[Outcome]:
        """What is given back: the one object, or all in their order. Nothing where none is seen to be a
        loader."""
        results: list[tuple[tuple[Value, ...], World]] = [((), world)]
        for at, argument in enumerate(arguments.positional):
            results = [
                ((*items, value), v)
                for items, w in results
                for value, v in self._one(argument, Unknown((how, id(node), at, point.key)), w, how)
            ]
        for argument in arguments.spread:  # behind the others, as it is nearly always written
            results = [
                ((*items, *(self._as_prepared(each, how) for each in _listed(value))), v)
                for items, w in results
                for value, v in self._evaluator.value_of(argument, w)
            ]
        if len(results) > OUTCOMES or not any(
            self.is_prepared(each) for items, _ in results for each in items
        ):
            return []
        return [(items[0] if len(items) == 1 else Items("tuple", items), w) for items, w in results]

    def wrapped(self, arguments: Arguments, node: ast.AST, point: Point, world: World) -> list[Outcome]:
        """The first of some arguments, where that is a loader, in what goes through it and puts its batches
        on the device; nothing where it is not seen to be one."""
        found = self.given(Arguments(arguments.positional[:1]), node, point, world, _WRAPPED)
        self._wrapped.update(value.key for value, _ in found)
        return found

    def is_wrapped(self, value: Value) -> bool:
        """Whether what goes through a loader has nothing else of it."""
        return value.key in self._wrapped

    def is_prepared(self, value: Value) -> bool:
        """Whether a loader is one that puts its batches on the device."""
        return value.key in self._keys

    def _one(self, argument: Argument, other: Value, world: World, how: str) -> list[Outcome]:
        held = self._evaluator.value_of(argument, world)
        outcomes = [(self._as_prepared(value, how), w) for value, w in held]
        if not any(self.is_prepared(value) for value, _ in outcomes):
            return [(other, world)]
        return [(value if self.is_prepared(value) else other, w) for value, w in outcomes]

    def _as_prepared(self, value: Value, how: str) -> Value:
        """A loader as it is given back: another object, made by the same call."""
        found = value
        if isinstance(value, Made) and value.name in LOADERS:
            found = Made(value.name, value.node, value.arguments, value.point, (how, value.key))
        elif isinstance(value, Instance) and self._evaluator.classes.libraries(value.cls) & LOADERS.keys():
            found = Instance(value.cls, value.arguments, value.node, (how, value.key))
        else:
            return Unknown((how, value.key))
        self._keys.add(found.key)
        return found


def _listed(value: Value) -> tuple[Value, ...]:
    return value.items if isinstance(value, Items) and not value.open else (Unknown(("spread", value.key)),)
