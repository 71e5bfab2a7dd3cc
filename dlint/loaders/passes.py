"""How often a program goes through a loader."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.source.nodes import walk
from dlint.source.statements import FunctionNode, statements_in
from dlint.values.frame import Point
from dlint.values.places import is_repeated, loops_that_repeat

if TYPE_CHECKING:
    from dlint.loaders.loaders import Loader
    from dlint.loaders.program import Program

_FAR = 6


def is_passed_once(program: Program, loader: Loader) -> bool:
    """Whether a loader is surely gone through once: by one loop, or one iterator, of the function that makes
    it, which does nothing else with it, where nothing repeats that or the calls that lead there."""
    passes = list(_uses(loader))
    if len(passes) != 1 or passes[0] is None or any(True for _ in loops_that_repeat(passes[0])):
        return False
    return _runs_once(program, passes[0], 0)


def _uses(loader: Loader) -> Iterator[Point | None]:
    """What the function that makes a loader does with it: each pass, and None for all else."""
    frame, statement = loader.point.frame, loader.point.statement
    match statement:
        case ast.For(iter=source) if _goes_through(source, loader.call):
            yield loader.point
            return
        case ast.Assign(targets=[ast.Name(id=name)], value=value) if value is loader.call:
            pass
        case _:
            yield None
            return
    if not isinstance(frame.scope, FunctionNode | ast.Module):
        yield None
        return
    heads: set[int] = set()
    for each in statements_in(frame.scope.body):
        if isinstance(each, ast.For):
            for node in walk(each.iter):
                if isinstance(node, ast.Name) and node.id == name and _goes_through(each.iter, node):
                    heads.add(id(node))
                    yield Point(frame, each)
        match each:
            case ast.Assign(value=ast.Call(func=ast.Name(id="iter"), args=[ast.Name(id=given) as node])):
                if given == name:
                    heads.add(id(node))
                    yield Point(frame, each)
    for node in walk(frame.scope):
        match node:
            case ast.Call(func=ast.Name(id="len"), args=[ast.Name() as asked]):
                heads.add(id(asked))  # starts no workers
        named = isinstance(node, ast.Name) and node.id == name
        if named and node is not statement.targets[0] and id(node) not in heads:
            yield None


def _goes_through(source: ast.expr, node: ast.expr) -> bool:
    """Whether an iterable is what a node is, or that of a call around it (``enumerate``, ``tqdm``)."""
    while source is not node and isinstance(source, ast.Call) and source.args:
        source = source.args[0]
    return source is node


def _runs_once(program: Program, point: Point, far: int) -> bool:
    """Whether the function that a point stands in is called once, as far as its calls show."""
    scope = point.frame.scope
    if isinstance(scope, ast.Module):
        return True
    if not isinstance(scope, ast.FunctionDef) or point.frame.owner is not None or far > _FAR:
        return False
    sites = program.evaluator.sites.of(scope, point.frame)
    if len(sites) != 1 or is_repeated(sites[0].call, sites[0].point):
        return False
    return _runs_once(program, sites[0].point, far + 1)
