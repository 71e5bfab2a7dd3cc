"""How often a program goes through a loader."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from dlint.loaders.iteration import Iterations
from dlint.values.places import loops_that_repeat

if TYPE_CHECKING:
    from dlint.loaders.loaders import Loader
    from dlint.loaders.program import Program
    from dlint.values.frame import Point

_FAR = 6


def is_passed_once(program: Program, loader: Loader) -> bool:
    """Whether all that is seen to go through a loader does so once: nothing repeats the loop, nor a call that
    leads to it."""
    iterations = Iterations(program)
    found = [
        iteration
        for module in program.modules.each(program.modules.index.mentioning("for"))
        for iteration in iterations.in_module(module)
        if iteration.loader.call is loader.call
    ]
    return len(found) == 1 and _runs_once(program, found[0].point, 0)


def _runs_once(program: Program, point: Point, far: int) -> bool:
    scope = point.frame.scope
    if far > _FAR or any(True for _ in loops_that_repeat(point)):
        return False
    if isinstance(scope, ast.Module):
        return True
    if not isinstance(scope, ast.FunctionDef) or point.frame.owner is not None:
        return False
    sites = program.evaluator.sites.of(scope, point.frame)
    return len(sites) == 1 and _runs_once(program, sites[0].point, far + 1)
