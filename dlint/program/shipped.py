"""What a spawned worker is sent: an object and all that is pickled with it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dlint.knowledge.pickling import STATE_METHODS, keeps_arguments
from dlint.module.layout import parameters
from dlint.program.frame import Point
from dlint.program.values import (
    Class,
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

_MOST = 200


@dataclass(frozen=True)
class Part:
    """A value that is pickled, where it is held (``Squares.transform``), and in which world."""

    value: Value
    place: str
    world: World


def shipped(
    evaluator: Evaluator, value: Value, place: str, world: World, *, inherited: bool = False
) -> Iterator[Part]:
    """A value and everything that pickling it takes along, each once.

    An object whose class says itself what of it is pickled ends the search there; ``inherited`` goes on,
    for a forked worker has all of it.
    """
    seen: set[Key] = set()
    waiting = [Part(value, place, world)]
    while waiting and len(seen) < _MOST:
        part = waiting.pop(0)
        if part.value.key in seen:
            continue
        seen.add(part.value.key)
        yield part
        waiting += _held(evaluator, part, inherited)


def _held(evaluator: Evaluator, part: Part, inherited: bool) -> Iterator[Part]:
    match part.value:
        case Items(items=items):
            for item in items:
                yield Part(item, part.place, part.world)
        case Table(items=table):
            for item in table.values():
                yield Part(item, part.place, part.world)
        case Partial() as partial:
            yield Part(partial.callee, part.place, part.world)
            for argument in partial.arguments.all():
                for value, w in evaluator.value_of(argument, part.world):
                    yield Part(value, part.place, w)
        case Function(receiver=Instance() as receiver):
            yield Part(receiver, part.place, part.world)
        case Made() as made if keeps_arguments(made.name):
            place = f"an argument of {made.name.rpartition('.')[2]}"
            for argument in made.arguments.all():
                for value, w in evaluator.value_of(argument, part.world):
                    yield Part(value, place, w)
        case Instance() as instance:
            if says_its_state(evaluator, instance.cls) and not inherited:
                return
            for name, value, w in attributes(evaluator, instance, part.world):
                yield Part(value, f"{instance.cls.name}.{name}", w)
            if any(keeps_arguments(name) for name in evaluator.classes.libraries(instance.cls)):
                yield from _given(evaluator, instance, part.world)


def _given(evaluator: Evaluator, instance: Instance, world: World) -> Iterator[Part]:
    """What a class without an ``__init__`` of its own hands on to its library's constructor."""
    if instance.arguments is None or evaluator.classes.member(instance.cls, "__init__"):
        return
    for argument in instance.arguments.all():
        for value, w in evaluator.value_of(argument, world):
            yield Part(value, instance.cls.name, w)


def says_its_state(evaluator: Evaluator, cls: Class) -> bool:
    """Whether a class decides itself what of its objects is pickled."""
    return any(evaluator.classes.member(cls, name) for name in STATE_METHODS)


def attributes(evaluator: Evaluator, instance: Instance, world: World) -> Iterator[tuple[str, Value, World]]:
    """What an object's attributes hold once its initialisers are done."""
    done: set[str] = set()
    for _, frame in evaluator.classes.initialisers(instance):
        scope = frame.scope
        assert isinstance(scope, ast.FunctionDef | ast.AsyncFunctionDef)
        prefix = parameters(scope)[0].arg + "." if parameters(scope) else ""
        for path in sorted(frame.layout.binds):
            name = path.removeprefix(prefix)
            if not prefix or name == path or "." in name or name in done:
                continue
            done.add(name)
            for statement, w in evaluator.flow.definitions(path, Point(frame, None), world):
                if statement is not None:
                    for value, v in evaluator.names.defined(statement, path, frame, w):
                        yield name, value, v
