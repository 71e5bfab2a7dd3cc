"""What Lightning's trainer has of the program's objects: ``trainer.datamodule``, and the loaders that it has
asked for, ``self.trainer.train_dataloader``."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.knowledge.loading import LOADERS
from dlint.knowledge.trainers import (
    DATA_MODULE,
    GIVEN_LOADERS,
    HOOKED,
    LOADERS_OF_TRAINER,
    OF_TRAINER,
    SEVERAL,
)
from dlint.values.frame import Arguments, Point
from dlint.values.outcomes import Outcome, told_apart
from dlint.values.places import spelled
from dlint.values.values import Class, External, Instance, Made, Unknown, Value
from dlint.values.worlds import World

if TYPE_CHECKING:
    from dlint.calls.interface import Evaluator

_TRAINER = "trainer"
_LIGHTNING = "lightning"


def is_read_of_trainer(node: ast.Attribute) -> bool:
    """Whether an expression reads what Lightning's trainer has, by how it is written."""
    if node.attr not in OF_TRAINER:
        return False
    match node.value:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name == _TRAINER
    return False


def is_first_of_trainer(node: ast.Subscript, point: Point) -> bool:
    """Whether an expression reads the first of the loaders that a trainer has several of:
    ``trainer.val_dataloaders[0]``."""
    match node.slice:
        case ast.Constant(value=0):
            whole = spelled(node.value, point)
            return isinstance(whole, ast.Attribute) and whole.attr in SEVERAL and is_read_of_trainer(whole)
    return False


class OfTrainers:
    """Questions about what trainers have."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator
        self._hooked: list[Class] | None = None
        # By what a trainer has: what each call that may give it that does.
        self._starts: dict[str, list[tuple[ast.expr | None, Point]]] = {}

    def held(self, node: ast.Attribute, found: list[Outcome], point: Point, world: World) -> list[Outcome]:
        """What a trainer has under a name, where nothing else is known of it and the program has one class of
        which it may be."""
        said = _LIGHTNING in point.frame.module.text
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
        if len(methods) == 1:
            given = self._evaluator.calls.returns(methods[0], Arguments(), node, point, world)
        else:
            given = [] if methods else self._given(node.attr, world)
        return told_apart(given, ("of a trainer", id(node), point.key)) if given else found

    def is_loader(self, value: Value) -> bool:
        """Whether a value is a loader. It has no items: where Lightning keeps lists, before 2.0, it is the
        one of a list."""
        if isinstance(value, Instance):
            return not self._evaluator.classes.libraries(value.cls).isdisjoint(LOADERS)
        return isinstance(value, Made) and value.name in LOADERS

    def _given(self, attribute: str, world: World) -> list[Outcome]:
        """The loaders that the program's one call of a trainer that takes them gives it."""
        if attribute not in self._starts:
            self._starts[attribute] = []  # for whoever asks for it meanwhile
            self._starts[attribute] = list(self._find_starts(attribute))
        match self._starts[attribute]:
            case [(ast.expr() as argument, point)]:
                return self._evaluator.values(argument, point, world)
        return []

    def _find_starts(self, attribute: str) -> Iterator[tuple[ast.expr | None, Point]]:
        """What each call of a trainer gives it to have under a name."""
        start, position, names = GIVEN_LOADERS[attribute]
        evaluator, method = self._evaluator, start.rpartition(".")[2]
        modules, libraries = evaluator.modules, set(evaluator.modules.index.mentioning(_LIGHTNING))
        for module in modules.each(
            each
            for each in modules.index.mentioning(method)
            if each in libraries and not modules.index.is_test(each)
        ):
            for trail in module.paths_to(method):
                call = trail[-2] if len(trail) > 1 else None
                if not isinstance(call, ast.Call) or call.func is not trail[-1]:
                    continue
                point = evaluator.sites.point_of(module, trail)
                callees = evaluator.values(call.func, point)
                if any(isinstance(value, External) and value.name == start for value, _ in callees):
                    yield _argument(call, position, names), point

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


def _argument(call: ast.Call, position: int, names: tuple[str, ...]) -> ast.expr | None:
    """What a call gives by one of some keywords, or at a position."""
    by_name = next((keyword.value for keyword in call.keywords if keyword.arg in names), None)
    before = call.args[: position + 1]
    if (
        by_name is not None
        or len(before) <= position
        or any(isinstance(each, ast.Starred) for each in before)
    ):
        return by_name
    return before[position]
