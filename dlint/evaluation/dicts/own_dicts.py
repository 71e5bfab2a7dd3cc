"""Dicts of the program's own classes, whose entries are their attributes: ``class Settings(dict)``."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from dlint.values.outcomes import Outcome, stores_told_apart
from dlint.values.values import Class, Const, Function, Instance, Key, Made, Unknown
from dlint.values.worlds import World

if TYPE_CHECKING:
    from dlint.evaluation.interface import Evaluator

# What there is under a key that a dict does not have; no expression gives it.
ABSENT: Final = Const(...)


class OwnDicts:
    """Questions about such dicts."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator
        self._keeping: dict[Key, bool] = {}

    def of(self, made: Instance, key: str, world: World) -> list[Outcome]:
        """The same of what an object of such a class was made with: nothing where the program stores under no
        such key. That it speaks of one, as each loader elsewhere speaks of ``shuffle``, says nothing."""
        given, evaluator = made.arguments, self._evaluator
        unknown: list[Outcome] = [(Unknown(("entry", made.key, key)), world)]
        if given is None or len(given.positional) > 1 or given.spread or given.splats:
            return unknown
        changes = evaluator.held.changes
        if changes.is_stored_by_key(key) or changes.is_updated(key):
            return unknown
        is_stored = evaluator.modules.index.stored_elsewhere(key)
        if key in given.keywords:
            found = evaluator.value_of(given.keywords[key], world)
        elif is_stored or not given.positional:
            return unknown if is_stored else [(ABSENT, world)]
        else:
            found = evaluator.entries.of_argument(given.positional[0], key, world)
        if is_stored:
            found = [*found, *evaluator.attributes.outside.values(made, key, world)]
        return stores_told_apart(found, ("kept", made.key, key))

    def attribute(self, made: Instance, name: str, world: World) -> list[Outcome]:
        """What an object of such a class has as an attribute that its class does not have, where no code may
        set that; nothing where it is of another class, or that is not known."""
        if made.point is None or made.arguments is None or not self.keeps_attributes(made.cls):
            return []
        as_settings = Made(f"{made.cls.name}", made.node or made.cls.node, made.arguments, made.point)
        changes, index = self._evaluator.held.changes, self._evaluator.modules.index
        if index.stored_elsewhere(name) or changes.may_be(as_settings, name):
            return []
        found = self.of(made, name, world)
        return [] if any(value is ABSENT or isinstance(value, Unknown) for value, _ in found) else found

    def keeps_attributes(self, cls: Class) -> bool:
        """Whether the objects of a class are dicts whose attributes are their entries, and that are made as
        dicts are."""
        known = self._keeping.get(cls.key)
        if known is None:
            known = self._keeping[cls.key] = self._is_dict(cls) and self._has_entries_as_attributes(cls)
        return known

    def _is_dict(self, cls: Class) -> bool:
        return "builtins.dict" in self._evaluator.classes.libraries(cls)

    def _has_entries_as_attributes(self, cls: Class) -> bool:
        """Whether a class asks its entries for what it does not have, or its objects are their own attributes
        (``self.__dict__ = self``), and its constructor does nothing else."""
        member = self._evaluator.classes.member
        inits = [value for value, _ in member(cls, "__init__")]
        if not inits:
            return bool(member(cls, "__getattr__") and member(cls, "__setattr__"))
        return all(isinstance(init, Function) and _is_its_own_namespace(init.node) for init in inits)


def _is_its_own_namespace(init: ast.AST) -> bool:
    """Whether a constructor makes a dict of all that it is given, and that its object's attributes."""
    match init:
        case ast.FunctionDef(
            args=ast.arguments(args=[ast.arg(arg=own)], vararg=ast.arg(), kwarg=ast.arg()),
            body=[
                ast.Expr(
                    value=ast.Call(
                        func=ast.Attribute(value=ast.Call(func=ast.Name(id="super")), attr="__init__"),
                        args=[ast.Starred()],
                        keywords=[ast.keyword(arg=None)],
                    )
                ),
                ast.Assign(
                    targets=[ast.Attribute(value=ast.Name(id=holder), attr="__dict__")],
                    value=ast.Name(id=held),
                ),
            ],
        ):
            return holder == held == own
    return False
