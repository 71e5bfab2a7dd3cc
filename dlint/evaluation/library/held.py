"""What objects of libraries keep of what they were made of: namespaces, settings, paths, devices."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from dlint.evaluation.dicts.own_dicts import ABSENT
from dlint.evaluation.library.arguments import first, given_whole
from dlint.evaluation.library.changes import Changes
from dlint.knowledge.loading import NAMESPACES, OPEN_SETTINGS, kept_parameters
from dlint.knowledge.names import PATH
from dlint.knowledge.processes.devices import DEVICE, is_number_of_gpu
from dlint.knowledge.trainers import HPARAMS
from dlint.values.frame import Arguments
from dlint.values.outcomes import stores_told_apart
from dlint.values.values import Const, Made, Table, Unknown, Value
from dlint.values.worlds import World

if TYPE_CHECKING:
    from dlint.evaluation.interface import Evaluator
    from dlint.values.outcomes import Outcome


class Held:
    """Questions about what a library's objects hold under a name."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator
        self.changes = Changes(evaluator.modules)
        # What stands for the settings in settings, which no call makes.
        self._inside: dict[tuple[int, str], ast.Pass] = {}

    def under(self, made: Made, name: str, world: World) -> list[Outcome]:
        """What an object of a library keeps of what it was made of, under a name; empty where nothing is
        known of that."""
        if made.name in NAMESPACES or made.name == HPARAMS:
            return self._of_namespace(made, name, world)
        if made.name in OPEN_SETTINGS:
            return self._of_settings(made, name, world)
        if made.name == PATH and name == "parent":
            return [(Made(PATH, made.node, made.arguments, made.point, ("parent", made.key)), world)]
        if made.name == DEVICE and name == "type":
            return [(_type_of_device(value), w) for value, w in first(self._evaluator, made.arguments, world)]
        parameters = kept_parameters(made.name, name)
        if parameters is None or made.arguments.spread:
            return []
        place = parameters.index(name) if name in parameters else len(made.arguments.positional)
        if place < len(made.arguments.positional):
            return self._evaluator.value_of(made.arguments.positional[place], world)
        # What is written beside ``**options`` is not in them: it may not be given twice.
        given = Arguments(keywords=made.arguments.keywords, splats=made.arguments.splats)
        found, absent = self._under(given, name, world)
        return found if not absent and not all(isinstance(value, Unknown) for value, _ in found) else []

    def _of_namespace(self, made: Made, name: str, world: World) -> list[Outcome]:
        given = Arguments(keywords=made.arguments.keywords, splats=made.arguments.splats)
        found, absent = self._under(given, name, world)
        found = [*found, *((Unknown(("attribute", made.key, name)), w) for w in absent)]
        return self._with_stores(found, made, name, world)

    def _with_stores(self, found: list[Outcome], made: Made, name: str, world: World) -> list[Outcome]:
        """What an object was made with under a name, and what the program stores there; where it does that in
        other functions, or behind a test, nobody asks whether what was there before is still seen."""
        outside = self._evaluator.attributes.outside
        stored = outside.of_made(made, name, world)
        if stored and not outside.are_beside(made, name):
            found = [(Unknown(("attribute", made.key, name)), world)]
        if stored:
            found = list({value.key: (value, w) for value, w in [*found, *stored]}.values())
        return stores_told_apart(found, ("kept", made.key, name))

    def _of_settings(self, made: Made, name: str, world: World) -> list[Outcome]:
        """What settings are made with under a name, where no code changes them by names that it does not
        show; the program's other stores besides."""
        found = self.written(made, name, world)
        if not found or self.changes.may_be(made, name):
            return []
        return self._with_stores(found, made, name, world)

    def written(self, made: Made, name: str, world: World) -> list[Outcome]:
        """What settings are made with under a name: ``EasyDict({"workers": 0})``; empty where that is not
        known."""
        given = made.arguments
        if given.spread or made.name not in OPEN_SETTINGS:
            return []
        found, absent = self._under(given, name, world)
        if absent or not found:
            return []
        if any(isinstance(value, Unknown) for value, _ in found):
            return []
        return [(self._as_settings(value, made, name), w) for value, w in found]

    def copied(self, made: Made) -> Made | None:
        """The settings that others are a copy of."""
        given = made.arguments.positional
        value = given[0].value if len(given) == 1 else None
        return value if isinstance(value, Made) and value.name in OPEN_SETTINGS else None

    def _under(self, given: Arguments, name: str, world: World) -> tuple[list[Outcome], list[World]]:
        """What a call is given that makes a dict of it, under one name, and the worlds in which that is
        nothing."""
        if name in given.keywords:
            return self._evaluator.value_of(given.keywords[name], world), []
        found: list[Outcome] = []
        worlds = [world]
        for argument in reversed([*given.positional, *given.splats]):
            following: list[World] = []
            for start in worlds:
                for value, w in self._evaluator.entries.of_argument(argument, name, start):
                    if value is ABSENT:
                        following.append(w)
                    else:
                        found.append((value, w))
            worlds = following
        return found, worlds

    def _as_settings(self, value: Value, made: Made, name: str) -> Value:
        """A dict in settings, which is settings itself, as those in a copy are other ones."""
        if not isinstance(value, Table) and not (isinstance(value, Made) and value.name in OPEN_SETTINGS):
            return value
        node = self._inside.setdefault((id(made.node), name), ast.Pass())
        return Made(made.name, node, given_whole(value), made.point)


def _type_of_device(name: Value) -> Value:
    """What ``torch.device(name).type`` is: a number counts GPUs."""
    if isinstance(name, Const) and isinstance(name.value, str):
        return Const(name.value.partition(":")[0])
    if isinstance(name, Const) and is_number_of_gpu(name.value):
        return Const("cuda")
    return Unknown(("type of a device", name.key))
