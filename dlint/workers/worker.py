"""Worker code: what a worker process executes for a loader, followed call by call.

Starts at the entries (``__getitem__`` and its like, ``collate_fn``, ``worker_init_fn``), goes through the
statements that can run with the values at hand, enters every function of the program that is called, and
notes every call of a library.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TYPE_CHECKING

from dlint.calls.leads import is_data_method, is_own
from dlint.evaluation.flow import few
from dlint.knowledge.callbacks import called_parts, is_builder, runs_at_once, takes_callbacks
from dlint.knowledge.loading import (
    HAND_ON,
    INNER_PARTS,
    ITEM_PARTS,
    is_dataset,
    is_iterable_dataset,
    library_entries,
    makes_items,
)
from dlint.source.module import Module
from dlint.source.nodes import walk
from dlint.values.frame import Argument, Arguments, Frame, Point, arguments_of
from dlint.values.functions import display_name
from dlint.values.values import (
    Class,
    External,
    Function,
    Instance,
    Items,
    Key,
    Made,
    Partial,
    Table,
    Unknown,
    Value,
)
from dlint.values.worlds import HERE, World
from dlint.workers.composed import made_of
from dlint.workers.events import Event, Visit
from dlint.workers.inner_datasets import inner_datasets
from dlint.workers.reach import Link
from dlint.workers.walk import Walk

if TYPE_CHECKING:
    from dlint.calls.evaluator import Evaluator

_CONTEXTS = 4  # of one function, before its further calls are taken as seen
_MOST_FUNCTIONS = 600
_CALLED_BY_TORCH = ("__call__", "forward")


class WorkerCode:
    """What the workers of a loader execute, as far as it could be followed."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator
        self._walk = Walk(evaluator, self)
        self.events: list[Event] = []
        self.visits: list[Visit] = []
        self.instances: dict[Key, Instance] = {}
        self._seen: dict[tuple[int, Key], dict[tuple[int, Key], list[World]]] = {}
        self._waiting: list[tuple[Function, Frame, list[World], Link, str]] = []
        self._noted: dict[tuple[int, Key, str, Key], Event] = {}
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
            self._called(value, Arguments(), None, None, world, link, plain=True)
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
            self._called(value, Arguments(), None, None, world, None, plain=True)

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
                self._enter(method, Arguments(), None, None, world, link)
        if not entered:
            for method, _ in self._when_called(value):
                self._enter(method, Arguments(), None, None, world, link)
        names = ITEM_PARTS if any(makes_items(name) for name in libraries) else ()
        names += INNER_PARTS if any(name in HAND_ON for name in libraries) else ()
        if names and not self._overridden(value):
            self._library_parts(value, names, world, seen)

    def _when_called(self, value: Instance) -> list[tuple[Function, bool]]:
        """The methods that run when an object is called: its own, which get what the call gives (True), or
        those that a library's ``__call__`` asks for."""
        classes = self._evaluator.classes
        own = [method for name in _CALLED_BY_TORCH for method in classes.methods(value, name)]
        if own:
            return [(method, True) for method in own]
        names = {name for library in classes.libraries(value.cls) for name in called_parts(library)}
        return [(method, False) for name in sorted(names) for method in classes.methods(value, name)]

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

    # What the walk meets

    def met_call(self, node: ast.Call, at: Point, world: World, link: Link) -> None:
        """Follows a call."""
        if isinstance(node.func, ast.Attribute) and is_data_method(node.func, at.frame):
            return
        arguments = arguments_of(node, at)
        seen: set[Key] = set()
        for callee, w in self._evaluator.values(node.func, at, world):
            if callee.key not in seen:
                seen.add(callee.key)
                self._called(callee, arguments, node, at, w, link)
            if isinstance(callee, Unknown) or (isinstance(callee, Made) and is_builder(callee.name)):
                if isinstance(callee, Unknown) and _is_foreign_method(node.func, at):
                    continue
                for each in self._evaluator.registries.callables(at.frame, callee):
                    if self._evaluator.registries.takes(each, arguments):
                        self._called(each, arguments, node, at, w, link)

    def met_subscript(self, node: ast.Subscript, at: Point, world: World, link: Link) -> None:
        """Follows ``value[...]`` where an object of the program or of a library is asked for an item."""
        if not isinstance(node.ctx, ast.Load) or self._is_item(node.value, at):
            return
        for value, w in self._evaluator.values(node.value, at, world):
            if isinstance(value, Instance):
                index = Arguments([Argument(node.slice, at)])
                for method in self._evaluator.classes.methods(value, "__getitem__"):
                    self._enter(method, index, node, at, w, link)
            elif isinstance(value, Made) and is_dataset(value.name):
                self._data(value, w, set())

    def _is_item(self, node: ast.expr, at: Point) -> bool:
        """Whether an expression is a variable of the function itself: items on their way, not a dataset."""
        return isinstance(node, ast.Name) and (
            node.id in at.locals or self._evaluator.leads.is_item(node.id, at.frame)
        )

    def met_iteration(self, node: ast.expr, at: Point, world: World, link: Link) -> None:
        """Follows going through an object of the program."""
        if not isinstance(node, ast.Name | ast.Attribute) or self._is_item(node, at):
            return
        for value, w in self._evaluator.values(node, at, world):
            if isinstance(value, Instance):
                for method in self._evaluator.classes.methods(value, "__iter__"):
                    self._enter(method, Arguments(), node, at, w, link)

    def met_context(self, node: ast.expr, at: Point, world: World, link: Link) -> None:
        """Follows entering and leaving an object of the program with ``with``."""
        for value, w in self._evaluator.values(node, at, world):
            if isinstance(value, Instance):
                for name in ("__enter__", "__exit__"):
                    for method in self._evaluator.classes.methods(value, name):
                        self._enter(method, Arguments(), node, at, w, link)

    def met_attribute(self, node: ast.Attribute, at: Point, world: World, link: Link) -> None:
        """Follows reading a property of the receiver."""
        receiver = at.frame.receiver
        if not (isinstance(node.value, ast.Name) and isinstance(receiver, Instance)):
            return
        for value, owner in self._evaluator.classes.properties(receiver.cls).get(node.attr, ()):
            getter = Function(value.node, value.frame, receiver, owner)
            self._enter(getter, Arguments(), node, at, world, link)

    # Entering functions

    def _run(self) -> None:
        while self._waiting:
            function, frame, worlds, link, role = self._waiting.pop(0)
            self._evaluator.start()
            self._role = role
            self.visits.append(Visit(function, frame, worlds[0].shared(worlds[1:]), link, role))
            node = function.node
            if isinstance(node, ast.Lambda):
                self._walk.expression(node.body, Point(frame, None), few(worlds), link)
            else:
                self._walk.block(node.body, frame, few(worlds), link)

    def _enter(
        self,
        function: Function,
        arguments: Arguments | None,
        node: ast.AST | None,
        point: Point | None,
        world: World,
        link: Link | None,
    ) -> None:
        mark = (id(function.node), function.receiver.key if function.receiver is not None else None)
        given = arguments.key if node is None and arguments is not None else None
        site = (id(node), point.frame.key if point is not None else given)
        contexts = self._seen.setdefault(mark, {})
        if site in contexts:
            if not any(known is world for known in contexts[site]):
                contexts[site].append(world)  # one more way to come there
            return
        if len(contexts) >= _CONTEXTS or len(self._seen) > _MOST_FUNCTIONS:
            return
        worlds = contexts[site] = [world]
        frame = self._evaluator.calls.enter(function, arguments, node, point)
        line = getattr(function.node, "lineno", 1)
        inner = Link(link, display_name(function), function.module, line, point, node)
        self._waiting.append((function, frame, worlds, inner, self._role))

    def _called(
        self,
        callee: Value,
        arguments: Arguments | None,
        node: ast.AST | None,
        at: Point | None,
        world: World,
        link: Link | None,
        *,
        plain: bool = False,
    ) -> None:
        """Follows the call of a value; ``plain``: a library calls it, with arguments nobody knows."""
        given = None if plain else arguments
        match callee:
            case Function():
                self._enter(callee, given if given is not None else Arguments(), node, at, world, link)
            case Partial():
                if isinstance(callee.callee, External) and node is not None and at is not None:
                    self._called(callee.callee, arguments, node, at, world, link)
                else:
                    both = (arguments or Arguments()).after(callee.arguments)
                    self._called(callee.callee, both, node, at, world, link)
            case Class():
                if node is not None and at is not None:
                    made = Instance(callee, arguments, node, at.key)
                    for value, owner in self._evaluator.classes.member(callee, "__init__"):
                        if isinstance(value, Function):
                            bound = Function(value.node, value.frame, made, owner)
                            self._enter(bound, arguments, node, at, world, link)
            case Instance():
                for method, own in self._when_called(callee):
                    self._enter(method, given if own else None, node, at, world, link)
            case Made():
                if node is not None and at is not None and link is not None:
                    self._note(f"{callee.name}().__call__", callee, node, at, world, link)
                self._parts(callee, world, link, set())
            case External():
                if node is not None and at is not None and link is not None:
                    self._note(callee.name, callee.owner, node, at, world, link)
                    self._callbacks(callee, arguments or Arguments(), at, world, link)
                    if callee.name == "builtins.iter" and isinstance(node, ast.Call) and len(node.args) == 1:
                        self.met_iteration(node.args[0], at, world, link)

    def _note(
        self, name: str, owner: Made | None, node: ast.AST, at: Point, world: World, link: Link
    ) -> None:
        mark = (id(node), at.key, name, owner.key if owner is not None else None)
        known = self._noted.get(mark)
        if known is not None:
            known.world = known.world.shared([world])
            return
        event = self._noted[mark] = Event(name, owner, node, at, world, link, self._role)
        self.events.append(event)

    def _parts(self, made: Made, world: World, link: Link | None, seen: set[Key]) -> None:
        """A library's object is called: it calls the callables it was made of (``Compose([...])``)."""
        if made.key in seen or len(seen) > 40:
            return
        seen.add(made.key)
        for value, w in made_of(self._evaluator, made, world):
            for part in value.items if isinstance(value, Items) else (value,):
                if isinstance(part, Made):
                    self._parts(part, w, link, seen)
                elif isinstance(part, Function | Partial | Instance):
                    self._called(part, None, None, None, w, link, plain=True)

    def _callbacks(self, callee: External, arguments: Arguments, at: Point, world: World, link: Link) -> None:
        """Functions handed to a library's call that will call them (``map``, ``submit``, ``Thread``)."""
        if callee.owner is not None and callee.name.endswith("().__call__"):
            self._parts(callee.owner, world, link, set())
        if not takes_callbacks(callee.name):
            return
        for argument in arguments.all():
            if isinstance(argument.expression, ast.Lambda | ast.Name | ast.Attribute | ast.Call):
                for value, w in self._evaluator.value_of(argument, world):
                    if isinstance(value, Function | Partial):
                        self._called(value, None, argument.expression, at, w, link, plain=True)


def _is_foreign_method(function: ast.expr, at: Point) -> bool:
    """Whether what is called is a method of an object that nobody knows (``self.client.get``): none of the
    program's objects that are themselves called."""
    return isinstance(function, ast.Attribute) and not (
        isinstance(function.value, ast.Name)
        and at.frame.receiver is not None
        and is_own(function.value.id, at.frame)
    )
