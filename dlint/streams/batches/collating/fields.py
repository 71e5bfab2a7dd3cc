"""Attributes of batches that are objects: those that the program's ``collate_fn`` gives, named tuples that
torch makes of such items, and graphs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dlint.knowledge.loading import gives_graphs
from dlint.loaders.loaders import Loader
from dlint.streams.batches.collating.tensors import Holding, is_tensor
from dlint.streams.items.items import is_default_collate, readers
from dlint.streams.items.numbers import is_array
from dlint.streams.memory.places import Place
from dlint.streams.memory.stored import Field
from dlint.values.frame import Arguments, Point
from dlint.values.values import Function, Instance, Unknown, Value
from dlint.values.worlds import World

if TYPE_CHECKING:
    from dlint.calls.evaluator import Evaluator

_FOR_ALL = ("__getattr__", "__getattribute__")
_NAMED_TUPLES = frozenset({"typing.NamedTuple"})


def field_kinds(evaluator: Evaluator, loader: Loader, place: Place | None) -> list[Holding | None] | None:
    """What an attribute of a loader's batches is on each way, None where nothing shows; nothing at all where
    it may be no plain attribute: a property gives what it works out, which may be a copy. Of what is none no
    ways."""
    if place is None or not any(isinstance(each, Field) for each in place):
        return []
    field = place[0]
    if not isinstance(field, Field) or any(isinstance(each, Field) for each in place[1:]):
        return None
    if gives_graphs(loader.kind.name):
        return [None]
    found: list[Holding | None] = []
    for way, world in loader.ways("dataset", "collate_fn"):
        dataset, collate = way["dataset"], way["collate_fn"]
        if not is_default_collate(collate):
            assert collate is not None
            values = _collated(evaluator, loader, collate, field.name, world)
            shows = is_tensor
        elif dataset is not None:
            values = _of_items(evaluator, dataset, field.name, world)
            shows = is_array
        else:
            return None
        if not values:
            return None
        found.append("a tensor" if all(map(shows, values)) else None)
    return found or None


def _collated(
    evaluator: Evaluator, loader: Loader, collate: Value, name: str, world: World
) -> list[Value] | None:
    """What an attribute holds of the objects that a ``collate_fn`` gives."""
    evaluator.start()
    values: list[Value] = []
    for batch, w in evaluator.invoke(collate, Arguments(), loader.call, loader.point, world):
        if not isinstance(batch, Instance) or not _is_plain(evaluator, batch, name):
            return None
        held = [value for value, _ in evaluator.attribute(batch, name, loader.call, loader.point, w)]
        values += _without_others(evaluator, batch, held, w)
    return values


def _of_items(evaluator: Evaluator, dataset: Value, name: str, world: World) -> list[Value] | None:
    """What a field holds of the named tuples that a dataset's items are."""
    values: list[Value] = []
    for reader in readers(evaluator, dataset, world):
        evaluator.start()
        at = Point(reader.function.frame, None)
        for item, w in evaluator.calls.returns(reader.function, Arguments(), reader.node, at, reader.world):
            if not isinstance(item, Instance) or not _is_plain(evaluator, item, name):
                return None
            if not _NAMED_TUPLES & evaluator.classes.libraries(item.cls):
                return None
            held = [value for value, _ in evaluator.attribute(item, name, reader.node, at, w)]
            values += _without_others(evaluator, item, held, w)
    return values


def _without_others(evaluator: Evaluator, made: Instance, held: list[Value], world: World) -> list[Value]:
    """What a field may hold, without what a list of unknown length may have beside what surely is in it,
    where the object is made of all of that: ``Pair(*[torch.tensor(each) for each in parts])``."""
    if made.arguments is None or not made.arguments.spread:
        return held
    spread = [value for value, _ in evaluator.value_of(made.arguments.spread[0], world)]
    others = {each.key for value in spread for each in evaluator.containers.elements(value)}
    known = [value for value in held if not (isinstance(value, Unknown) and value.key in others)]
    return known or held


def _is_plain(evaluator: Evaluator, batch: Instance, name: str) -> bool:
    """Whether an attribute is what was stored in it: no method works it out, be it one for all names."""
    return not any(evaluator.classes.member(batch.cls, each) for each in _FOR_ALL) and not any(
        isinstance(value, Function) for value, _ in evaluator.classes.member(batch.cls, name)
    )
