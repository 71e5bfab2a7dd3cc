"""Pipelines of webdataset, stage by stage: shards that each worker shuffles before it takes its share."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.knowledge.iterables import (
    DIVIDES_SHARDS,
    GIVES_SHARDS,
    GOES_ON,
    LEAVES_SHARDS,
    PIPELINE,
    SHUFFLES_SHARDS,
    TELLS_ORDER,
)
from dlint.knowledge.randomness import SHUFFLES
from dlint.regex import regex
from dlint.source.module import Module
from dlint.source.statements import FunctionNode, own_nodes, statements_in
from dlint.values.frame import Arguments, Point
from dlint.values.outcomes import OUTCOMES
from dlint.values.values import Const, External, Instance, Items, Made, Value, is_none
from dlint.values.worlds import World

if TYPE_CHECKING:
    from dlint.calls.evaluator import Evaluator

# What may give all workers one order, or each its own shards already.
_ALIKE = regex(r"seed|worker|Random\(|Generator|default_rng|get_state|getstate", re.IGNORECASE)


class Shuffled(NamedTuple):
    """Where shards are shuffled that are divided behind that, what a reader calls both stages, and the first
    where it is one of the library's."""

    module: Module
    node: ast.expr
    shuffle: str
    divide: str = ""
    made: Made | None = None


def shuffled_shares(evaluator: Evaluator, dataset: Value, world: World) -> Iterator[Shuffled]:
    """The stages of a pipeline that put shards in an order which each worker has for itself, where a later
    one gives each worker its share of them, and nothing in between, or before, may do anything else."""
    made = _pipeline(evaluator, dataset, world)
    for stages in _orders(evaluator, made, world) if made is not None else ():
        first, *others = stages
        found = list(_shuffles_itself(evaluator, first))
        if not found and not (isinstance(first, Made) and first.name in GIVES_SHARDS):
            continue
        for stage in others:
            name = getattr(stage, "name", "")
            if isinstance(stage, External) and name in DIVIDES_SHARDS:
                yield from (each._replace(divide=name.rpartition(".")[2]) for each in found)
                break
            if isinstance(stage, Made) and name in SHUFFLES_SHARDS:
                if _shuffles(evaluator, stage, world) and isinstance(stage.node, ast.Call):
                    shown = ast.unparse(stage.node.func)
                    found.append(Shuffled(stage.point.frame.module, stage.node, f"{shown}()", made=stage))
            elif name not in LEAVES_SHARDS:
                break


def _pipeline(evaluator: Evaluator, dataset: Value, world: World) -> Made | None:
    """The pipeline that a dataset is, or of which it is made by a method that leaves its stages."""
    while isinstance(dataset, Made) and dataset.name != PIPELINE:
        node = dataset.node
        if dataset.name not in GOES_ON or not (
            isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
        ):
            return None
        held = [value for value, _ in evaluator.values(node.func.value, dataset.point, world)]
        if len(held) != 1 or held[0].key == dataset.key:
            return None
        dataset = held[0]
    return dataset if isinstance(dataset, Made) else None


def _orders(evaluator: Evaluator, made: Made, world: World) -> Iterator[list[Value]]:
    """The stages of a pipeline in their order, on each way on which all of them are known."""
    ways: list[tuple[list[Value], World]] = [([], world)]
    for each in made.node.args if isinstance(made.node, ast.Call) else ():
        spread = isinstance(each, ast.Starred)
        part = each.value if isinstance(each, ast.Starred) else each
        following: list[tuple[list[Value], World]] = []
        for stages, start in ways:
            for value, w in evaluator.values(part, made.point, start):
                if isinstance(value, Items):
                    following += [] if value.open else [([*stages, *value.items], w)]
                elif is_none(value):
                    following.append((stages, w))  # is left out
                elif not spread:
                    following.append(([*stages, value], w))
        ways = following[:OUTCOMES]
    yield from (stages for stages, _ in ways if stages)


def _shuffles(evaluator: Evaluator, stage: Made, world: World) -> bool:
    """Whether a stage shuffles at all, with numbers of each worker's own."""
    given = stage.arguments
    if given.spread or given.splats or given.keywords.keys() & TELLS_ORDER or len(given.positional) > 2:
        return False
    sizes = [*given.positional[:1], *(given.keywords[name] for name in given.keywords if name == "bufsize")]
    return not any(
        isinstance(value, Const) and not (isinstance(value.value, int) and value.value > 1)
        for size in sizes
        for value, _ in evaluator.value_of(size, world)
    )


def _shuffles_itself(evaluator: Evaluator, first: Value) -> Iterator[Shuffled]:
    """The calls by which the program's own first stage puts its shards in an order of chance."""
    if not isinstance(first, Instance):
        return
    line = evaluator.classes.line(first.cls)
    if any(_ALIKE.search(above.module.text_of(above.node)) for above in line):
        return
    for method in evaluator.classes.methods(first, "__iter__"):
        frame = evaluator.calls.enter(method, Arguments(), None, None)
        for statement in statements_in(method.node.body) if isinstance(method.node, FunctionNode) else ():
            for node in own_nodes(statement):
                if isinstance(node, ast.Call) and any(
                    isinstance(callee, External) and callee.name in SHUFFLES
                    for callee, _ in evaluator.values(node.func, Point(frame, statement))
                ):
                    yield Shuffled(method.module, node, f"{first.cls.name}.__iter__")
