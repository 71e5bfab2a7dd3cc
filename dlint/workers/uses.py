"""Worker uses: a dataset, the loader whose workers read it, and the code they execute for it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING

from dlint.evaluation.questions import begun
from dlint.knowledge.loading import HAND_ON, is_dataset
from dlint.knowledge.trainers import HOOKED
from dlint.knowledge.words.reflection import MAKES_ANYTHING
from dlint.loaders.loaders import Loader, is_zero
from dlint.regex import regex
from dlint.source.module import TYPE_PARAMETERS, Module
from dlint.values.values import Class, Const, Instance, Items, Key, Made, Unknown, Value
from dlint.values.worlds import HERE, World
from dlint.workers.shape import assumed_of, shape_of
from dlint.workers.worker import WorkerCode

if TYPE_CHECKING:
    from dlint.calls.evaluator import Evaluator

_CLASS = regex(rf"^[ \t]*class[ \t]+(\w+){TYPE_PARAMETERS}\(([^)]{{0,2000}})", re.MULTILINE)


class WorkerUse:
    """One dataset under one loader with workers.

    ``loader`` is None for a dataset class that no loader of the program is seen to get: whoever imports
    it may load it. ``dataset`` is None for the loader's own functions (``collate_fn``,
    ``worker_init_fn``); ``beside`` is the code of those that runs in the same workers.
    """

    def __init__(
        self,
        evaluator: Evaluator,
        loader: Loader | None,
        dataset: Value | None,
        world: World,
        code: WorkerCode,
        beside: WorkerCode | None = None,
    ) -> None:
        self._evaluator = evaluator
        self.loader = loader
        self.dataset = dataset
        self.world = world
        self.code = code
        self.beside = beside

    @property
    def file(self) -> str | None:
        """The file of the loader, or of the dataset's class where no loader is seen to get it."""
        if self.loader is not None:
            return self.loader.module.relative
        return self.dataset.cls.module.relative if isinstance(self.dataset, Instance) else None

    @cached_property
    def worker_functions(self) -> frozenset[int]:
        """The functions, by id of their node, that workers execute."""
        codes = [self.code] if self.beside is None else [self.code, self.beside]
        return frozenset(id(visit.function.node) for code in codes for visit in code.visits)

    @cached_property
    def makers(self) -> frozenset[int]:
        """The functions, by id of their node, that make the dataset, in the main process."""
        return frozenset(
            id(frame.scope)
            for instance in self.code.instances.values()
            for _, frame in self._evaluator.initialisers.of(instance)
        )

    @cached_property
    def modules(self) -> tuple[Module, ...]:
        """The modules that hold the dataset's classes and the loader."""
        found = {
            instance.cls.module.relative: instance.cls.module for instance in self.code.instances.values()
        }
        if self.loader is not None:
            found[self.loader.module.relative] = self.loader.module
        return tuple(found[name] for name in sorted(found))


