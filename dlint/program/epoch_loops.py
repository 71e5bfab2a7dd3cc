"""The loop over the epochs around what goes through a loader, and what the loader is called there."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import NamedTuple

from dlint.knowledge.epochs import speaks_of_evaluation
from dlint.module.layout import dotted, target_names
from dlint.module.source import Module
from dlint.program.frame import Point
from dlint.program.iteration import Iteration, Iterations
from dlint.program.program import Program
from dlint.program.repetition import loops_that_repeat
from dlint.program.training import evaluates, is_without_gradients

_FAR = 4
_EPOCH = re.compile(r"epoch", re.IGNORECASE)


class EpochLoop(NamedTuple):
    """The loop in which a loader is gone through once a round, None where several loops are around it and
    none says that it counts epochs. ``loader`` is the loader's expression there (``self.loader``), None
    where it has no name that the loop sees; ``sure`` where it is that loader on every way."""

    module: Module
    loop: ast.stmt | None
    loader: str | None
    sure: bool


def epoch_loop(program: Program, iterations: Iterations, iteration: Iteration) -> EpochLoop | None:
    """The loop that runs an iteration again and again, around it or around calls that lead to it."""
    node = _named(iterations, iteration.node, iteration.point)
    waiting = [(iteration.point, node, 0)]
    seen: set[int] = set()
    while waiting:
        point, node, far = waiting.pop()
        scope = point.frame.scope
        # train_and_evaluate() trains.
        name = scope.name if isinstance(scope, ast.FunctionDef) else ""
        if speaks_of_evaluation(name) and not name.startswith("train"):
            continue
        if is_without_gradients(point) or evaluates(point):
            continue
        loops = list(loops_that_repeat(point))
        if loops:
            loader = dotted(node) if node is not None else None
            sure = node is not None and _is_only(program, iterations, node, point, iteration)
            return EpochLoop(point.frame.module, _counting(loops), loader, sure)
        if isinstance(scope, ast.FunctionDef) and id(scope) not in seen and far < _FAR:
            seen.add(id(scope))
            for site in program.evaluator.sites.of(scope, point.frame):
                waiting.append((site.point, _named_at(iterations, site.call, site.point, node), far + 1))
    return None


def _is_only(
    program: Program, iterations: Iterations, node: ast.expr, point: Point, iteration: Iteration
) -> bool:
    """Whether an expression is the loader of an iteration on every way to it."""
    found = [iterations.loader(value) for value, _ in program.evaluator.values(node, point)]
    return bool(found) and all(each is not None and each.call is iteration.loader.call for each in found)


def _counting(loops: list[ast.stmt]) -> ast.stmt | None:
    """The loop that counts the epochs: the only one, or the only one that says so."""
    telling = [loop for loop in loops if any(_EPOCH.search(word) for word in _head(loop))]
    found = telling if telling else loops
    return found[0] if len(found) == 1 else None


def _head(loop: ast.stmt) -> Iterator[str]:
    """The words in the head of a loop."""
    if isinstance(loop, ast.For):
        yield from target_names(loop.target)
    head = loop.iter if isinstance(loop, ast.For) else loop.test if isinstance(loop, ast.While) else None
    for node in ast.walk(head) if head is not None else ():
        match node:
            case ast.Name(id=word) | ast.Attribute(attr=word) | ast.Constant(value=str(word)):
                yield word


def _named(iterations: Iterations, node: ast.expr, point: Point, far: int = 0) -> ast.expr | None:
    """The name of the loader that an expression is, or goes through (``enumerate(loader)``)."""
    if dotted(node) is not None:
        return node if iterations.is_loader(node, point) else None
    if isinstance(node, ast.Call) and far < _FAR:
        found = (_named(iterations, argument, point, far + 1) for argument in node.args[:2])
        return next((each for each in found if each is not None), None)
    return None


def _named_at(
    iterations: Iterations, call: ast.Call, point: Point, inside: ast.expr | None
) -> ast.expr | None:
    """What a loader is called where a function is called that goes through it."""
    if inside is not None and (dotted(inside) or "").startswith("self."):
        return inside if (dotted(call.func) or "").startswith("self.") else None
    given = [*call.args, *(word.value for word in call.keywords)]
    loaders = [node for node in given if dotted(node) is not None and iterations.is_loader(node, point)]
    return loaders[0] if len(loaders) == 1 else None
