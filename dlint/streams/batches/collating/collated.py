"""Which parts of a batch are tensors, as far as the dataset's items show (torch's own ``collate_fn`` makes
tensors of numbers, arrays and tensors, and lists of texts), or what the program's ``collate_fn`` gives."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Set
from typing import TYPE_CHECKING

from dlint.evaluation.library.transforms import surely_gives_tensor
from dlint.knowledge.tensors import gives_images, gives_shape, gives_tensors, tells_one_number
from dlint.source.statements import dotted, statements_in
from dlint.streams.batches.collating.encoded import is_of_collator
from dlint.streams.batches.collating.of_items import OfItems, handed_on, of_items
from dlint.streams.batches.collating.tensors import Holding, holding_at, is_display, parts_at
from dlint.streams.items.items import Reader, inner, is_default_collate, readers
from dlint.streams.items.numbers import is_number
from dlint.streams.memory.overwritten import overwritten_by
from dlint.streams.memory.places import Place, may_be
from dlint.values.frame import Arguments, Frame, Point
from dlint.values.functions import given_names
from dlint.values.values import NONE, External, Function, Instance, Made, Partial, Value
from dlint.values.worlds import World

if TYPE_CHECKING:
    from dlint.calls.evaluator import Evaluator

_FAR = 4  # datasets inside datasets
_BOUND = ("staticmethod", "classmethod")


def has_tensors(
    evaluator: Evaluator,
    dataset: Value,
    world: World,
    place: Place,
    without: Set[str] = frozenset(),
    far: int = 0,
) -> Holding | None:
    """What a part of each batch surely is, or all of it (no place), be it ``without`` some keys; None where
    nothing shows."""
    if isinstance(dataset, Made):
        if gives_tensors(dataset.name):
            return "a tensor" if place else "holds some"
        if gives_images(dataset.name):
            return _of_images(evaluator, dataset, world, place)
        inside = list(inner(evaluator, dataset, world)) if far < _FAR else []
        return _all([has_tensors(evaluator, part, w, place, without, far + 1) for part, w in inside])
    found: list[Holding | None] = []
    for reader in readers(evaluator, dataset, world):
        for node, statement in _returned(reader.node):
            if statement is None:
                return None
            found.append(_of_item(evaluator, reader, node, statement, place, without))
    return _all(found)


def _of_item(
    evaluator: Evaluator,
    reader: Reader,
    node: ast.expr,
    statement: ast.stmt,
    place: Place,
    without: Set[str],
    far: int = 0,
) -> Holding | None:
    """What torch makes of a part of what an expression of a ``__getitem__`` gives; None where nothing
    shows."""
    point = Point(reader.frame, statement)
    for part, left in parts_at(node, place, without):
        kind: Holding | None = None
        if not any(isinstance(key, str) for key in left) and is_number(evaluator, reader, part, statement):
            kind = "a tensor"
        elif isinstance(part, ast.Name) and part.id in reader.frame.layout.binds and far < _FAR:
            kind = _of_variable(evaluator, reader, part.id, statement, left, without, far + 1)
        kind = kind or holding_at(evaluator, part, left, point, reader.world, without)
        if kind is not None:
            return "holds some" if is_display(node, place) else kind
    return None


def _of_variable(
    evaluator: Evaluator,
    reader: Reader,
    name: str,
    statement: ast.stmt,
    place: Place,
    without: Set[str],
    far: int,
) -> Holding | None:
    """The same of what a variable holds where a statement gives it to the loader, by every assignment that
    may have made it, or stored what is at the place."""

    def passing(each: ast.stmt) -> bool:
        key = _stored_under(each, name)
        if place and not isinstance(place[0], str | int):
            return False  # it may be any of them
        return key is not None and (not may_be((key,), place[:1]) if place else key in without)

    evaluator.start()
    found: list[Holding | None] = []
    before = Point(reader.frame, statement)
    for made, _ in evaluator.flow.definitions(name, before, reader.world, passing=passing):
        match made:
            case ast.Assign(targets=[ast.Name()], value=value):
                found.append(_of_item(evaluator, reader, value, made, place, without, far))
            case ast.Assign(targets=[ast.Subscript()], value=value) if (
                key := _stored_under(made, name)
            ) is not None and (not place or place[0] == key):
                kind = _of_item(evaluator, reader, value, made, place[1:], frozenset(), far)
                found.append(kind if place or kind is None else "holds some")
            case _:
                return None
    return _all(found)


def _stored_under(statement: ast.stmt, name: str) -> object | None:
    """The key under which a statement stores something in what a variable holds, where that is written
    out."""
    match statement:
        case ast.Assign(
            targets=[ast.Subscript(value=ast.Name(id=held), slice=ast.Constant(value=str() | int() as key))]
        ) if held == name:
            return key
    return None


def _of_images(evaluator: Evaluator, dataset: Made, world: World, place: Place) -> Holding | None:
    """The same of a library's dataset of images. Torch collates none, but what a transform makes of them:
    a tensor, or several."""
    is_label = bool(place) and place[0] in (1, -1)
    evaluator.start()
    if is_label:
        if not all(value == NONE for value in _kept(evaluator, dataset, "target_transform", world)):
            return None
        return "a tensor" if tells_one_number(dataset.name) else "holds some"
    given = _kept(evaluator, dataset, "transform", world)
    if given and all(surely_gives_tensor(evaluator, value, world) for value in given):
        return "a tensor" if place and place[0] in (0, -2) else "holds some"
    # Nothing but a loader of the program's own gives what torch collates without a transform, be it texts.
    return "holds some" if not _kept(evaluator, dataset, "loader", world) else None


def _kept(evaluator: Evaluator, dataset: Made, name: str, world: World) -> list[Value]:
    """What a library's dataset was given under a name."""
    found = evaluator.attribute(dataset, name, dataset.node, dataset.point, world)
    return [value for value, _ in found if not (isinstance(value, External) and value.owner is not None)]


