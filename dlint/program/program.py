"""A program, as the rules ask about it."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

from dlint.budget.accounts import Shared, by_file
from dlint.calls.evaluator import Evaluator
from dlint.fork.boundaries import Boundaries
from dlint.fork.protection import Protections
from dlint.fork.shipped import Part, shipped
from dlint.fork.start_method import start_method_of
from dlint.knowledge.loading import is_iterable_dataset
from dlint.knowledge.trainers import BUILDER_LIBRARY, BUILDERS, TRAINER_LIBRARIES, TRAINERS
from dlint.knowledge.words.reflection import BY_NAME
from dlint.loaders.builders import BuiltLoader
from dlint.loaders.finder import LoaderFinder
from dlint.loaders.loaders import Loader
from dlint.loaders.trainers import TrainerLoader
from dlint.program.taken import is_made, is_only_made, is_taken
from dlint.project.blocks import Block, Facts, Place
from dlint.project.index.index import Index
from dlint.project.main_guards import is_guarded
from dlint.project.modules import Modules
from dlint.project.releases.releases import Releases
from dlint.source.closures import forget as forget_scopes
from dlint.values.frame import forget_layouts
from dlint.values.places import tests_around
from dlint.values.values import (
    Class,
    External,
    Function,
    Instance,
    Key,
    Partial,
    Unknown,
    Value,
    forget_numbers,
)
from dlint.values.worlds import HERE, World, forget_choices
from dlint.workers.uses import UseFinder, WorkerUse
from dlint.workers.worker import WorkerCode

Progress = Callable[[int, int], None]
# Datasets that a loader may get by a name, each of which is looked at with what the loader's own is given.
_MOST_OTHERS = 24


class Program:
    """The files of an index, seen as one program; everything is found when a rule asks for it.

    ``releases`` are the torch and the Python that it runs on. ``start_method`` is how it is said to start
    its workers, None when nobody says. ``block`` are the files whose loaders and datasets this program is
    about, None for all.
    """

    def __init__(
        self,
        index: Index,
        *,
        releases: Releases | None = None,
        start_method: str | None = None,
        block: Block | None = None,
        progress: Progress | None = None,
    ) -> None:
        forget()
        self.root = index.root
        self.releases = releases or Releases(index)
        self.start_method = start_method
        self.modules = Modules(index)
        self.evaluator = Evaluator(self.modules)
        self.boundaries = Boundaries(self.evaluator)
        self._finder = LoaderFinder(self.evaluator)
        self._trainer_finders = (
            (TRAINER_LIBRARIES, LoaderFinder(self.evaluator, TRAINERS, TrainerLoader)),
            ((BUILDER_LIBRARY,), LoaderFinder(self.evaluator, BUILDERS, BuiltLoader)),
        )
        self._uses = UseFinder(self.evaluator)
        self._block = block
        self._loaders_by_file: dict[str, tuple[Loader, ...]] = {}
        self._loaders_by_call: dict[int, Loader] = {}
        self._looked_through = 0
        self._progress = progress
        # What those who ask the program keep of their answers, for as long as it lives.
        self.answers: dict[Key, Any] = {}

    @cached_property
    def loaders(self) -> Sequence[Loader]:
        """Every loader of this block, by file and line."""
        mine = [relative for relative in self._finder.files() if self.mine(relative)]
        found = [loader for relative in by_file(mine, str) for loader in self._loaders_of(relative)]
        return Shared(found, lambda loader: loader.module.relative)

    @cached_property
    def trainers(self) -> Sequence[Loader]:
        """The trainers of this block that make their loaders themselves, and calls by which libraries build
        some, by library, file and line. What they make has uses as any loader; its arguments are theirs."""
        found: list[Loader] = []
        for libraries, finder in self._trainer_finders:
            if any(self.modules.index.mentioning(library) for library in libraries):
                mine = [relative for relative in finder.files() if self.mine(relative)]
                for module in self.modules.each(mine):
                    found += finder.of_module(module)
        return Shared(found, lambda loader: loader.module.relative)

    def mine(self, relative: str) -> bool:
        """Whether a file belongs to this block."""
        return self._block is None or relative in self._block

    def given(self, name: str, function: ast.AST) -> list[Loader]:
        """The loaders, in whatever block, whose argument ``name`` is seen to be a function of the program, or
        a partial of it. Asked of the files that mention the function by its name."""
        files = set(self._finder.files()) & set(self.modules.index.naming(getattr(function, "name", "")))
        return [
            loader
            for relative in sorted(files)
            for loader in self._loaders_of(relative)
            if loader.may_get(name) and any(_callee(value) is function for value in loader.values(name))
        ]

    def any_loader(self, asked: Callable[[Loader], bool]) -> bool:
        """Whether some loader of the program is as asked: of this block, or of another."""
        others = (relative for relative in self._finder.files() if not self.mine(relative))
        return any(map(asked, self.loaders)) or any(
            asked(loader) for relative in others for loader in self._loaders_of(relative)
        )

    def made_by(self, call: ast.AST) -> Loader | None:
        """The loader that a call makes, in whatever block; None where it makes none."""
        while self._looked_through < self.modules.count:  # looking may parse others
            self._looked_through = self.modules.count
            for relative in self._finder.files():
                if relative not in self._loaders_by_file and self.modules.has(relative):
                    self._loaders_of(relative)
        return self._loaders_by_call.get(id(call))

    def _loaders_of(self, relative: str) -> tuple[Loader, ...]:
        found = self._loaders_by_file.get(relative)
        if found is None:
            module = self.modules.get(relative)
            found = tuple(self._finder.of_module(module)) if module is not None else ()
            self._loaders_by_file[relative] = found
            self._loaders_by_call.update((id(loader.call), loader) for loader in found)
        return found

    @cached_property
    def uses(self) -> Sequence[WorkerUse]:
        """The worker uses of this block: by loader, then datasets without a known loader."""
        found: list[WorkerUse] = []
        for done, loader in enumerate(self.loaders):
            found += self._uses.of_loader(loader)
            if self._progress is not None:
                self._progress(done + 1, len(self.loaders))
        for trainer in self.trainers:
            found += self._uses.of_loader(trainer)
        found += [self._uses.assumed(cls) for cls in self.unloaded_datasets]
        return Shared(found, lambda use: use.file)

    def like(self, dataset: Value, world: World) -> tuple[Value, World]:
        """The first dataset met that is of the same shape, and its world, to be asked about instead."""
        return self._uses.like(dataset, world)

    def code_of(self, dataset: Value) -> WorkerCode:
        """What reading the items of a dataset executes, whoever reads them."""
        return self._uses.code_of(dataset, HERE)

    def uses_of(self, loader: Loader) -> list[WorkerUse]:
        """The worker uses of one loader."""
        return self._by_loader.get(id(loader), [])

    def known_uses(self, loader: Loader) -> list[WorkerUse]:
        """The worker uses of one loader with their datasets; none where it may get something else than
        objects of the program's classes."""
        known = all(isinstance(value, Instance) for value in loader.values("dataset"))
        return [use for use in self.uses_of(loader) if use.dataset is not None] if known else []

    def possible_uses(self, loader: Loader) -> list[WorkerUse]:
        """The worker uses of one loader, and where nobody can tell its dataset (it is found by a name from
        the settings) those of every dataset that no loader is seen to get, or that some choose by a name."""
        uses = self.uses_of(loader)
        if uses and not loader.inherited and self._uses.resolved(loader) == ([], False):
            others = [use for use in self._for_others if self._may_get(loader, use)]
            others.sort(key=lambda use: self.modules.index.is_test(use.file or ""))
            made = [given for use in others[:_MOST_OTHERS] for given in self._uses.as_made(loader, use)]
            uses = [*uses, *made, *others[_MOST_OTHERS:]]
        return uses

    @cached_property
    def _for_others(self) -> list[WorkerUse]:
        """The uses of datasets that loaders may get of which nothing is known."""
        chosen = [cls for cls in self.dataset_classes if cls.place in self.facts.chosen]
        return [*(use for use in self.uses if use.loader is None), *map(self._uses.assumed, chosen)]

    def _may_get(self, loader: Loader, use: WorkerUse) -> bool:
        """Whether a dataset found by a name may be this one: one of a script that nobody imports is not."""
        streams = self._asks_for_streams(loader)
        if streams is not None and streams != self.is_stream(use):
            return False
        if any(self.modules.index.mentioning(word) for word in BY_NAME):
            return True
        return any(
            module is loader.module or any(self.boundaries.importers(module.relative))
            for module in use.modules
        )

    def _asks_for_streams(self, loader: Loader) -> bool | None:
        """Whether a test around a loader lets only streams come to it (True), or all but streams (False)."""
        written = loader.written("dataset")
        for test, wanted, _ in tests_around(loader.point):
            match test:
                case ast.Call(func=ast.Name(id="isinstance"), args=[asked, kind]) if written is not None:
                    kinds = [value for value, _ in self.evaluator.values(kind, loader.point)]
                    if ast.unparse(asked) == ast.unparse(written) and all(
                        isinstance(value, External) and is_iterable_dataset(value.name) for value in kinds
                    ):
                        return wanted
        return None

    def is_stream(self, use: WorkerUse) -> bool:
        """Whether the dataset of a use is an IterableDataset of the program."""
        return isinstance(use.dataset, Instance) and any(
            is_iterable_dataset(name) for name in self.evaluator.classes.libraries(use.dataset.cls)
        )

    @cached_property
    def _by_loader(self) -> dict[int, list[WorkerUse]]:
        found: dict[int, list[WorkerUse]] = {}
        for use in self.uses:
            if use.loader is not None:
                found.setdefault(id(use.loader), []).append(use)
        return found

    def shipped(self, use: WorkerUse) -> tuple[Part, ...]:
        """What goes to the workers of a use with its dataset, the same for every loader that gets it; or with
        the ``collate_fn``, where the use is that of the loader's own functions."""
        mark = (use.dataset.key if use.dataset is not None else id(use.code), id(use.world))
        if mark not in self._shipped:
            self.evaluator.start()
            if use.dataset is not None:
                found = [*shipped(self.evaluator, use.dataset, "the dataset", use.world)]
            else:
                found = self._with_collate_fn(use.loader) if use.loader is not None else []
            self._shipped[mark] = tuple(found)
        return self._shipped[mark]

    def _with_collate_fn(self, loader: Loader) -> list[Part]:
        """What goes to workers with the function that collates in them."""
        name = "collate_fn"
        return [
            part
            for value, world in loader.given_to_workers(name)
            for part in shipped(self.evaluator, value, loader.word_for(name), world)
        ]

    @cached_property
    def _shipped(self) -> dict[tuple[Key, int], tuple[Part, ...]]:
        return {}

    @cached_property
    def dataset_classes(self) -> Sequence[Class]:
        """The dataset classes of this block, by file and line: also those of files that name no library's
        dataset, and none but one of the program's to derive theirs from."""
        index = self.modules.index
        found: dict[str, list[Class]] = {}
        waiting = [
            relative
            for relative in index.mentioning("Dataset")
            if b"__getitem__" in index.data(relative) or b"__iter__" in index.data(relative)
        ]
        for relative in by_file(waiting, str):  # grows meanwhile
            module = self.modules.get(relative) if relative not in found and self.mine(relative) else None
            if module is not None:
                found[relative] = list(self._uses.dataset_classes(module))
                for name in sorted({cls.name for cls in found[relative]}):
                    waiting += index.deriving(name)
        every = [cls for relative in index.paths if relative in found for cls in found[relative]]
        return Shared(every, _file)

    @cached_property
    def facts(self) -> Facts:
        """What is known of the loaders and dataset classes of this block, and of all where it was told so."""
        loaded: set[Place] = set()
        idle: set[Place] = set()
        chosen: set[Place] = set()
        sure = True
        for loader in (*self.loaders, *self.trainers):
            busy = loader.may_have_workers
            if not busy and self.modules.index.is_test(loader.module.relative):
                continue  # what a test leaves out, others may ask for
            classes, known = self._uses.resolved(loader)
            (loaded if busy else idle).update(cls.place for cls in classes)
            if any(isinstance(value, Unknown) for value in loader.values("dataset")):
                chosen.update(cls.place for cls in classes)
            sure = sure and known
        bases = {
            above.place
            for cls in self.dataset_classes
            if not self.modules.index.is_test(cls.module.relative)
            for above in self.evaluator.classes.line(cls)[1:]
        }
        found = (frozenset(each) for each in (loaded, bases, idle, chosen))
        return Facts(bool(self.loaders or self.trainers), sure, *found)

    def learn(self, facts: Facts) -> None:
        """Takes in what all blocks together know, before a rule asks."""
        self.facts = facts

    @cached_property
    def unloaded_datasets(self) -> Sequence[Class]:
        """Dataset classes that no loader with workers of the program is seen to get, though some could.

        Libraries and third-party trainers load what they are given: that this program has a loader for
        another class says nothing, nor that others are derived from one which somebody takes for itself. A
        class whose objects the program itself makes is left aside where all that its loaders get is known,
        and one that loaders without workers get also where whoever names the class makes its objects.
        """
        facts, index = self.facts, self.modules.index
        found = [
            cls
            for cls in self.dataset_classes
            if cls.place not in facts.loaded
            and (cls.place not in facts.bases or is_taken(self.evaluator, cls))
        ]
        return Shared(
            [
                cls
                for cls in found
                if not (facts.has_loaders and facts.sure and is_made(index, cls))
                and not (cls.place in facts.idle and (_is_local(cls) or is_only_made(index, cls)))
            ],
            _file,
        )

    def protections(
        self, name: str, *values: object, unknown: bool = False, always: bool = False
    ) -> Protections:
        """The calls ``name(value)`` of the program, as protections; ``unknown``: with unknown values too,
        ``always``: those on a condition left aside."""
        mark = (name, values, unknown, always)
        if mark not in self._protections:
            self._protections[mark] = Protections(
                self.evaluator, self.boundaries, name, values, unknown=unknown, always=always
            )
        return self._protections[mark]

    def start_method_of(self, use: WorkerUse) -> str | None:
        """How the workers of a use are started, None where that may be any: by the loader's own context,
        the option, or what the project sets."""
        mark = id(use.loader) if use.loader is not None else use.modules
        if mark not in self._start_methods:
            self._start_methods[mark] = start_method_of(self, use)
        return self._start_methods[mark]

    @cached_property
    def _start_methods(self) -> dict[object, str | None]:
        return {}

    @cached_property
    def _protections(self) -> dict[tuple[str, tuple[object, ...], bool, bool], Protections]:
        return {}

    def let_go(self) -> None:
        """Ends the program, and frees its trees and values."""
        # What asks hangs together in circles. Broken here, they need not be searched for among many nodes.
        self.evaluator.let_go()
        vars(self).clear()
        forget()


def forget() -> None:
    """Lets go of what is kept beside a program: the layouts of its trees, the keys of its values."""
    forget_numbers()
    forget_choices()
    forget_layouts()
    forget_scopes()


def _file(cls: Class) -> str:
    return cls.module.relative


def _callee(value: Value | None) -> ast.AST | None:
    """The function that a value is, or a partial is of."""
    while isinstance(value, Partial):
        value = value.callee
    return value.node if isinstance(value, Function) else None


def _is_local(cls: Class) -> bool:
    """Whether nobody but its own script, or function, has a class."""
    return cls.frame.outer is not None or is_guarded(cls.frame, cls.node)
