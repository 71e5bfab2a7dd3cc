"""How often a program goes through a loader."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import TYPE_CHECKING

from dlint.loaders.iteration import Iterations
from dlint.values.places import is_repeated, loops_that_repeat

if TYPE_CHECKING:
    from dlint.loaders.loaders import Loader
    from dlint.loaders.program import Program
    from dlint.values.frame import Point

_FAR = 6


def is_passed_once(program: Program, loader: Loader, files: Iterable[str]) -> bool:
    """Whether all that is seen, in some files, to go through a loader does so once: nothing repeats the loop,
    nor a call that leads to it."""
    iterations = Iterations(program)
    found = [
        iteration
        for module in program.modules.each(files)
        for iteration in iterations.in_module(module)
        if iteration.loader.call is loader.call
    ]
    if len(found) != 1 or any(True for _ in loops_that_repeat(found[0].point)):
        return False
    return _runs_once(program, found[0].point, 0)


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
