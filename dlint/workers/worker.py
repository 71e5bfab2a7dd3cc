"""Worker code: what a worker process executes for a loader, followed call by call.

Starts at the entries (``__getitem__`` and its like, ``collate_fn``, ``worker_init_fn``), goes through the
statements that can run with the values at hand, enters every function of the program that is called, and
notes every call of a library.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from dlint.evaluation.flow import few
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
from dlint.values.frame import Arguments
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
from dlint.workers.events import Above, Event, Visit, linked, ways
from dlint.workers.item_objects import ItemObjects
from dlint.workers.parts.composed import made_of
from dlint.workers.parts.inner_datasets import inner_datasets
from dlint.workers.parts.pipelines import kept_functions, parts_of_pipeline
from dlint.workers.reach import Link
from dlint.workers.summaries.meeting import Asked, Entered, Meeting, Noted, Step, when_called
from dlint.workers.summaries.summaries import Summaries, Summary

if TYPE_CHECKING:
    from dlint.calls.evaluator import Evaluator

# A function that is come to in more ways than so many is looked at with nothing assumed.
_MOST_WORLDS = 6


class _Followed:
    """A visit, and how far its function has been followed."""

    __slots__ = ("noted", "summary", "visit", "worlds")

    def __init__(self, visit: Visit, summary: Summary) -> None:
        self.visit = visit
        self.summary = summary
        self.worlds: list[World] = []  # in which it was come to
        self.noted: list[Event | None] = [None] * len(summary.steps)  # by the summary's steps


class WorkerCode:
    """What the workers of a loader execute, as far as it could be followed."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator
        self._summaries = Summaries.of(evaluator)
        self.events: list[Event] = []
        self.visits: list[Visit] = []
        self.instances: dict[Key, Instance] = {}
        self._followed: dict[tuple[int, str], _Followed] = {}  # by the ids of summaries, and roles
        self._waiting: dict[
            _Followed, list[World]
        ] = {}  # what is new of each, in the order they were come to
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
        """Takes in a step of the function that is visited."""
        match step:
            case Entered():
                summary, worlds = self._summaries.find(step, worlds)
                followed = self._come(summary, step, above)
                news = self._news(followed, worlds)
                if news:
                    self._waiting.setdefault(followed, []).extend(news)
            case Asked():
                for world in worlds:
                    self._data(step.value, world, set())

    def _run(self) -> None:
        while self._waiting:
            followed = next(iter(self._waiting))  # the nearest
            worlds = self._waiting.pop(followed)
            self._role = followed.visit.role
            # Many steps stand in the same worlds.
            joined: dict[tuple[int, ...], list[World]] = {}
            shared: dict[tuple[int, ...], World] = {}
            for number, (step, inside) in enumerate(followed.summary.steps):
                mark = tuple(map(id, inside))
                both = joined.get(mark)
                if both is None:
                    both = joined[mark] = _joined(worlds, inside)
                known = followed.noted[number]
                if both and known is not None:
                    known.world = known.world.shared(both, ways=False)
                    known.world.keep()
                elif both and isinstance(step, Noted):
                    world = shared.get(mark)
                    if world is None:
                        world = shared[mark] = both[0].shared(both[1:], ways=False)
                        world.keep()
                    self._note(number, step, world, followed)
                elif both:
                    self._take(step, both, followed.visit)

    def _come(self, summary: Summary, call: Entered, above: Above) -> _Followed:
        """The visit of a function that is come to; the first way there is the shortest."""
        mark = (id(summary), self._role)
        followed = self._followed.get(mark)
        if followed is None:
            link = linked(call.function, call.at, call.node, above)
            visit = Visit(call.function, summary.frame, HERE, link, self._role)
            followed = self._followed[mark] = _Followed(visit, summary)
            self.visits.append(visit)
        followed.visit.callers.setdefault((above, call.node), call.at)
        return followed

    def _news(self, followed: _Followed, worlds: list[World]) -> list[World]:
        """Those worlds in which a function is come to that are not among the ones in which it was."""
        known = followed.worlds
        news = [world for world in worlds if not any(world.is_within(each) for each in known)]
        if len(known) + len(news) > _MOST_WORLDS:
            news = [HERE] if news else []
        if news:
            for world in news:
                world.keep()
            known += news
            followed.visit.world = known[0].shared(known[1:], ways=False)
            followed.visit.world.keep()
        return news

    def _note(self, number: int, step: Noted, world: World, followed: _Followed) -> None:
        visit = followed.visit
        event = Event(step.name, step.owner, step.node, step.at, world, visit.link, self._role, visit)
        followed.noted[number] = event
        self.events.append(event)

    def each_way(self, events: Iterable[Event]) -> Iterator[Event]:
        """Events once for each chain of calls that leads to them, the shortest first: what stands on the way
        to them may be one thing on one way and another on the next. Of many chains the first."""
        for event in events:
            for link in ways(event.visit) if event.visit is not None else ():
                yield event if link is event.link else event.by(link)


def _joined(worlds: list[World], inside: list[World]) -> list[World]:
    """The worlds of a function's callers together with those of a step in it."""
    both = [each for world in worlds for own in inside if (each := world.joined(own)) is not None]
    return few(both, ways=False)  # which of many ways it was is asked of arguments alone
