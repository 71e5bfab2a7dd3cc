"""What stands at a place of an expression, as far as values show it: a tensor, or what holds some."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Set
from typing import TYPE_CHECKING, Literal

from dlint.knowledge.tensors import makes_tensors
from dlint.streams.batches.collating.encoded import is_encoded
from dlint.streams.memory.places import Place, Values
from dlint.streams.memory.stored import ANY
from dlint.values.frame import Point
from dlint.values.values import NONE, Items, Made, Table, Value
from dlint.values.worlds import World

if TYPE_CHECKING:
    from dlint.calls.evaluator import Evaluator

# What is surely a tensor, and what may be a list or dict of some.
Holding = Literal["a tensor", "holds some"]


def holding_at(
    evaluator: Evaluator,
    node: ast.expr,
    place: Place,
    point: Point,
    world: World,
    without: Set[str] = frozenset(),
) -> Holding | None:
    """What stands at a place of what an expression gives; None where nothing shows."""
    evaluator.start()
    parts = list(parts_at(node, place, without))
    held = [_holds(evaluator, part, left, point, world, without) for part, left in parts]
    if not (all(held) if Values.EACH in place else any(held)):
        return None
    whole = not place or without or is_display(node, place)
    values = [(v, left) for part, left in parts for v in _values(evaluator, part, left, point, world)]
    return "a tensor" if not whole and all(_is_one(v, left) for v, left in values) else "holds some"


def _values(evaluator: Evaluator, node: ast.expr, place: Place, point: Point, world: World) -> list[Value]:
    """What an expression gives, without the None that nobody takes anything out of."""
    values = [value for value, _ in evaluator.values(node, point, world)]
    return [value for value in values if value != NONE] if place else values


def _is_one(value: Value, place: Place) -> bool:
    """Whether what is at a place of a value is one thing, no list or dict."""
    match value:
        case Table(items=items) if place and place[0] in items:
            return _is_one(items[place[0]], place[1:])
        case Items(items=parts, open=True) if place:
            return all(_is_one(each, place[1:]) for each in parts)
        case Items(items=parts) if place:
            at = place[0]
            return isinstance(at, int) and -len(parts) <= at < len(parts) and _is_one(parts[at], place[1:])
    return isinstance(value, Made)


def is_display(node: ast.expr, place: Place) -> bool:
    """Whether a tuple, list or dict is written at a place of one that is written out."""
    match node:
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            at = place[0] if place else None
            inside = isinstance(at, int) and -len(parts) <= at < len(parts)
            return not place or (inside and isinstance(at, int) and is_display(parts[at], place[1:]))
        case ast.Dict(keys=keys, values=values):
            return not place or any(
                is_display(value, place[1:])
                for key, value in zip(keys, values, strict=True)
                if _is_at(key, place)
            )
    return False


def parts_at(
    node: ast.expr, place: Place, without: Set[str] = frozenset()
) -> Iterator[tuple[ast.expr, Place]]:
    """The expressions at a place of one that is written out, with what is left of the place where a name
    stands for the rest."""
    match node:
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            if any(isinstance(part, ast.Starred) for part in parts):
                return
            at = place[0] if place else None
            if isinstance(at, int) and -len(parts) <= at < len(parts):
                yield from parts_at(parts[at], place[1:], without)
            elif not place:
                for part in parts:
                    yield from parts_at(part, ())
        case ast.Dict(keys=keys, values=values):
            for key, value in zip(keys, values, strict=True):
                if not place:
                    if not _is_one_of(key, without):
                        yield from parts_at(value, ())
                elif _is_at(key, place):
                    yield from parts_at(value, place[1:], without)
        case _:
            yield node, place


def _is_at(key: ast.expr | None, place: Place) -> bool:
    """Whether a place begins with what stands under a key."""
    return place[0] is Values.EACH or (isinstance(key, ast.Constant) and key.value == place[0])


def _is_one_of(key: ast.expr | None, keys: Set[str]) -> bool:
    return isinstance(key, ast.Constant) and key.value in keys


def _holds(
    evaluator: Evaluator,
    node: ast.expr,
    place: Place,
    point: Point,
    world: World,
    without: Set[str] = frozenset(),
) -> bool:
    values = _values(evaluator, node, place, point, world)
    if values and all(_holds_at(value, place, without) for value in values):
        return True

    def holds(part: ast.expr, left: Place, at: Point) -> bool:
        return _holds(evaluator, part, left, at, world)

    return is_encoded(evaluator, node, place, point, world, holds)


def _holds_at(value: Value, place: Place, without: Set[str] = frozenset()) -> bool:
    match value:
        case Table(items=items) if place and place[0] is Values.EACH:
            return any(_holds_at(each, place[1:]) for each in items.values())
        case Table(items=items) if place:
            return place[0] in items and _holds_at(items[place[0]], place[1:], without)
        case Table(items=items):
            return any(_holds_at(each, ()) for key, each in items.items() if key not in without)
        case Items(items=parts, open=True) if place:
            # What was put into it may stand anywhere.
            return bool(parts) and all(_holds_at(each, place[1:], without) for each in parts)
        case Items(items=parts) if place:
            at = place[0]
            if not isinstance(at, int) or not -len(parts) <= at < len(parts):
                return False
            return _holds_at(parts[at], place[1:], without)
        case Items(items=parts):
            return any(_holds_at(each, ()) for each in parts)
        case Made() if all(each is ANY or isinstance(each, int) for each in place):
            return is_tensor(value)
    return False


def is_tensor(value: Value) -> bool:
    """Whether a value surely is a tensor."""
    return isinstance(value, Made) and makes_tensors(value.name)
