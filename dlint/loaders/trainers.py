"""Trainers of libraries: the loaders that they make, ``Trainer(args=TrainingArguments(...),
train_dataset=...)``, and those for which they ask objects of the program, ``trainer.fit(model,
datamodule=data)``."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from dlint.evaluation.dicts.own_dicts import ABSENT
from dlint.evaluation.options.option import ASKED, may_be
from dlint.knowledge.commands import PARSED_INTO
from dlint.knowledge.loading import GOES_THROUGH, LIGHTNING_CLI
from dlint.knowledge.trainers import (
    COLLATES,
    DATA_MODULE,
    DEFAULT_COLLATES,
    FIELDS,
    GIVEN_DATA,
    HOOKED,
    LOADS,
    PROCESSORS,
    SETTINGS,
)
from dlint.loaders.loaders import Loader
from dlint.source.nodes import walk
from dlint.source.statements import dotted, given_in
from dlint.values.frame import Arguments, Point
from dlint.values.outcomes import Outcome, told_apart
from dlint.values.values import (
    Class,
    Const,
    External,
    Instance,
    Items,
    Key,
    Made,
    Table,
    Unknown,
    Value,
    is_none,
)
from dlint.values.worlds import HERE, OPTION, World

if TYPE_CHECKING:
    from dlint.calls.evaluator import Evaluator

# The trainer's own words for arguments of its loaders.
_WORDS = {"dataset": "train_dataset", "collate_fn": COLLATES}
_Given = list[tuple[Value | None, World]]


class TrainerLoader(Loader):
    """The loaders of one trainer, as one loader that may get each of its datasets."""

    def word_for(self, name: str) -> str:
        own = name if name in self.kind.signature else f"no {name}"
        return "args" if name in FIELDS else _WORDS.get(name, own)

    def written(self, name: str) -> ast.expr | None:
        return super().written(self.word_for(name))

    def keyword(self, name: str) -> ast.keyword | None:
        return super().keyword(self.word_for(name))

    def may_get(self, name: str) -> bool:
        return super().may_get(self.word_for(name))

    @property
    def default_collate(self) -> str | None:
        """What makes the batches where nobody says what does; None where that may be made of a tokenizer that
        the trainer is given."""
        given = self.arguments
        more = len(given.positional) > len(self.kind.signature) or given.spread or given.splats
        if more or any(name in given.keywords for name in PROCESSORS):
            return None
        return DEFAULT_COLLATES.get(self.kind.name)

    @property
    def collates_itself(self) -> bool:
        """Whether the class of a trainer says what makes its batches, whatever it is given."""
        return self.cls is not None and any(
            isinstance(node, ast.Attribute) and node.attr == COLLATES and isinstance(node.ctx, ast.Store)
            for cls in self._evaluator.classes.line(self.cls)
            for node in walk(cls.node)
        )

    def _argument(self, name: str, world: World) -> _Given:
        if name in FIELDS:
            stored, worlds = self._stored(name, world)
            given: _Given = [*stored]
            for start in worlds:
                for value, w in super()._argument("args", start):
                    given += self._field(value, name, w)
            return given
        if name == "collate_fn":
            return [(None if is_none(value) else value, w) for value, w in super()._argument(COLLATES, world)]
        return self._datasets(world) if name == "dataset" else [(None, world)]

    def _stored(self, name: str, world: World) -> tuple[list[Outcome], list[World]]:
        """What the function that makes the trainer has stored in its settings before, and the worlds in which
        it has not: ``args.dataloader_num_workers = 8``."""
        settings = self.written(name)
        path = f"{dotted(settings)}.{FIELDS[name][0]}" if settings is not None else ""
        if path not in self.point.frame.layout.binds:
            return [], [world]
        found: list[Outcome] = []
        worlds: list[World] = []
        for statement, w in self._evaluator.flow.definitions(path, self.point, world):
            if statement is None:
                worlds.append(w)
            else:
                found += self._evaluator.names.defined(statement, path, self.point.frame, w)
        return found, worlds

    def _datasets(self, world: World) -> _Given:
        """Each dataset that a loader of the trainer's own making gets."""
        found: list[Outcome] = []
        classes = self._evaluator.classes
        for word, makes in LOADS.items():
            if self.cls is not None and classes.member(self.cls, makes):
                continue
            for value, w in super()._argument(word, world):
                if isinstance(value, Table):
                    found += [(each, w) for each in value.items.values()]
                elif value is not None and not is_none(value):
                    found.append((value, w))
        return list(told_apart(found, ("dataset of a trainer", id(self.call)))) or [(None, world)]

    def _field(self, args: Value | None, name: str, world: World) -> list[Outcome]:
        """What the trainer's settings say of an argument of its loaders."""
        field, default = FIELDS[name]
        found: list[Outcome] = []
        if args is None or is_none(args):
            return [(Const(default), world)]
        if isinstance(args, Made) and args.name in SETTINGS:
            found = self._given(args, field, default, world)
        elif isinstance(args, Instance) and self._evaluator.classes.libraries(args.cls) & SETTINGS:
            found = self._of_own(args, field, default, world)
        elif isinstance(args, Made) and args.name == PARSED_INTO:
            found = self._evaluator.attribute(args, field, self.call, self.point, world)
        else:
            return self._asked(field, default, world)
        if isinstance(args, Made) and self._evaluator.modules.index.stored_elsewhere(field):
            found = [*found, *self._evaluator.attributes.outside.of_made(args, field, world)]
        return told_apart(found, ("setting of a trainer", args.key, field))

    def _given(self, args: Made | Instance, field: str, default: object, world: World) -> list[Outcome]:
        """What an object of settings was made with, or the default."""
        arguments = args.arguments
        if arguments is None:
            return self._asked(field, default, world)
        if field in arguments.keywords:
            return self._evaluator.value_of(arguments.keywords[field], world)
        found: list[Outcome] = []
        worlds = [world]
        for argument in arguments.splats:
            following: list[World] = []
            for start in worlds:
                for value, w in self._evaluator.entries.of_argument(argument, field, start):
                    if value is ABSENT:
                        following.append(w)
                    elif isinstance(value, Unknown):
                        found += self._asked(field, default, w)  # nobody says that it is among them
                    else:
                        found.append((value, w))
            worlds = following
        return found + [(Const(default), w) for w in worlds]

    def _of_own(self, args: Instance, field: str, default: object, world: World) -> list[Outcome]:
        """The same of a class of the program, which may have another default."""
        found = self._evaluator.attribute(args, field, self.call, self.point, world)
        if args.arguments is not None and field in args.arguments.keywords:
            found = self._evaluator.value_of(args.arguments.keywords[field], world)
        elif any(isinstance(value, Unknown) for value, _ in found):
            found = self._given(args, field, default, world)
        return found

    def _asked(self, field: str, default: object, world: World) -> list[Outcome]:
        """The default, or what the user asks for instead."""
        otherwise = External(f"{ASKED}().{field}")
        asked = may_be(ast.Constant(default), otherwise, (OPTION, id(self.call), field), world)  # type: ignore[arg-type]
        return asked or [(otherwise, world)]


