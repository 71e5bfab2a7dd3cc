"""Whether what is kept of batches is a tensor, or holds some: by what the code around it does with it, by the
dataset's items, and by what the ``collate_fn`` gives."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.knowledge.tensors import SET_DEFAULT_TYPE
from dlint.streams.batches.collating.collated import collates_tensors, has_tensors, have_dimensions
from dlint.streams.batches.collating.number_types import are_of_items, are_of_type
from dlint.streams.batches.collating.tensors import Holding
from dlint.streams.batches.treated import Tensors, shows_holder
from dlint.streams.items.items import is_default_collate
from dlint.streams.memory.places import Place, Values, View
from dlint.values.frame import Point
from dlint.values.values import Items, Key, Unknown, Value
from dlint.values.worlds import HERE, World

if TYPE_CHECKING:
    from dlint.calls.evaluator import Evaluator
    from dlint.loaders.loaders import Loader
    from dlint.loaders.program import Program

_FAR = 4  # names of names


def kind_of(
    program: Program, loader: Loader, view: View, tensors: Tensors, fields: list[Holding | None]
) -> Holding | None:
    """What is kept: "a tensor" or what "holds some", by what the code does with it, or by the dataset, which
    tells of an attribute what its ``fields`` are; None where nothing shows."""
    asked = view.given or view.node
    if view.known.is_row and not _has_rows(program, loader, view):
        return None  # a number, which is a copy
    # One name stands for all values of a dict: what is asked of it elsewhere says little of the others.
    one_of_many = view.known.place is not None and Values.EACH in view.known.place
    if view.known.is_tensor or (not view.without and not one_of_many and tensors.are(asked)):
        return "holds some" if view.is_list else "a tensor"
    if (not one_of_many or shows_holder(view)) and tensors.hold(asked, view.without):
        return "holds some"
    if view.known.place is None:
        return None
    if fields:
        return None if None in fields else "a tensor"
    if view.given is None and not view.without and tensors.hold_at(view.known.place):
        return "holds some"
    storing = program.modules.index.storing("collate_fn")
    surely = bool(view.known.place) and not view.without and not one_of_many and not view.is_list
    for dataset, collate, world in _ways(program, loader):
        if is_default_collate(collate) and loader.module.relative in storing:
            return None  # it may be set somewhere behind the call
        kind: Holding | None = None
        if not is_default_collate(collate):
            kind = collates_tensors(
                program.evaluator, collate, dataset, world, view.known.place, view.without
            )
        elif dataset is not None:
            kind = has_tensors(program.evaluator, dataset, world, view.known.place, view.without)
        if kind is None:
            return None
        surely = surely and kind == "a tensor"
    return "a tensor" if surely else "holds some"


def _ways(program: Program, loader: Loader) -> list[tuple[Value | None, Value | None, World]]:
    """The datasets that a loader may get, each with its ``collate_fn``, without what a list of unknown length
    may have beside the datasets that are seen to be in it: ``DataLoader(parts[rank])``."""
    ways = [(way["dataset"], way["collate_fn"], world) for way, world in loader.ways("dataset", "collate_fn")]
    if not any(isinstance(dataset, Unknown) for dataset, _, _ in ways):
        return ways
    written = loader.written("dataset")
    beside = set(_beside_known(program.evaluator, written, loader.point)) if written is not None else set()
    return [way for way in ways if way[0] is None or way[0].key not in beside] or ways


def _beside_known(evaluator: Evaluator, node: ast.expr, point: Point, far: int = 0) -> Iterator[Key]:
    """What an open list may have beside what is known, of which an expression gives one thing."""
    match node:
        case ast.Subscript(value=whole):
            lists = [value for value, _ in evaluator.values(whole, point) if isinstance(value, Items)]
            # Of one that a loop fills nothing is taken before it has.
            for value in lists if any(each.items for each in lists) else ():
                others = evaluator.containers.elements(value)
                yield from (each.key for each in others if isinstance(each, Unknown))
        case ast.Name(id=name) if name in point.frame.layout.binds and far < _FAR:
            for statement, _ in evaluator.flow.definitions(name, point, HERE):
                if isinstance(statement, ast.Assign):
                    yield from _beside_known(evaluator, statement.value, point.before(statement), far + 1)


def _has_rows(program: Program, loader: Loader, view: View) -> bool:
    """Whether what is taken out of an array surely is an array as well, by the dimensions of the items."""
    ways = list(loader.ways("dataset", "collate_fn"))
    if view.known.place is None or loader.module.relative in program.modules.index.storing("collate_fn"):
        return False
    return bool(ways) and all(
        (dataset := way["dataset"]) is not None
        and is_default_collate(way["collate_fn"])
        and have_dimensions(program.evaluator, dataset, world, view.known.place, view.known.taken)
        for way, world in ways
    )


def has_type(program: Program, loader: Loader, view: View) -> bool:
    """Whether the numbers of a part surely are of the one type already that it is made of."""
    index, place, casts = program.modules.index, view.known.place, view.known.casts
    if place is None or len(casts) != 1 or loader.module.relative in index.storing("collate_fn"):
        return False
    [name] = casts
    if name == "float32" and any(index.mentioning(word) for word in SET_DEFAULT_TYPE):
        return False
    ways = list(loader.ways("dataset", "collate_fn"))
    return bool(ways) and all(
        (dataset := way["dataset"]) is not None
        and is_default_collate(way["collate_fn"])
        and are_of_type(program.evaluator, dataset, world, place, name)
        for way, world in ways
    )


def are_items_numbers(program: Program, loader: Loader, place: Place) -> bool:
    """Whether what stands at a place of a loader's batches surely are the numbers of the items."""
    if loader.module.relative in program.modules.index.storing("collate_fn"):
        return False
    ways = list(loader.ways("dataset", "collate_fn"))
    return bool(ways) and all(
        (dataset := way["dataset"]) is not None
        and is_default_collate(way["collate_fn"])
        and are_of_items(program.evaluator, dataset, world, place)
        for way, world in ways
    )
