"""Parts of items that a function of a dataset and an index gives."""

from __future__ import annotations

import ast

from dlint.source.nodes import ways_of
from dlint.source.statements import dotted, statements_in


def picked_part(function: ast.FunctionDef, dataset: str, index: str) -> int | str | None:
    """The part of an item, by its place or key, that a function of a dataset and an index gives, whatever it
    comes to: ``return dataset[index][1]``."""
    found = {
        _part(statement.value, dataset, index)
        for statement in statements_in(function.body)
        if isinstance(statement, ast.Return)
    }
    return found.pop() if len(found) == 1 else None


def _part(given: ast.expr | None, dataset: str, index: str) -> int | str | None:
    match given:
        case ast.Subscript(
            value=ast.Subscript(value=ast.Name(id=items), slice=ast.Name(id=at)),
            slice=ast.Constant(value=int(part) | str(part)),
        ) if items == dataset and at == index:
            return part
        case ast.Call(func=ast.Name(id="int"), args=[inner], keywords=[]):
            return _part(inner, dataset, index)
        case ast.Call(func=ast.Attribute(value=inner, attr="item"), args=[], keywords=[]):
            return _part(inner, dataset, index)
    return None


def counts_all(indices: ast.expr, dataset: str, body: list[ast.stmt]) -> bool:
    """Whether indices are, at least where nothing else is asked for, those of all items of a dataset:
    ``self.indices = list(range(len(dataset))) if indices is None else indices``."""
    path = dotted(indices)
    return any(
        isinstance(statement, ast.Assign)
        and any(dotted(target) == path for target in statement.targets)
        and any(_counts(way, dataset) for way in ways_of(statement.value))
        for statement in statements_in(body)
    )


def _counts(value: ast.expr, dataset: str) -> bool:
    match value:
        case ast.Call(func=ast.Name(id="list" | "tuple"), args=[inner]):
            return _counts(inner, dataset)
        case ast.Call(func=ast.Name(id="range"), args=[ast.Call(func=ast.Name(id="len"), args=[counted])]):
            return dotted(counted) == dataset
        case ast.Call(
            func=ast.Attribute(attr="arange"), args=[ast.Call(func=ast.Name(id="len"), args=[counted])]
        ):
            return dotted(counted) == dataset
    return False