def asked_of(evaluator: Evaluator, call: ast.Call, point: Point) -> list[Value]:
    """What Lightning asks the objects that a call gives it for: what their ``train_dataloader`` gives and
    the like, of the datamodule alone where there is one."""
    found: list[Value] = []
    for callee, _ in evaluator.values(call.func, point):
        methods = _asked_by(evaluator, callee, call)
        if not methods:
            continue  # what most calls are given is asked for in vain
        given = _given(evaluator, call, point)
        datas = [each for each in given if DATA_MODULE in evaluator.classes.libraries(each.cls)]
        for each in datas or ([] if _may_get_data(evaluator, call, point) else given):
            for name in methods:
                for method in evaluator.classes.methods(each, name):
                    results = evaluator.calls.returns(method, Arguments(), call, point, HERE)
                    found += [value for value, _ in results]
    return [part for value in found for part in _parts(value)]


def _asked_by(evaluator: Evaluator, callee: Value, call: ast.Call) -> tuple[str, ...]:
    """The methods by which what is called asks for loaders."""
    if any(keyword.arg in ("run", None) for keyword in call.keywords):
        return ()  # a LightningCLI that may be told only to make its objects
    if isinstance(callee, External) and callee.name in GOES_THROUGH:
        return GOES_THROUGH[callee.name]
    if isinstance(callee, Class) and LIGHTNING_CLI in evaluator.classes.libraries(callee):
        return GOES_THROUGH[LIGHTNING_CLI]
    return ()


def _given(evaluator: Evaluator, call: ast.Call, point: Point) -> list[Instance]:
    """The objects for Lightning that a call is given, or one of each class of them that it is given."""
    found: dict[Key, Instance] = {}
    for given in given_in(call):
        for value, _ in evaluator.values(given, point):
            made = Instance(value, None, None) if isinstance(value, Class) else value
            if isinstance(made, Instance) and HOOKED & evaluator.classes.libraries(made.cls):
                found[made.key] = made
    return list(found.values())


def _may_get_data(evaluator: Evaluator, call: ast.Call, point: Point) -> bool:
    """Whether a call is given more than a model: loaders, or a datamodule of which nobody knows the class."""
    others = [*call.args[1:], *(keyword.value for keyword in call.keywords if keyword.arg in GIVEN_DATA)]
    return any(not is_none(value) for other in others for value, _ in evaluator.values(other, point))


def _parts(value: Value) -> tuple[Value, ...]:
    """A loader, or each of several in a list or a dict."""
    if isinstance(value, Items):
        return value.items
    return tuple(value.items.values()) if isinstance(value, Table) else (value,)
