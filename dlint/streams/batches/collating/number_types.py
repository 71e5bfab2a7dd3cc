"""What the numbers in a part of a batch are: of which type (made of the type that it has, a tensor is no
copy: ``labels.long()``), and whether they are those by which the items were asked for."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from dlint.knowledge.tensors import cast_to, type_made, type_named
from dlint.source.statements import parameters, statements_in
from dlint.streams.batches.collating.tensors import parts_at
from dlint.streams.items.items import Reader, readers
from dlint.streams.memory.places import Place
from dlint.values.frame import Argument, Point
from dlint.values.values import Const, External, Made, Value
from dlint.values.worlds import World

if TYPE_CHECKING:
    from dlint.calls.evaluator import Evaluator

# What Python's numbers become where torch collates them.
_NUMBERS = {"int": "int64", "len": "int64", "float": "float64", "bool": "bool"}

# What gives the one number that it is given.
_OF_ONE = frozenset({"builtins.int", "torch.tensor", "torch.as_tensor", "numpy.int64", "numpy.asarray"})


def are_of_type(evaluator: Evaluator, dataset: Value, world: World, place: Place, name: str) -> bool:
    """Whether what torch collates of a part of each item surely has numbers of a type, by what makes it."""
    found: list[str | None] = []
    for reader in readers(evaluator, dataset, world):
        for statement in statements_in(reader.node.body):
            if isinstance(statement, ast.Return) and statement.value is not None:
                point = Point(reader.frame, statement)
                for part, inside in parts_at(statement.value, place):
                    is_one = not any(isinstance(key, str) for key in inside)
                    found.append(_type(evaluator, reader, part, point) if is_one else None)
    return bool(found) and all(each == name for each in found)


def are_of_items(evaluator: Evaluator, dataset: Value, world: World, place: Place) -> bool:
    """Whether what stands at a place of a batch surely are the numbers of its items, as each was asked for by
    another: ``return image, torch.tensor(index)``."""
    found: list[bool] = []
    for reader in readers(evaluator, dataset, world):
        for statement in statements_in(reader.node.body):
            if isinstance(statement, ast.Return) and statement.value is not None:
                point = Point(reader.frame, statement)
                parts = list(parts_at(statement.value, place))
                found += [_is_items(evaluator, reader, part, point) for part, _ in parts] or [False]
    return bool(found) and all(found)


def _is_items(evaluator: Evaluator, reader: Reader, node: ast.expr, point: Point) -> bool:
    match node:
        case ast.Name(id=name):
            asked = [each.arg for each in parameters(reader.node)[1:2]]
            return name in asked and name not in reader.frame.layout.binds
        case ast.Call(func=func, args=[part]) if _is_items(evaluator, reader, part, point):
            evaluator.start()
            made = [value for value, _ in evaluator.values(func, point, reader.world)]
            return bool(made) and all(isinstance(each, External) and each.name in _OF_ONE for each in made)
    return False


def _type(evaluator: Evaluator, reader: Reader, node: ast.expr, point: Point) -> str | None:
    """The type of a number, or of the numbers of an array or a tensor, None where nobody knows."""
    match node:
        case ast.Name(id=name) if name not in reader.frame.layout.binds:
            if name in [each.arg for each in parameters(reader.node)[1:2]]:
                return "int64"  # the number of the item
        case ast.Call(func=ast.Attribute(attr=method), args=[], keywords=[]) if cast_to(method) is not None:
            return cast_to(method)
    evaluator.start()
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _NUMBERS:
        made = [value for value, _ in evaluator.values(node.func, point, reader.world)]
        return _NUMBERS[node.func.id] if made and all(isinstance(each, External) for each in made) else None
    found = {_of_value(evaluator, value, reader) for value, _ in evaluator.values(node, point, reader.world)}
    return found.pop() if len(found) == 1 else None


def _of_value(evaluator: Evaluator, value: Value, reader: Reader) -> str | None:
    if isinstance(value, Const):
        return _NUMBERS.get(type(value.value).__name__)
    if not isinstance(value, Made) or value.arguments is None:
        return None
    library, _, method = value.name.rpartition(".")
    given = value.arguments.positional
    told = value.arguments.keywords.get("dtype")
    if method in ("astype", "to", "type") or (library == "numpy" and len(given) > 1):
        told = told or next(iter(given[-1:]), None)
    if told is not None:
        named = {
            type_named(each.name) if isinstance(each, External) else None
            for each, _ in evaluator.value_of(told, reader.world)
        }
        return named.pop() if len(named) == 1 else None
    if value.arguments.splats:
        return None
    if library.endswith("()"):
        return cast_to(method)
    if value.name in ("torch.tensor", "torch.as_tensor") and len(given) == 1:
        return _of_tensor(evaluator, given[0], reader)
    return type_made(value.name)


def _of_tensor(evaluator: Evaluator, given: Argument, reader: Reader) -> str | None:
    """The type of the tensor that is made of one number: whole ones stay so."""
    if given.expression is None or given.point is None:
        return None
    number = given.expression
    while isinstance(number, ast.List) and len(number.elts) == 1:
        number = number.elts[0]
    found = _type(evaluator, reader, number, given.point)
    return found if found in ("int64", "bool") else None
