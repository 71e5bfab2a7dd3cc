"""Datasets that a dataset holds in a list or dict: it asks them for items in ways that no one call shows
(``self.sets[k][i]``, ``for part in self.parts``, a helper that picks one)."""

from __future__ import annotations

import ast
from collections.abc import Container, Iterator
from typing import TYPE_CHECKING

from dlint.knowledge.loading import INNER_PARTS, is_dataset, kept_parameters
from dlint.values.values import Instance, Items, Key, Table, Value
from dlint.values.worlds import World
from dlint.workers.looks import Each, asked

if TYPE_CHECKING:
    from dlint.calls.evaluator import Evaluator
    from dlint.workers.events import Visit

# How a list of things is written where it is stored: there, or as what the constructor was given.
_LISTS = (
    ast.List,
    ast.Tuple,
    ast.Dict,
    ast.ListComp,
    ast.DictComp,
    ast.Name,
    ast.Call,
    ast.IfExp,
)


def inner_datasets(
    evaluator: Evaluator, visit: Visit, known: Container[Key]
) -> Iterator[tuple[Instance, World]]:
    """The datasets in the lists and dicts that a visited method of a dataset asks; ``known`` are the
    datasets that workers are known to ask."""
    receiver = visit.function.receiver
    if visit.role != "dataset" or not isinstance(receiver, Instance) or receiver.key not in known:
        return
    keys = asked(visit.function.node)
    if not keys:
        return
    lists = {
        name
        for name, _, point, _ in evaluator.construction.stores(receiver, visit.world, set(keys))
        if _is_list(point.statement)
    }
    libraries = evaluator.classes.libraries(receiver.cls)
    lists |= {
        name for name in INNER_PARTS if name in keys and any(kept_parameters(x, name) for x in libraries)
    }
    for name in sorted(lists):
        for value, w in evaluator.attributes.held(receiver, name, visit.world):
            for held in _elements(value, keys[name]):
                if isinstance(held, Instance) and held.key not in known and _is_dataset(evaluator, held):
                    yield held, w


def _is_list(statement: ast.stmt | None) -> bool:
    match statement:
        case ast.Assign(value=value):
            return isinstance(value, _LISTS)
    return isinstance(statement, ast.Expr)  # self.parts.append(...)


def _elements(value: Value, keys: Container[object]) -> tuple[Value, ...]:
    """What a list holds, or a dict under the keys that are asked for."""
    if isinstance(value, Items):
        return value.items
    if isinstance(value, Table):
        return tuple(held for key, held in value.items.items() if Each in keys or key in keys)
    return ()


def _is_dataset(evaluator: Evaluator, held: Instance) -> bool:
    classes = evaluator.classes
    return any(is_dataset(name) for name in classes.libraries(held.cls)) or all(
        classes.member(held.cls, name) for name in ("__getitem__", "__len__")
    )
