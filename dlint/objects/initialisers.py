"""Initialisers: the ``__init__`` methods that making an object runs."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from dlint.evaluation.questions import begun
from dlint.source.statements import call_of
from dlint.values.frame import Arguments, Frame, Point, arguments_of
from dlint.values.values import Class, External, Function, Instance, Key, Super, Value

if TYPE_CHECKING:
    from dlint.objects.interface import Evaluator


class Initialisers:
    """The initialisers of instances, each in the frame of its call."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator
        self._known: dict[Key, list[tuple[Class, Frame, int]]] = {}
        self._calls: dict[Key, Arguments | None] = {}

    def of(self, instance: Instance) -> list[tuple[Class, Frame]]:
        """The ``__init__`` methods that making an instance runs, each in the frame of its call."""
        return [(owner, frame) for owner, frame, _ in self.chains(instance)]

    def chains(self, instance: Instance) -> list[tuple[Class, Frame, int]]:
        """The same with the chain that each belongs to: a class whose base is one of several classes has
        one for each."""
        found = self._known.get(instance.key)
        if found is not None:
            return found
        with begun(self._known, instance.key, list[tuple[Class, Frame, int]]()) as found:
            members = self._evaluator.classes.member(instance.cls, "__init__")
            waiting = [
                (value, owner, instance.arguments, chain) for chain, (value, owner) in enumerate(members)
            ]
            while waiting and len(found) < 12:
                value, owner, arguments, chain = waiting.pop(0)
                if not isinstance(value, Function) or any(frame.scope is value.node for _, frame, _ in found):
                    continue
                frame = Frame(
                    owner.module,
                    value.node,
                    value.frame,
                    arguments=arguments,
                    receiver=instance,
                    owner=owner,
                    site=instance.node,
                )
                found.append((owner, frame, chain))
                waiting += [(*base, chain) for base in self._bases(frame)]
        return found

    def of_libraries(self, instance: Instance) -> list[tuple[str, Arguments]]:
        """The constructors of libraries that making an instance runs, with the arguments they are given."""
        frames = self.of(instance)
        if not frames:
            libraries = self._evaluator.classes.libraries(instance.cls)
            given = instance.arguments
            if given is None and libraries:
                given = self._given_once(instance.cls)
            return [] if given is None else [(name, given) for name in libraries]
        found: list[tuple[str, Arguments]] = []
        for owner, frame in frames:
            for call, statement in base_init_calls(frame):
                assert isinstance(call.func, ast.Attribute)
                point = Point(frame, statement)
                arguments = arguments_of(call, point)
                for base, _ in self._evaluator.values(call.func.value, point):
                    if isinstance(base, External):
                        found.append((base.name, arguments.without_first()))
                    elif isinstance(base, Super) and not self._evaluator.classes.behind(base, "__init__"):
                        found += [(name, arguments) for name in self._evaluator.classes.libraries(owner)]
        return found

    def _given_once(self, cls: Class) -> Arguments | None:
        """What a class is given by the one call of it that the program has, where no class is below it."""
        if cls.key not in self._calls:
            self._calls[cls.key] = None  # for whoever asks for it meanwhile
            self._calls[cls.key] = self._found_once(cls)
        return self._calls[cls.key]

    def _found_once(self, cls: Class) -> Arguments | None:
        modules, home = self._evaluator.modules, cls.module.relative
        if self._evaluator.classes.subclasses(cls, 1) or modules.index.renaming(cls.name, home):
            return None
        found: list[Arguments] = []
        for relative in modules.index.calling(cls.name, home, method=False):
            module = modules.get(relative)
            if module is None:
                continue
            for trail in module.paths_to(cls.name, called=True):
                called = call_of(trail)
                if called is None:
                    continue
                point = self._evaluator.sites.point_of(module, trail)
                if any(
                    isinstance(value, Class) and value.key == cls.key
                    for value, _ in self._evaluator.values(called[0].func, point)
                ):
                    found.append(arguments_of(called[0], point))
        return found[0] if len(found) == 1 else None

    def _bases(self, frame: Frame) -> list[tuple[Value, Class, Arguments | None]]:
        """The base initialisers that an ``__init__`` calls, with the arguments it gives them."""
        found: list[tuple[Value, Class, Arguments | None]] = []
        for call, statement in base_init_calls(frame):
            assert isinstance(call.func, ast.Attribute)
            point = Point(frame, statement)
            arguments = arguments_of(call, point)
            explicit = not isinstance(call.func.value, ast.Call)
            for base, _ in self._evaluator.values(call.func.value, point):
                if isinstance(base, Class):
                    members = self._evaluator.classes.member(base, "__init__")
                elif isinstance(base, Super):
                    members = self._evaluator.classes.behind(base, "__init__")
                else:
                    continue
                given = arguments.without_first() if explicit else arguments
                found += [(value, above, given) for value, above in members]
        return found


def base_init_calls(frame: Frame) -> list[tuple[ast.Call, ast.stmt]]:
    """The calls ``super().__init__(...)`` and ``Base.__init__(self, ...)`` in a method, and their
    statements."""
    return frame.layout.calls_of("__init__") if isinstance(frame.scope, ast.FunctionDef) else []
