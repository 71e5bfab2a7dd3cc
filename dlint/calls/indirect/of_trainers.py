"""What Lightning's trainer has of the program's objects: ``trainer.datamodule``, and the loaders that it has
asked for, ``self.trainer.train_dataloader``."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from dlint.knowledge.trainers import DATA_MODULE, HOOKED, LOADERS_OF_TRAINER, OF_TRAINER
from dlint.values.frame import Arguments, Point
from dlint.values.outcomes import Outcome, told_apart
from dlint.values.values import Class, External, Instance, Unknown
from dlint.values.worlds import World

if TYPE_CHECKING:
    from dlint.calls.interface import Evaluator

_TRAINER = "trainer"


def is_read_of_trainer(node: ast.Attribute) -> bool:
    """Whether an expression reads what Lightning's trainer has, by how it is written."""
    if node.attr not in OF_TRAINER:
        return False
    match node.value:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name == _TRAINER
    return False


class OfTrainers:
    """Questions about what trainers have."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator
        self._hooked: list[Class] | None = None

    def held(self, node: ast.Attribute, found: list[Outcome], point: Point, world: World) -> list[Outcome]:
        """What a trainer has under a name, where nothing else is known of it and the program has one class of
        which it may be."""
        said = "lightning" in point.frame.module.text
        if not said or not all(isinstance(value, Unknown | External) for value, _ in found):
            return found
        classes = self._evaluator.classes
        own = [
            cls
            for cls in self._all()
            if node.attr in LOADERS_OF_TRAINER or DATA_MODULE in classes.libraries(cls)
        ]
        if node.attr not in LOADERS_OF_TRAINER:
            return [(Instance(own[0], None, None), world)] if len(own) == 1 else found
        methods = [
            method
            for cls in own
            for method in classes.methods(Instance(cls, None, None), LOADERS_OF_TRAINER[node.attr])
        ]
        if len(methods) != 1:
            return found
        given = self._evaluator.calls.returns(methods[0], Arguments(), node, point, world)
        return told_apart(given, ("of a trainer", id(node), point.key))

    def _all(self) -> list[Class]:
        """The program's classes for Lightning, those that others are derived from left aside."""
        if self._hooked is None:
            self._hooked = []  # for whoever asks for it meanwhile
            found: dict[int, Class] = {}
            for name in sorted(HOOKED):
                found.update(self._derived(name.rpartition(".")[2]))
            classes = self._evaluator.classes
            for cls in list(found.values()):
                found.update((id(below.node), below) for below in classes.subclasses(cls))
            self._hooked = [each for each in found.values() if not classes.subclasses(each, 1)]
        return self._hooked

    def _derived(self, word: str) -> dict[int, Class]:
        """The classes of files that are no tests directly below a library's, by their nodes."""
        modules, found = self._evaluator.modules, dict[int, Class]()
        for module in modules.each(
            each for each in modules.index.naming(word) if not modules.index.is_test(each)
        ):
            for trail in module.paths_to(word):
                node = next((each for each in reversed(trail) if isinstance(each, ast.ClassDef)), None)
                if node is not None and any(trail[-1] is base for base in node.bases):
                    around = trail[: trail.index(node) + 1]
                    found[id(node)] = Class(node, self._evaluator.sites.frame_of(module, around))
        return found
