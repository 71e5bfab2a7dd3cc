"""Options that a class declares by objects of its own: ``workers = Option(default=2)``.

What such an object says of its default holds until somebody asks for something else, as with the options of
a command line. It counts where something is made of declarations: by a metaclass or ``__init_subclass__``,
which goes through them, or by the object itself, which is a descriptor.
"""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from dlint.source.statements import FunctionNode
from dlint.values.outcomes import Outcome, told_apart
from dlint.values.values import Class, Const, Instance, Table, Unknown
from dlint.values.worlds import World

if TYPE_CHECKING:
    from dlint.objects.interface import Evaluator
    from dlint.values.frame import Point

# The attributes that hold what is declared to be so at first.
_DEFAULTS = ("default", "default_value", "initial")


class Declared:
    """Questions about declared options."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator

    def of(
        self,
        instance: Instance,
        name: str,
        members: list[Outcome],
        node: ast.AST,
        point: Point,
        world: World,
    ) -> list[Outcome]:
        """What an attribute of an object is, where its class declares it: what the constructor was given
        under that name, else the default or whatever somebody asks for. Empty where it declares nothing."""
        defaults: list[Outcome] = []
        for declaration, w in members:
            if not isinstance(declaration, Instance) or not (
                self._goes_by_declarations(instance.cls) or self._is_descriptor(declaration)
            ):
                return []
            defaults += self._default(declaration, node, point, w)
        if not defaults:
            return []
        asked = Unknown(("attribute", instance.key, name))
        if self._evaluator.modules.index.stored_elsewhere(name) or (
            instance.arguments is None and self._is_asked_for(instance.cls, name)
        ):
            return [(asked, world)]
        found: list[Outcome] = []
        for given, w in self._given(instance, world):
            if isinstance(given, Table) and name in given.items:
                found.append((given.items[name], w))
            else:
                found += [(value, both) for value, v in defaults if (both := v.joined(w)) is not None]
                found.append((asked, w))
        return told_apart(found, ("declared", instance.key, name))

    def _given(self, instance: Instance, world: World) -> list[Outcome]:
        """What the constructor is given by names that it does not know: its ``**options``."""
        for _, frame in self._evaluator.initialisers.of(instance):
            rest = frame.scope.args.kwarg if isinstance(frame.scope, FunctionNode) else None
            if rest is not None:
                return self._evaluator.parameters.values(rest.arg, frame, world)
        return [(Table({}, True), world)]

    def _is_asked_for(self, cls: Class, name: str) -> bool:
        """Whether some call of a class, as it is written, gives an option under its name."""
        index = self._evaluator.modules.index
        written = re.compile(rb"\b%b\([^()]{0,500}\b%b\s*=(?!=)" % (cls.name.encode(), name.encode()))
        return any(written.search(index.data(relative)) for relative in index.mentioning(cls.name))

    def _default(self, declaration: Instance, node: ast.AST, point: Point, world: World) -> list[Outcome]:
        return [
            (value, w)
            for attribute in _DEFAULTS
            for value, w in self._evaluator.attribute(declaration, attribute, node, point, world)
            if isinstance(value, Const)
        ]

    def _goes_by_declarations(self, cls: Class) -> bool:
        """Whether something goes through what a class declares, when the class is made."""
        classes = self._evaluator.classes
        return any(
            any(keyword.arg == "metaclass" for keyword in above.node.keywords) for above in classes.line(cls)
        ) or bool(classes.member_above(cls, "__init_subclass__"))

    def _is_descriptor(self, declaration: Instance) -> bool:
        """Whether reading an attribute that holds an object asks that object."""
        return bool(self._evaluator.classes.member(declaration.cls, "__get__"))
