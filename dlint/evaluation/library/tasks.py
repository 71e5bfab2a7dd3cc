"""What a pool's task gives: what its function gives for what it was submitted with."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from dlint.knowledge.processes.pools import RESULTS
from dlint.values.frame import Argument, Arguments
from dlint.values.values import External, Made, Unknown
from dlint.values.worlds import World

if TYPE_CHECKING:
    from dlint.evaluation.interface import Evaluator
    from dlint.values.outcomes import Outcome


def task_of(asked: External) -> Made | None:
    """The task whose result is asked for, be it waited for before: ``pool.submit(read, path).result``."""
    return asked.owner if asked.name in RESULTS and isinstance(asked.owner, Made) else None


def run_by(task: Made) -> tuple[Argument, Arguments] | None:
    """The function that a task runs, and what that is given; None where that is not written out."""
    given = task.arguments
    if not given.positional or given.spread or given.splats:
        return None
    function, *others = given.positional
    if task.name.endswith(".submit"):
        return function, Arguments(others, given.keywords)
    # ``apply_async(read, (path,))``: of what it is told besides, nothing is known here.
    arguments = others[0] if others else given.keywords.get("args")
    if "kwds" in given.keywords or len(others) > 1:
        return None
    if arguments is None:
        return function, Arguments()
    match arguments.expression, arguments.point:
        case ast.Tuple(elts=parts) | ast.List(elts=parts), point if not any(
            isinstance(part, ast.Starred) for part in parts
        ):
            return function, Arguments([Argument(part, point) for part in parts])
    return None


def results(evaluator: Evaluator, task: Made, world: World) -> list[Outcome]:
    """What a task gives; nothing where its function is not known."""
    run = run_by(task)
    if run is None:
        return []
    function, arguments = run
    found: list[Outcome] = []
    for value, w in evaluator.value_of(function, world):
        if isinstance(value, Unknown):
            return []
        found += evaluator.invoke(value, arguments, task.node, task.point, w)
    return found
