"""Loaders of which each iterator starts workers of its own."""

from __future__ import annotations

import ast

from dlint.loaders.iteration import Iterations
from dlint.loaders.loaders import Loader
from dlint.program.program import Program
from dlint.program.restarted.iterators import may_be_iterator
from dlint.values.frame import Point
from dlint.values.values import Const


def loader_at(program: Program, iterations: Iterations, node: ast.expr, point: Point) -> Loader | None:
    """The loader, with workers of its own for each iterator, that an expression may be, and surely no
    iterator over one."""
    for value, _ in program.evaluator.values(node, point):
        loader = iterations.loader(value)
        if loader is not None and starts_workers(loader):
            return None if may_be_iterator(program.evaluator, node, point) else loader
    return None


def starts_workers(loader: Loader) -> bool:
    """Whether each iterator of a loader has workers of its own."""
    kept = loader.values("persistent_workers")
    may_keep = loader.keeps_workers or any(isinstance(value, Const) and value.value for value in kept)
    return loader.may_have_workers and not may_keep


def may_start_workers(loader: Loader) -> bool:
    """Whether each iterator of a loader may have workers of its own, on some way to what makes it."""
    return loader.may_have_workers and not loader.keeps_workers
