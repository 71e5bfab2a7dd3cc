"""Worker code: what a worker process executes for a loader, followed call by call.

Starts at the entries (``__getitem__`` and its like, ``collate_fn``, ``worker_init_fn``), goes through the
statements that can run with the values at hand, enters every function of the program that is called, and
notes every call of a library.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from dlint.knowledge.callbacks import is_pipeline, runs_at_once, takes_transform
from dlint.knowledge.loading import (
    HAND_ON,
    INNER_PARTS,
    ITEM_PARTS,
    is_iterable_dataset,
    library_entries,
    makes_items,
)
from dlint.source.module import Module
from dlint.source.nodes import walk
from dlint.values.frame import Arguments, arguments_of
from dlint.values.outcomes import Outcome
from dlint.values.values import (
    External,
    Function,
    Instance,
    Items,
    Key,
    Made,
    Partial,
    Table,
    Value,
)
from dlint.values.worlds import HERE, World
from dlint.workers.events import Above, Event, Met, Visit, joined, linked, ways
from dlint.workers.item_objects import ItemObjects
from dlint.workers.parts.composed import made_of
from dlint.workers.parts.inner_datasets import inner_datasets
from dlint.workers.parts.of_dataset import WORKERS_DATASET, held_by
from dlint.workers.parts.pipelines import kept_functions, parts_of_pipeline
from dlint.workers.reach import Link
from dlint.workers.summaries.meeting import Asked, Entered, Meeting, Noted, Step, when_called
from dlint.workers.summaries.summaries import Summaries, Summary, renamed

if TYPE_CHECKING:
    from dlint.calls.evaluator import Evaluator

# A function that is come to in more ways than so many is looked at with nothing assumed.
_MOST_WORLDS = 6


class WorkerCode:
    """What the workers of a loader execute, as far as it could be followed."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator
        self._summaries = Summaries.of(evaluator)
        self.events: list[Event] = []
        self.visits: list[Visit] = []
        self.instances: dict[Key, Instance] = {}
        self._visits: dict[tuple[int, str], Visit] = {}
        self._visit_of: dict[int, Visit] = {}  # by the id of its link
        self._met: dict[int, list[Met | None]] = {}  # by the id of a visit, for the worlds of its summary
        self._summary_of: dict[int, Summary] = {}  # by the id of a visit
        self._waiting: dict[Visit, list[World]] = {}  # what is new of each, in the order they were come to
        self._role = "dataset"

    # Entries

    def add_dataset(self, value: Value, world: World) -> None:
        """Follows what workers call on a dataset, and on the datasets and transforms it is made of."""
        self._role = "dataset"
        self._data(value, world, set())
        self._run()
        done = 0
        while done < len(self.visits):
            done = self._inner_datasets(done)
            for step, worlds, visit in ItemObjects.of(self._evaluator).methods(self.visits):
                self._take(step, worlds, visit)
            self._run()

    def _inner_datasets(self, done: int) -> int:
        """Follows what workers call on the datasets in a list or dict that a dataset goes through. So many
        visits have been looked at before; gives how many have been now."""
        while done < len(self.visits):
            visit = self.visits[done]
            done += 1
            for held, w in inner_datasets(self._evaluator, visit, self.instances):
                self._instance_entries(held, w, set(), visit)
            self._run()
        return done

    def add_callable(
        self, value: Value, role: str, module: Module, line: int, worlds: Sequence[World] = (HERE,)
    ) -> None:
        """Follows a ``collate_fn`` or ``worker_init_fn``, in all the worlds in which it is given."""
        self._role = role
        link = Link(None, role, module, line)
        for world in worlds:
            self._called(value, world, link)
        self._run()

    def add_asked(self, datasets: Sequence[Outcome]) -> None:
        """Follows the methods of their dataset that workers call (``get_worker_info().dataset.renew(seed)``),
        where all ``datasets`` have them."""
        for event in [each for each in self.events if each.name.startswith(f"{WORKERS_DATASET}.")]:
            if not isinstance(event.node, ast.Call):
                continue
            self._role = event.role
            given, visit = arguments_of(event.node, event.point), self._visit_of[id(event.link)]
            called = [
                (function, both)
                for dataset, world in datasets
                for function, w in held_by(self._evaluator, event, dataset, world)
                if (both := event.world.joined(w)) is not None
            ]
            if called and all(isinstance(function, Function) for function, _ in called):
                self.events.remove(event)
                for function, world in called:
                    assert isinstance(function, Function)
                    self._take(Entered(function, given, event.node, event.point), [world], visit)
        self._run()

    def _data(self, value: Value, world: World, seen: set[Key]) -> None:
        if value.key in seen or len(seen) > 60:
            return
        seen.add(value.key)
        if isinstance(value, Instance):
            self._instance_entries(value, world, seen)
        elif isinstance(value, Made | External) and takes_transform(value.name):
            for part, w in kept_functions(self._evaluator, value, world):
                self._data(part, w, seen)
        elif isinstance(value, Made) and is_pipeline(value.name):
            for part, w in parts_of_pipeline(self._evaluator, value, world):
                self._data(part, w, seen)
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

    def _instance_entries(self, value: Instance, world: World, seen: set[Key], above: Above = None) -> None:
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
                self._enter(method, world, above)
        if not entered:
            for method, _ in when_called(self._evaluator, value):
                self._enter(method, world, above)
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

    def _called(self, value: Value, world: World, above: Above) -> None:
        """Follows the call of a value by a library, with arguments nobody knows."""
        meeting = Meeting(self._evaluator)
        meeting.called(value, Arguments(), None, None, world, plain=True)
        for step, worlds in meeting.steps:
            self._take(step, worlds, above)

    def _enter(self, function: Function, world: World, above: Above) -> None:
        self._take(Entered(function, Arguments(), None, None), [world], above)

    def _take(self, step: Step, worlds: list[World], above: Above) -> None:
        """Takes in a step beside those of the functions that are visited."""
        match step:
            case Entered():
                self._come(step, above, worlds)
            case Asked():
                for world in worlds:
                    self._data(step.value, world, set())

    def _run(self) -> None:
        while self._waiting:
            visit = next(iter(self._waiting))  # the nearest
            worlds = self._waiting.pop(visit)
            self._role = visit.role
            self._follow(visit, self._summary_of[id(visit)], worlds)

    def _follow(self, visit: Visit, summary: Summary, worlds: list[World]) -> None:
        """Takes in the steps of a function that is come to in some worlds."""
        known = self._met.setdefault(id(visit), [None] * len(summary.worlds))
        first = [met is None for met in known]  # nothing that stands there was come to before
        both: list[list[World] | None] = [None] * len(known)
        for which, inside in enumerate(summary.worlds):
            if _agree(worlds, inside):
                met = known[which]
                if met is None:
                    met = known[which] = Met(inside)
                met.come_to(worlds)
            else:
                both[which] = []
        for step, which in summary.steps:
            here = both[which]
            if here is not None and not here:
                continue
            if isinstance(step, Noted):
                met = known[which]
                if first[which] and met is not None:
                    self.events.append(
                        Event(step.name, step.owner, step.node, step.at, met, visit.link, visit.role)
                    )
                continue
            if isinstance(step, Entered) and self._is_known(step, visit):
                continue
            if here is None:
                here = both[which] = joined(worlds, summary.worlds[which])
            self._take(step, here, visit)

    def _is_known(self, call: Entered, above: Visit) -> bool:
        """Notes who calls a function that is come to already with nothing assumed: no way there is new."""
        summary, _ = self._summaries.find(call)
        visit = self._visits.get((id(summary), self._role))
        if visit is None or all(world.facts for world in visit.worlds):
            return False
        visit.callers.setdefault((above, call.node), call.at)
        return True

    def _come(self, call: Entered, above: Above, worlds: list[World]) -> None:
        """Comes to a function in some worlds; the first way there is the shortest."""
        summary, names = self._summaries.find(call)
        mark = (id(summary), self._role)
        visit = self._visits.get(mark)
        if visit is None:
            link = linked(call.function, call.at, call.node, above)
            visit = self._visits[mark] = Visit(call.function, summary.frame, HERE, link, self._role)
            self._summary_of[id(visit)] = summary
            self._visit_of[id(link)] = visit
            self.visits.append(visit)
        visit.callers.setdefault((above, call.node), call.at)
        news = _news(visit, [renamed(world, names) for world in worlds] if names else worlds)
        if news:
            for world in news:
                world.keep()
            visit.come_to(news)
            self._waiting.setdefault(visit, []).extend(news)

    def each_way(self, events: Iterable[Event]) -> Iterator[Event]:
        """Events once for each chain of calls that leads to them, the shortest first: what stands on the way
        to them may be one thing on one way and another on the next. Of many chains the first."""
        for event in events:
            for link in ways(self._visit_of[id(event.link)]):
                yield event if link is event.link else event.by(link)


def _news(visit: Visit, worlds: list[World]) -> list[World]:
    """Those worlds in which a function is come to that are not among the ones in which it was."""
    known = visit.worlds
    news = [world for world in worlds if not any(world.is_within(each) for each in known)]
    if len(known) + len(news) > _MOST_WORLDS:
        news = [HERE] if news else []
    return news


def _agree(worlds: list[World], inside: list[World]) -> bool:
    """Whether a step in a function can happen in some of the worlds in which it is come to."""
    return any(world.agrees(own) for world in worlds for own in inside)