class UseFinder:
    """Finds the worker uses of loaders, and the datasets that no loader is seen to get."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator
        self._codes: dict[tuple[Key, int], WorkerCode] = {}
        self._first_like: dict[Key, tuple[Value, World]] = {}
        # By the key of a value and the id of its world, which is kept beside it.
        self._likes: dict[tuple[Key, int], tuple[World, tuple[Value, World]]] = {}

    def of_loader(self, loader: Loader) -> Iterator[WorkerUse]:
        """The worker uses of a loader: its own functions first, then each dataset it may get."""
        if loader.inherited or not loader.may_have_workers:
            return
        own = WorkerCode(self._evaluator)
        for name in ("collate_fn", "worker_init_fn"):
            written = loader.written(name)
            line = written.lineno if written is not None else loader.call.lineno
            given: dict[Key, tuple[Value, list[World]]] = {}
            for way, world in loader.ways("num_workers", name):
                value = way[name]
                if value is not None and not is_zero(way["num_workers"]):
                    given.setdefault(value.key, (value, []))[1].append(world)
            for value, worlds in given.values():
                own.add_callable(value, name, loader.module, line, worlds)
        datasets = self.datasets(loader)
        own.add_asked(datasets)
        yield WorkerUse(self._evaluator, loader, None, HERE, own)
        for value, world in datasets:
            yield WorkerUse(self._evaluator, loader, value, world, self.code_of(value, world), own)

    def datasets(self, loader: Loader) -> list[tuple[Value, World]]:
        """The datasets that a loader may get together with workers."""
        found: dict[tuple[Key, int], tuple[Value, World]] = {}
        for way, world in loader.ways("num_workers", "dataset"):
            value = way["dataset"]
            if value is not None and not is_zero(way["num_workers"]) and not self._is_no_dataset(value):
                like, as_seen = self.like(value, world)
                # One object may be of several shapes: what it was given depends on who called.
                found.setdefault((like.key, id(as_seen)), (like, as_seen))
        return list(found.values())

    def _is_no_dataset(self, value: Value) -> bool:
        """Whether an object can surely not be read by a loader: a model that the same configuration names."""
        if not isinstance(value, Instance):
            return False
        classes = self._evaluator.classes
        reads = any(classes.member(value.cls, name) for name in ("__getitem__", "__iter__", "__getitems__"))
        libraries = classes.libraries(value.cls)
        return (
            not reads
            and bool(libraries)
            and all(name in HOOKED or name.startswith("torch.nn.") for name in libraries)
        )

    def like(self, value: Value, world: World) -> tuple[Value, World]:
        """The first value met that is of the same shape, and its world: what is known of it is known of
        all, and need be found out only once."""
        known = self._likes.get((value.key, id(world)))
        if known is None:
            self._evaluator.start()
            shape = shape_of(self._evaluator, value, world)
            assumed = assumed_of(self._evaluator, value, world)
            first = self._first_like.setdefault((shape, assumed), (value, world))
            known = world, first
            self._likes[value.key, id(world)] = known
        return known[1]

    def code_of(self, value: Value, world: World) -> WorkerCode:
        """What workers execute for a dataset."""
        like, as_seen = self.like(value, world)
        mark = (like.key, id(as_seen))
        code = self._codes.get(mark)
        if code is None:
            self._evaluator.start()
            with begun(self._codes, mark, WorkerCode(self._evaluator)) as code:
                code.add_dataset(like, as_seen)
        return code

    def resolved(self, loader: Loader) -> tuple[list[Class], bool]:
        """The dataset classes that a loader is seen to get, workers or not, and whether that is all it can
        get."""
        classes: list[Class] = []
        sure = True
        waiting = [value for value in loader.values("dataset") if value is not None]
        seen: set[Key] = set()
        while waiting and len(seen) < 200:
            value = waiting.pop()
            if value.key in seen:
                continue
            seen.add(value.key)
            if isinstance(value, Instance):
                classes += self._evaluator.classes.line(value.cls)
                waiting += self._held_datasets(value)
            elif isinstance(value, Made):
                parts = [
                    part
                    for argument in value.arguments.all()
                    for part, _ in self._evaluator.value_of(argument, HERE)
                ]
                # What a library's dataset is made of, as tensors and files, is no dataset of the program.
                plain = is_dataset(value.name) and value.name not in HAND_ON
                waiting += [part for part in parts if not plain or isinstance(part, Instance)]
                sure = sure and value.name not in MAKES_ANYTHING
            elif isinstance(value, Items):
                waiting += value.items
            elif not isinstance(value, Const):
                sure = sure and not isinstance(value, Unknown)
        return classes, sure

    def _held_datasets(self, value: Instance) -> list[Value]:
        """The datasets that a dataset was given (a wrapper's)."""
        if value.arguments is None:
            return []
        return [
            part
            for argument in value.arguments.all()
            for part, _ in self._evaluator.value_of(argument, HERE)
            if isinstance(part, Instance | Made | Items)
        ]

    def dataset_classes(self, module: Module) -> Iterator[Class]:
        """The classes of a module that are derived from a library's dataset and say how to read items."""
        for match in _CLASS.finditer(module.text):
            if not match[2].strip():
                continue
            for trail in module.paths_to(match[1]):
                node = trail[-1]
                if not isinstance(node, ast.ClassDef):
                    continue
                self._evaluator.start()
                cls = Class(node, self._evaluator.sites.frame_of(module, trail))
                classes = self._evaluator.classes
                if not any(is_dataset(name) for name in classes.libraries(cls)):
                    continue
                if any(classes.member(cls, name) for name in ("__getitem__", "__iter__")):
                    yield cls

    def assumed(self, cls: Class) -> WorkerUse:
        """The use of a dataset class that some loader elsewhere may get."""
        value = Instance(cls, None, None)
        return WorkerUse(self._evaluator, None, value, HERE, self.code_of(value, HERE))

    def as_made(self, loader: Loader, use: WorkerUse) -> list[WorkerUse]:
        """The uses of a dataset by a loader that may get it and whose dataset's class nobody knows: what the
        loader's dataset is given, this one is given then."""
        if not isinstance(use.dataset, Instance):
            return [use]
        found: list[WorkerUse] = []
        for way, world in loader.ways("num_workers", "dataset"):
            value = way["dataset"]
            if is_zero(way["num_workers"]):
                continue
            if not isinstance(value, Unknown) or value.call is None:
                return [use]
            arguments, node, at = value.call
            made = Instance(use.dataset.cls, arguments, node, at)
            code = self.code_of(made, world)
            found.append(WorkerUse(self._evaluator, loader, made, world, code, use.beside))
        return found
