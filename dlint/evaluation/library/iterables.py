"""What is made of things that can be gone through: lists, dicts, pairs, the next of them; and what hands on
the very thing that it is given."""

from __future__ import annotations

import ast
from typing import Final

from dlint.evaluation.interface import Evaluator
from dlint.evaluation.library.arguments import Answers, first
from dlint.values.frame import Arguments, Point
from dlint.values.outcomes import Outcome
from dlint.values.values import GENERATOR, Const, Instance, Items, Unknown, Value
from dlint.values.worlds import World

_MOST_NUMBERED = 6  # so many things are told apart by the numbers that ``enumerate`` gives them


def _dict(
    evaluator: Evaluator, arguments: Arguments, node: ast.AST, point: Point, world: World
) -> list[Outcome]:
    """``dict(given, more=1)``."""
    return list(evaluator.containers.table(arguments, world))


def _chained(
    evaluator: Evaluator, arguments: Arguments, node: ast.AST, point: Point, world: World
) -> list[Outcome]:
    """``ChainMap(given, defaults)``: of several dicts that have a key, the first one's entry counts."""
    if arguments.keywords or arguments.splats or arguments.spread:
        return []
    return list(evaluator.containers.table(Arguments(arguments.positional[::-1]), world))


def _listed(
    evaluator: Evaluator, arguments: Arguments, node: ast.AST, point: Point, world: World
) -> list[Outcome]:
    if not arguments.positional:
        return [(Items("list", ()), world)]
    return [
        (value, w)
        if isinstance(value, Items) and value.kind != GENERATOR
        else (Items("list", tuple(evaluator.iterated(value, node, point, w)), True), w)
        for value, w in first(evaluator, arguments, world)
    ]


def _new_list(
    evaluator: Evaluator, arguments: Arguments, node: ast.AST, point: Point, world: World
) -> list[Outcome]:
    """A list of what a tuple or a set has, to which others may add more."""
    return [
        (Items("list", value.items, value.open), w)
        if isinstance(value, Items) and value.kind != "list"
        else (value, w)
        for value, w in _listed(evaluator, arguments, node, point, world)
    ]


def _same(
    evaluator: Evaluator, arguments: Arguments, node: ast.AST, point: Point, world: World
) -> list[Outcome]:
    return first(evaluator, arguments, world)


def _entered(
    evaluator: Evaluator, arguments: Arguments, node: ast.AST, point: Point, world: World
) -> list[Outcome]:
    """What ``with`` would give for a context manager."""
    return [
        (held, w)
        for value, w in first(evaluator, arguments, world)
        for held in (
            evaluator.containers.elements(value)
            if isinstance(value, Items) and value.kind == GENERATOR
            else [value]
        )
    ]


def _copied(
    evaluator: Evaluator, arguments: Arguments, node: ast.AST, point: Point, world: World
) -> list[Outcome]:
    """A copy is an object of its own, made alike: what is stored in the one is not in the other."""
    return [
        (Instance(value.cls, value.arguments, node, point.key), w)
        if isinstance(value, Instance) and value.arguments is not None
        else (value, w)
        for value, w in first(evaluator, arguments, world)
    ]


def _enumerate(
    evaluator: Evaluator, arguments: Arguments, node: ast.AST, point: Point, world: World
) -> list[Outcome]:
    index = Unknown(("index", id(node)))
    found: list[Outcome] = []
    for value, w in first(evaluator, arguments, world):
        known = evaluator.containers.all_of(value) if len(arguments.all()) == 1 else None
        if known is not None and len(known) <= _MOST_NUMBERED:
            pairs = [Items("tuple", (Const(at), item)) for at, item in enumerate(known)]
        else:
            items = evaluator.iterated(value, node, point, w)
            pairs, known = [Items("tuple", (index, item)) for item in items], None
        found.append((Items("list", tuple(pairs), known is None), w))
    return found


def _zip(
    evaluator: Evaluator, arguments: Arguments, node: ast.AST, point: Point, world: World
) -> list[Outcome]:
    columns: list[list[Value]] = []
    for argument in arguments.positional:
        values = evaluator.value_of(argument, world)
        columns.append(evaluator.iterated(values[0][0], node, point, values[0][1]) if values else [])
    if not columns or not all(columns):
        return []
    rows = [
        Items("tuple", tuple(column[min(i, len(column) - 1)] for column in columns))
        for i in range(max(len(column) for column in columns))
    ]
    return [(Items("list", tuple(rows), True), world)]


def next_of(
    evaluator: Evaluator, arguments: Arguments, node: ast.AST, point: Point, world: World
) -> list[Outcome]:
    return [
        (item, w)
        for value, w in first(evaluator, arguments, world)
        for item in evaluator.containers.elements(value)
    ]


ITERABLES: Final[Answers] = {
    "builtins.dict": _dict,
    "collections.ChainMap": _chained,
    "builtins.list": _new_list,
    "builtins.tuple": _listed,
    "builtins.set": _listed,
    "builtins.sorted": _new_list,
    "builtins.reversed": _listed,
    "builtins.iter": _same,
    "contextlib.closing": _same,
    "contextlib.nullcontext": _same,
    "contextlib.ExitStack().enter_context": _entered,
    "copy.copy": _copied,
    "copy.deepcopy": _copied,
    "builtins.enumerate": _enumerate,
    "tqdm.tqdm": _same,
    "tqdm.auto.tqdm": _same,
    "builtins.zip": _zip,
    "builtins.next": next_of,
}