def collates_tensors(
    evaluator: Evaluator,
    collate: Value | None,
    dataset: Value | None,
    world: World,
    place: Place,
    without: Set[str] = frozenset(),
) -> Holding | None:
    """What stands at a place of what a ``collate_fn`` of the program returns, or all of that (no place), be
    it ``without`` some keys; None where nothing shows: neither what it makes, nor the items it hands on."""
    if is_of_collator(collate, place):
        return "a tensor" if place else "holds some"
    kinds: list[Holding | None] = []
    for collating in _collating(evaluator, collate):
        found: list[Holding | None] = []
        node_of = collating.function.node
        for node, statement in _returned(node_of):
            point = Point(collating.frame, statement)
            found.append(holding_at(evaluator, node, place, point, world, without))
        if dataset is None or collating.items is None:
            kinds.append(_all(found))
            continue
        parts = of_items(node_of, collating.items, place, collating.is_default, collating.overwrites)
        handed = [
            _of_items(evaluator, part, dataset, world, without) if part is not None else None
            for part in parts
        ]
        kinds.append(_all(found) or _all(handed))
    return _all(kinds)


def handed_places(evaluator: Evaluator, collate: Value | None) -> list[Place]:
    """The places of those parts of the items that a ``collate_fn`` of the program hands on as they are; none
    where a decorator may do anything with what it returns."""
    return [
        place
        for collating in _collating(evaluator, collate)
        if collating.items is not None
        and all(dotted(each) in _BOUND for each in getattr(collating.function.node, "decorator_list", []))
        for place in handed_on(
            collating.function.node, collating.items, collating.is_default, collating.overwrites
        )
    ]


