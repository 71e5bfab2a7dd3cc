"""What workers get of an object: what a spawned one is sent, and what only a forked one has."""

from __future__ import annotations

import ast
from collections.abc import Container, Iterator
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from dlint.fork.order import always_comes_to
from dlint.fork.put_in import put_while_made
from dlint.knowledge.callbacks import is_pipeline, takes_transform
from dlint.knowledge.loading import kept_parameters
from dlint.knowledge.processes.pickling import USED_UP, keeps_arguments
from dlint.objects.pickled_state import left_out
from dlint.source.statements import FunctionNode, dotted, statements_in
from dlint.values.frame import Argument, Arguments, Point
from dlint.values.values import External, Function, Instance, Items, Key, Made, Partial, Table, Value
from dlint.values.worlds import HERE, World
from dlint.workers.parts.pipelines import kept_functions, parts_of_pipeline

if TYPE_CHECKING:
    from dlint.calls.evaluator import Evaluator

_MOST = 200
_DEFAULTDICT, _FACTORY = "collections.defaultdict", "default_factory"
_STEPS = "transforms"  # the list that what is composed of others keeps


class Part(NamedTuple):
    """A value that workers get, where it is held (``Squares.transform``), and in which world.

    ``pickled`` is False where only forked workers have it: an object above it says itself what is pickled.
    ``into``: the attribute that holds it, and the key of the object; the place is that of all of its class.
    """

    value: Value
    place: str
    world: World
    pickled: bool = True
    into: tuple[Key, str] | None = None


def shipped(evaluator: Evaluator, value: Value, place: str, world: World) -> Iterator[Part]:
    """A value and everything that goes with it, each once: what pickling it takes along, then the rest."""
    seen: set[Key] = set()
    waiting = [Part(value, place, world)]
    closed: list[Part] = []  # what objects leave out of what is pickled
    while (waiting or closed) and len(seen) < _MOST:
        part = (waiting or closed).pop(0)
        if part.value.key in seen:
            continue
        seen.add(part.value.key)
        yield part
        for held in _held(evaluator, part):
            (waiting if held.pickled == part.pickled else closed).append(held)


def _held(evaluator: Evaluator, part: Part) -> Iterator[Part]:
    """What a part holds; of an object also what pickling leaves out."""
    held = partial(Part, pickled=part.pickled, into=part.into)
    match part.value:
        case Items(items=items):
            for item in items:
                yield held(item, part.place, part.world)
        case Table(items=table):
            for item in table.values():
                yield held(item, part.place, part.world)
        case Partial(callee=callee, arguments=arguments):
            yield held(callee, part.place, part.world)
            for argument in arguments.all():
                for value, w in evaluator.value_of(argument, part.world):
                    yield held(value, part.place, w)
        case Function(receiver=Instance() as receiver):
            yield held(receiver, part.place, part.world)
        case (Made() | External()) as dataset if takes_transform(dataset.name):
            for value, w in kept_functions(evaluator, dataset, part.world, surely=True):
                yield held(value, "the function that the dataset keeps", w)
        case Made() as made if is_pipeline(made.name):
            for value, w in parts_of_pipeline(evaluator, made, part.world):
                yield held(value, f"an argument of {made.name.rpartition('.')[2]}", w)
        case Made() as made if keeps_arguments(made.name):
            place = f"an argument of {made.name.rpartition('.')[2]}"
            for argument in () if _has_other_factory(made) else _kept(made.arguments):
                for value, w in evaluator.value_of(argument, part.world):
                    yield held(value, place, w)
            if kept_parameters(made.name, _STEPS) is not None:
                for value, w in evaluator.attributes.later.of_library(made, _STEPS, part.world):
                    yield held(value, place, w)
        case Instance() as instance:
            out = left_out(evaluator, instance.cls)
            for name, value, w in attributes(evaluator, instance, part.world):
                sent = part.pickled and out is not None and name not in out
                yield Part(value, f"{instance.cls.name}.{name}", w, sent, (instance.key, name))
            for value, w in _given(evaluator, instance, part.world):
                sent = part.pickled and out is not None
                yield Part(value, f"an argument of {instance.cls.name}", w, sent)


def _given(evaluator: Evaluator, instance: Instance, world: World) -> Iterator[tuple[Value, World]]:
    """What an object hands on to the constructor of a library that keeps it."""
    for library, arguments in evaluator.initialisers.of_libraries(instance):
        if keeps_arguments(library):
            for argument in _kept(arguments):
                yield from evaluator.value_of(argument, world)


def _kept(arguments: Arguments) -> list[Argument]:
    used_up = [arguments.keywords[name] for name in USED_UP if name in arguments.keywords]
    return [argument for argument in arguments.all() if not any(argument is used for used in used_up)]


def _has_other_factory(made: Made) -> bool:
    """Whether the function that makes a ``defaultdict`` always puts something in the place of its factory
    once the dict is filled: ``groups.default_factory = None``."""
    frame = made.point.frame
    if made.name != _DEFAULTDICT or _FACTORY not in frame.module.text:
        return False
    if not isinstance(frame.scope, FunctionNode):
        return False
    under: list[tuple[str | None, ast.Assign]] = [
        (dotted(target), statement)
        for statement in statements_in(frame.scope.body)
        if isinstance(statement, ast.Assign)
        for target in statement.targets
    ]
    names = [name for name, statement in under if statement.value is made.node]
    return any(
        name is not None
        and [each for each, _ in under].count(name) == 1
        and any(
            each == f"{name}.{_FACTORY}" and always_comes_to(Point(frame, statement))
            for each, statement in under
        )
        for name in names
    )


def attributes(
    evaluator: Evaluator, instance: Instance, world: World, only: Container[str] | None = None
) -> Iterator[tuple[str, Value, World]]:
    """What an object's attributes (``only`` those of these names) hold once its initialisers are done."""
    kept = evaluator.kept.setdefault(_Attributes, _Attributes())
    assert isinstance(kept, _Attributes)
    for name, value, w in kept.of(evaluator, instance):
        both = world.joined(w) if only is None or name in only else None
        if both is not None:
            yield name, value, both


class _Attributes:
    """What the attributes of objects hold, found once with nothing assumed: many loaders, and several rules,
    ask about one object."""

    def __init__(self) -> None:
        self._known: dict[Key, list[tuple[str, Value, World]]] = {}

    def of(self, evaluator: Evaluator, instance: Instance) -> list[tuple[str, Value, World]]:
        known = self._known.get(instance.key)
        if known is None:
            if not evaluator.depth:
                evaluator.start()  # else what has been asked before decides what is found here
            known = list(_attributes(evaluator, instance))
            if not evaluator.exhausted:
                self._known[instance.key] = known
        return known


def _attributes(evaluator: Evaluator, instance: Instance) -> Iterator[tuple[str, Value, World]]:
    for name, path, point, world in evaluator.construction.stores(instance, HERE):
        assert point.statement is not None
        stored = evaluator.names.defined(point.statement, path, point.frame, world)
        for value, w in evaluator.attributes.later.joined_to(stored, instance, name, world):
            yield name, value, w
        if any(isinstance(value, Table) for value, _ in stored):
            for value, w in evaluator.attributes.later.of(instance, name, world, keyed=True):
                yield name, value, w
    yield from put_while_made(evaluator, instance, HERE)
