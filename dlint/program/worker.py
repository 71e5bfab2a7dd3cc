"""Worker code: what a worker process executes for a loader, followed call by call.

Starts at the entries (``__getitem__`` and its like, ``collate_fn``, ``worker_init_fn``), goes through the
statements that can run with the values at hand, enters every function of the program that is called, and
notes every call of a library.
"""

from __future__ import annotations

import ast
from collections import deque
from collections.abc import Sequence
from typing import TYPE_CHECKING

from dlint.knowledge.callbacks import runs_at_once
from dlint.knowledge.loading import (
    HAND_ON,
    INNER_PARTS,
    ITEM_PARTS,
    is_iterable_dataset,
    library_entries,
    makes_items,
)
from dlint.module.nodes import walk
from dlint.module.source import Module
from dlint.program.composed import made_of
from dlint.program.events import Event, Visit, display_name
from dlint.program.flow import few
from dlint.program.frame import Arguments
from dlint.program.inner_datasets import inner_datasets
from dlint.program.meeting import Asked, Entered, Meeting, Noted, Step, when_called
from dlint.program.reach import Link
from dlint.program.summaries import Summaries, Summary
from dlint.program.values import (
    HERE,
    Function,
    Instance,
    Items,
    Key,
    Made,
    Partial,
    Table,
    Value,
    World,
)

if TYPE_CHECKING:
    from dlint.program.evaluate import Evaluator

# A function that is come to in more ways than so many is looked at with nothing assumed.
_MOST_WORLDS = 6
# Of the chains of calls that lead to one function, so many are told apart.
_MOST_CHAINS = 4


