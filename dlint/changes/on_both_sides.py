"""Functions that both sides of a fork run: whose change for workers changes what the parent does."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from dlint.fork.sides import worker_functions

if TYPE_CHECKING:
    from dlint.program.program import Program
    from dlint.values.frame import Frame


def is_for_parent_too(program: Program, frame: Frame) -> bool:
    """Whether code that no worker runs calls the function of a frame, itself or through others that both
    sides run."""
    worker = worker_functions(program)
    known = {id(frame.scope)}
    asked = [frame]
    for each in asked:  # grows meanwhile
        scope = each.scope
        if not isinstance(scope, ast.FunctionDef | ast.AsyncFunctionDef) or id(scope) not in worker:
            continue
        program.evaluator.start()
        for site in program.evaluator.sites.of(scope, each):
            caller = site.point.frame
            if not _is_run_by(caller, worker):
                return True
            if id(caller.scope) not in known:
                known.add(id(caller.scope))
                asked.append(caller)
    return False


def _is_run_by(frame: Frame, worker: frozenset[int]) -> bool:
    """Whether workers run what a frame is of, or the function that it is written in."""
    at: Frame | None = frame
    while at is not None:
        if id(at.scope) in worker:
            return True
        at = at.outer
    return False
