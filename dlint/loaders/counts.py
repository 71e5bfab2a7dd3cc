"""How many batches a loader gives, where that is known."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from dlint.knowledge.tensors import length_of
from dlint.loaders.loaders import Loader
from dlint.source.statements import statements_in
from dlint.values.frame import Argument, Arguments, Point
from dlint.values.values import Const, Instance, Items, Made, Value
from dlint.values.worlds import World

if TYPE_CHECKING:
    from dlint.calls.evaluator import Evaluator

_FAR = 3
_TENSORS = frozenset(
    f"torch.{name}" for name in ("arange", "empty", "full", "ones", "rand", "randn", "randperm", "zeros")
)
_OF_FIRST = frozenset({"torch.utils.data.TensorDataset", "torch.tensor", "numpy.array"})


def most_batches(evaluator: Evaluator, loader: Loader) -> int | None:
    """The most batches that a loader gives, None where on some way nobody can tell."""
    counts: list[int] = []
    for way, world in loader.ways("dataset", "batch_size"):
        dataset, size = way["dataset"], way["batch_size"]
        items = length(evaluator, dataset, world) if dataset is not None else None
        each = 1 if size is None else size.value if isinstance(size, Const) else None
        if items is None or not isinstance(each, int) or each < 1:
            return None
        counts.append(-(-items // each))
    return max(counts, default=None)


def length(evaluator: Evaluator, value: Value, world: World, far: int = 0) -> int | None:
    """How long a dataset, a list or a tensor is, where that is known."""
    if far > _FAR:
        return None
    if isinstance(value, Items):
        return None if value.open else len(value.items)
    if isinstance(value, Instance):
        return _by_method(evaluator, value, world, far)
    if not isinstance(value, Made):
        return None
    given = value.arguments
    first = given.positional[0] if given.positional else None
    if value.name in _TENSORS and first is not None:
        return _number(evaluator, first, world)
    if value.name == "builtins.range" and first is not None and len(given.positional) == 1:
        return _number(evaluator, first, world)
    if value.name in _OF_FIRST and first is not None:
        found = {length(evaluator, each, w, far + 1) for each, w in evaluator.value_of(first, world)}
        return found.pop() if len(found) == 1 else None
    return _of_torchvision(evaluator, value, world)


def _number(evaluator: Evaluator, argument: Argument, world: World) -> int | None:
    """The number that an argument is, or the first of a shape."""
    found: set[int | None] = set()
    for value, _ in evaluator.value_of(argument, world):
        if isinstance(value, Items) and value.items:
            value = value.items[0]
        found.add(value.value if isinstance(value, Const) and isinstance(value.value, int) else None)
    return found.pop() if len(found) == 1 else None


def _by_method(evaluator: Evaluator, dataset: Instance, world: World, far: int) -> int | None:
    """What the ``__len__`` of a class of the program returns."""
    found: set[int | None] = set()
    for method in evaluator.classes.methods(dataset, "__len__"):
        if not isinstance(method.node, ast.FunctionDef):
            return None
        frame = evaluator.calls.enter(method, Arguments(), None, None)
        for statement in statements_in(method.node.body):
            if isinstance(statement, ast.Return) and statement.value is not None:
                found |= _returned(evaluator, statement.value, Point(frame, statement), world, far)
    return found.pop() if len(found) == 1 else None


def _returned(evaluator: Evaluator, node: ast.expr, point: Point, world: World, far: int) -> set[int | None]:
    match node:
        case ast.Call(func=ast.Name(id="len"), args=[of]):
            return {length(evaluator, value, w, far + 1) for value, w in evaluator.values(of, point, world)}
    return {
        value.value if isinstance(value, Const) and isinstance(value.value, int) else None
        for value, _ in evaluator.values(node, point, world)
    }


def _of_torchvision(evaluator: Evaluator, dataset: Made, world: World) -> int | None:
    train = dataset.arguments.keywords.get("train")
    if train is None and len(dataset.arguments.positional) > 1:
        train = dataset.arguments.positional[1]
    if train is None:
        return length_of(dataset.name, train=True)
    found = {
        length_of(dataset.name, train=bool(value.value)) if isinstance(value, Const) else None
        for value, _ in evaluator.value_of(train, world)
    }
    return found.pop() if len(found) == 1 else None