class WorkerCode:
    """What the workers of a loader execute, as far as it could be followed."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator
        self._summaries = Summaries.of(evaluator)
        self.events: list[Event] = []
        self.visits: list[Visit] = []
        self.instances: dict[Key, Instance] = {}
        self._visits: dict[tuple[int, str], dict[tuple[int, int], Visit]] = {}
        self._worlds: dict[int, list[World]] = {}  # in which each visit was made
        self._waiting: deque[tuple[Entered, list[World], Link | None, str]] = deque()
        self._noted: dict[tuple[int, Key, str, Key, int], Event] = {}
        self._role = "dataset"

    # Entries

    def add_dataset(self, value: Value, world: World) -> None:
        """Follows what workers call on a dataset, and on the datasets and transforms it is made of."""
        self._role = "dataset"
        self._data(value, world, set())
        self._run()
        # What they call on the datasets in a list or dict that a dataset goes through.
        done = 0
        while done < len(self.visits):
            visit = self.visits[done]
            done += 1
            for held, w in inner_datasets(self._evaluator, visit, self.instances):
                self._instance_entries(held, w, set(), visit.link)
            self._run()

    def add_callable(
        self, value: Value, role: str, module: Module, line: int, worlds: Sequence[World] = (HERE,)
    ) -> None:
        """Follows a ``collate_fn`` or ``worker_init_fn``, in all the worlds in which it is given."""
        self._role = role
        link = Link(None, role, module, line)
        for world in worlds:
            self._called(value, world, link)
        self._run()

    def _data(self, value: Value, world: World, seen: set[Key]) -> None:
        if value.key in seen or len(seen) > 60:
            return
        seen.add(value.key)
        if isinstance(value, Instance):
            self._instance_entries(value, world, seen)
        elif isinstance(value, Made):
            if not runs_at_once(value.name):
                for part, w in made_of(self._evaluator, value, world):
                    self._data(part, w, seen)
        elif isinstance(value, Items):
            for item in value.items:
                self._data(item, world, seen)
        elif isinstance(value, Table):
            for item in value.items.values():
                self._data(item, world, seen)
        elif isinstance(value, Function | Partial):
            self._called(value, world, None)

    def _instance_entries(
        self, value: Instance, world: World, seen: set[Key], link: Link | None = None
    ) -> None:
        self.instances[value.key] = value
        classes = self._evaluator.classes
        libraries = classes.libraries(value.cls)
        names: tuple[str, ...] = ("__getitem__", "__getitems__")
        if any(is_iterable_dataset(name) for name in libraries):
            names = ("__iter__", "__next__")
        names += tuple(sorted({entry for library in libraries for entry in library_entries(library)}))
        entered = False
        for name in names:
            for method in classes.methods(value, name):
                entered = True
                self._enter(method, world, link)
        if not entered:
            for method, _ in when_called(self._evaluator, value):
                self._enter(method, world, link)
        names = ITEM_PARTS if any(makes_items(name) for name in libraries) else ()
        names += INNER_PARTS if any(name in HAND_ON for name in libraries) else ()
        if names and not self._overridden(value):
            self._library_parts(value, names, world, seen)

    def _overridden(self, value: Instance) -> bool:
        """Whether a class reads its items itself, without the library's way (``super().__getitem__``)."""
        methods = self._evaluator.classes.methods(value, "__getitem__")
        return bool(methods) and not any(
            isinstance(node, ast.Attribute) and node.attr in ("__getitem__", "__getitems__")
            for method in methods
            for node in walk(method.node)
        )

    def _library_parts(self, value: Instance, names: tuple[str, ...], world: World, seen: set[Key]) -> None:
        """The items of torchvision's datasets and the like, which call the transforms they were given, and
        of a ``Subset``, which are those of another dataset."""
        for name in names:
            for part, w in self._evaluator.attributes.held(value, name, world):
                self._data(part, w, seen)

    # Following what is called

    def _called(self, value: Value, world: World, link: Link | None) -> None:
        """Follows the call of a value by a library, with arguments nobody knows."""
        meeting = Meeting(self._evaluator)
        meeting.called(value, Arguments(), None, None, world, plain=True)
        for step, worlds in meeting.steps:
            self._take(step, worlds, link)

    def _enter(self, function: Function, world: World, link: Link | None) -> None:
        self._take(Entered(function, Arguments(), None, None), [world], link)

    def _take(self, step: Step, worlds: list[World], link: Link | None) -> None:
        """Takes in a step of the function at the end of ``link``; None: of no function."""
        match step:
            case Entered():
                self._waiting.append((step, worlds, link, self._role))
            case Noted() if link is not None:
                self._note(step, worlds, link)
            case Asked():
                for world in worlds:
                    self._data(step.value, world, set())

    def _run(self) -> None:
        while self._waiting:
            call, worlds, link, self._role = self._waiting.popleft()
            self._evaluator.start()
            summary, worlds = self._summaries.find(call, worlds)
            visit, worlds = self._come(summary, call, link, worlds)
            if not worlds:
                continue
            for step, inside in summary.steps:
                joined = [both for world in worlds for own in inside if (both := world.joined(own))]
                if joined:
                    self._take(step, few(joined), visit.link)

    def _come(
        self, summary: Summary, call: Entered, link: Link | None, worlds: list[World]
    ) -> tuple[Visit, list[World]]:
        """The visit of a function that is come to, and what is new in the worlds in which it is.

        Of the chains of calls that lead to it the first, which are the shortest, are visits of their own.
        """
        visits = self._visits.setdefault((id(summary), self._role), {})
        chain = (id(call.node), id(link))
        visit = visits.get(chain)
        if visit is not None:
            known = self._worlds[id(visit)]
        elif len(visits) < _MOST_CHAINS:
            function = summary.function
            line = getattr(function.node, "lineno", 1)
            inner = Link(link, display_name(function), function.module, line, call.at, call.node)
            visit = visits[chain] = Visit(function, summary.frame, HERE, inner, self._role)
            known = self._worlds[id(visit)] = []
            self.visits.append(visit)
        else:
            visit = next(iter(visits.values()))
            known = self._worlds[id(visit)]
            others = [world for each in visits.values() for world in self._worlds[id(each)]]
            worlds = [world for world in worlds if not any(world.is_within(each) for each in others)]
        news = [world for world in worlds if not any(world.is_within(each) for each in known)]
        if len(known) + len(news) > _MOST_WORLDS:
            news = [HERE] if news else []
        known += news
        visit.world = known[0].shared(known[1:])
        return visit, news

    def _note(self, step: Noted, worlds: list[World], link: Link) -> None:
        owner = step.owner.key if step.owner is not None else None
        mark = (id(step.node), step.at.key, step.name, owner, id(link))
        known = self._noted.get(mark)
        if known is not None:
            known.world = known.world.shared(worlds)
            return
        world = worlds[0].shared(worlds[1:])
        event = self._noted[mark] = Event(step.name, step.owner, step.node, step.at, world, link, self._role)
        self.events.append(event)
