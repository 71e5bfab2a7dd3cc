"""What the parent draws: once in a run, or another number each time."""

from __future__ import annotations

import ast
from collections.abc import Set
from typing import TYPE_CHECKING

from dlint.randomness.seeds.seed import EPOCH_SEED, FRESH_SEED, Seed
from dlint.values.frame import Point
from dlint.values.places import is_repeated, loops_around, tests_around
from dlint.values.values import Made

if TYPE_CHECKING:
    from dlint.calls.evaluator import Evaluator

_FAR = 5


def runs_once(
    evaluator: Evaluator, call: ast.Call, point: Point, worker: Set[int], *, copied: bool, far: int = 0
) -> bool:
    """Whether the parent comes to a call once in a run, as far as its calls show: what it draws there is the
    same for the workers of all epochs. What a module draws when it is imported, spawned workers draw again,
    and those that are ``copied`` from the parent do not. ``worker`` are the functions that workers execute.
    """
    scope = point.frame.scope
    if far > _FAR or id(scope) in worker or is_repeated(call, point):
        return False
    if isinstance(scope, ast.Module):
        return copied or far > 0 or any("__name__" in ast.unparse(test) for test, _, _ in tests_around(point))
    if not isinstance(scope, ast.FunctionDef):
        return False
    sites = evaluator.sites.of(scope, point.frame)
    known = bool(sites) and evaluator.sites.are_all(scope)
    return known and all(
        runs_once(evaluator, site.call, site.point, worker, copied=copied, far=far + 1) for site in sites
    )


def is_made_before(made: Made, point: Point) -> bool:
    """Whether an object is not made anew for each time that control comes to a point."""
    there = made.point
    if there.frame.scope is not point.frame.scope:
        return True
    around = {id(loop) for loop in loops_around(there)}
    return any(id(loop) not in around for loop in loops_around(point))


def new_at(point: Point, worker: Set[int]) -> Seed:
    """A new number, of each worker where worker code makes it, else one that all have from the parent."""
    return FRESH_SEED if id(point.frame.scope) in worker else EPOCH_SEED
