"""What a tokenizer or processor of Hugging Face encodes as tensors (``return_tensors="pt"``), whatever it is
called, and what collators of theirs make: a tensor under each key."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING

from dlint.knowledge.tensors import collates_all
from dlint.streams.memory.places import Place
from dlint.values.frame import Point
from dlint.values.values import External, Made, Value
from dlint.values.worlds import World

if TYPE_CHECKING:
    from dlint.calls.evaluator import Evaluator

_KEYWORD, _TORCH = "return_tensors", "pt"
# What is looked at with the rest of a place: whether a stored part surely is a tensor, or holds some.
_Holds = Callable[[ast.expr, Place, Point], bool]


def is_encoded(
    evaluator: Evaluator, node: ast.expr, place: Place, point: Point, world: World, holds: _Holds
) -> bool:
    """Whether what an expression gives, or what it has under a key, is made of tensors by its encoder."""
    if len(place) > 1 or not all(isinstance(key, str) for key in place):
        return False
    match node:
        case ast.Call():
            return _asks_for_tensors(node)
        case ast.Name(id=name) if name in point.frame.layout.binds:
            text = point.frame.module.text_of(point.frame.scope)
            if _KEYWORD not in text:
                return False
            made = evaluator.flow.definitions(
                name, point, world, passing=lambda each: _stores_beside(each, name, place)
            )
            found = [_is_made(evaluator, each, name, place, point, world, holds) for each, _ in made]
            return bool(found) and all(found)
    return False


def _is_made(
    evaluator: Evaluator,
    made: ast.AST | None,
    name: str,
    place: Place,
    point: Point,
    world: World,
    holds: _Holds,
) -> bool:
    """The same of what a statement has a variable hold, or have under the key."""
    match made:
        case ast.Assign(targets=[ast.Name()], value=value):
            return is_encoded(evaluator, value, place, Point(point.frame, made), world, holds)
        case ast.Assign(targets=[ast.Subscript(value=ast.Name(id=held))], value=value) if held == name:
            return holds(value, place[1:], Point(point.frame, made))
    return False


def _stores_beside(statement: ast.stmt, name: str, place: Place) -> bool:
    """Whether a statement stores what stands elsewhere in what a variable holds."""
    match statement:
        case ast.Assign(targets=[ast.Subscript(value=ast.Name(id=held), slice=ast.Constant(value=key))]) if (
            held == name
        ):
            return not place or key != place[0]
    return False


def _asks_for_tensors(call: ast.Call) -> bool:
    return any(
        word.arg == _KEYWORD and isinstance(word.value, ast.Constant) and word.value.value == _TORCH
        for word in call.keywords
    )


def is_of_collator(collate: Value | None, place: Place) -> bool:
    """Whether a ``collate_fn`` is one of Hugging Face's, and a place one of the tensors that it gives: there
    is nothing else under its keys."""
    if not isinstance(collate, Made | External) or not collates_all(collate.name):
        return False
    if isinstance(collate, Made) and isinstance(collate.node, ast.Call):
        written = [word.arg for word in collate.node.keywords]
        if not {_KEYWORD, None}.isdisjoint(written) and not _asks_for_tensors(collate.node):
            return False
    return len(place) <= 1 and all(isinstance(key, str) for key in place)