class _Collating:
    """A function that a loader gives the items to, the name that it has them under, and what it calls."""

    def __init__(self, evaluator: Evaluator, function: Function, frame: Frame, given: Arguments) -> None:
        self._evaluator = evaluator
        self.function = function
        self.frame = frame
        names = [name for name in given_names(function) if name not in given.keywords]
        self.items = next(iter(names[len(given.positional) :]), None)

    def is_default(self, callee: ast.expr, at: ast.stmt | None) -> bool:
        """Whether something that is called in a statement is torch's own ``default_collate``."""
        values = self._values(callee, at)
        return bool(values) and all(isinstance(v, External) and is_default_collate(v) for v in values)

    def overwrites(self, call: ast.Call, at: ast.stmt | None) -> list[tuple[ast.expr, object]]:
        """The entries of its arguments that a call overwrites."""
        return overwritten_by(self._values(call.func, at), call)

    def _values(self, callee: ast.expr, at: ast.stmt | None) -> list[Value]:
        self._evaluator.start()
        return [value for value, _ in self._evaluator.values(callee, Point(self.frame, at))]


def _collating(evaluator: Evaluator, collate: Value | None) -> Iterator[_Collating]:
    """The functions of the program that a ``collate_fn`` is."""
    given = collate.arguments if isinstance(collate, Partial) else Arguments()
    collate = collate.callee if isinstance(collate, Partial) else collate
    functions = [collate] if isinstance(collate, Function) else []
    if isinstance(collate, Instance):
        functions = evaluator.classes.methods(collate, "__call__")
    for function in functions:
        frame = evaluator.calls.enter(function, Arguments(), None, None)
        yield _Collating(evaluator, function, frame, given)


def _of_items(
    evaluator: Evaluator, part: OfItems, dataset: Value, world: World, without: Set[str]
) -> Holding | None:
    """What a part of the items of a dataset is, in a batch; None where nothing shows."""
    if part.is_collated:
        return has_tensors(evaluator, dataset, world, part.place, without)
    found: list[Holding | None] = []
    for reader in readers(evaluator, dataset, world):
        for node, statement in _returned(reader.node):
            point = Point(reader.frame, statement)
            found.append(holding_at(evaluator, node, part.place, point, reader.world, without))
    kind = _all(found)
    return "holds some" if kind is not None and part.is_list else kind


def _all(found: list[Holding | None]) -> Holding | None:
    """What something surely is that may be each of these."""
    if not found or None in found:
        return None
    return "holds some" if "holds some" in found else "a tensor"


def _returned(function: ast.AST) -> Iterator[tuple[ast.expr, ast.stmt | None]]:
    """What a function returns, but for the None of items that cannot be used: no batch has one."""
    if isinstance(function, ast.Lambda):
        yield function.body, None
    elif isinstance(function, ast.FunctionDef):
        for statement in statements_in(function.body):
            match statement:
                case ast.Return(value=None | ast.Constant(value=None)):
                    pass
                case ast.Return(value=ast.expr() as value):
                    yield value, statement


def have_dimensions(evaluator: Evaluator, dataset: Value, world: World, place: Place, least: int) -> bool:
    """Whether a part of each item surely has so many dimensions, by what makes it; a place that goes on
    inside a tensor takes one with each step."""
    found: list[bool] = []
    for reader in readers(evaluator, dataset, world):
        for node, statement in _returned(reader.node):
            evaluator.start()
            point = Point(reader.frame, statement)
            known = [
                _dimensions(value) >= least + len(inside)
                for part, inside in parts_at(node, place)
                for value, _ in evaluator.values(part, point, reader.world)
            ]
            found.append(bool(known) and all(known))
    return bool(found) and all(found)


def _dimensions(value: Value) -> int:
    """How many dimensions what a call makes surely has: those whose lengths are written there."""
    if not isinstance(value, Made) or value.arguments is None or not gives_shape(value.name):
        return 0
    given = [each.expression for each in value.arguments.positional]
    match given:
        case [ast.Tuple(elts=lengths) | ast.List(elts=lengths), *_]:
            pass
        case _ if value.name.startswith("torch."):
            lengths = [each for each in given if each is not None]
        case _:
            lengths = [each for each in given[:1] if each is not None]
    return 0 if any(isinstance(each, ast.Starred) for each in lengths) else len(lengths)
