"""Whether two places are of one run of the program: what leads to the one leads to the other as well."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from dlint.source.statements import FunctionNode
from dlint.values.frame import Point

if TYPE_CHECKING:
    from dlint.fork.program import Program
    from dlint.workers.uses import WorkerUse

_MOST_SCOPES = 60


def run_together(program: Program, point: Point, use: WorkerUse) -> bool:
    """Whether something that leads to a place leads to the loader of a use as well: another command does
    not."""
    if use.loader is None or isinstance(point.frame.scope, ast.Module | ast.ClassDef):
        return True
    here, there = _leads_to(program, point), _leads_to(program, use.loader.point)
    return here is None or there is None or not here.isdisjoint(there)


def beside(program: Program, relative: str) -> frozenset[str]:
    """The files that may be in one process with a file: what it imports, and all that its importers do."""
    mark = ("beside", relative)
    if mark not in program.answers:
        imports = program.boundaries.imports
        found = set(imports(relative))
        for other in program.boundaries.importers(relative):
            found |= imports(other)
        program.answers[mark] = frozenset(found)
    answer: frozenset[str] = program.answers[mark]
    return answer


def _leads_to(program: Program, point: Point) -> frozenset[int] | None:
    """The scopes, by id of their node, that may come to a place: its own, and those of the callers; None for
    very many."""
    mark = ("leads to", id(point.frame.scope))
    if mark not in program.answers:
        found: dict[int, Point] = {}
        waiting = [point]
        while waiting and len(found) <= _MOST_SCOPES:
            at = waiting.pop()
            scope = at.frame.scope
            if id(scope) in found:
                continue
            found[id(scope)] = at
            if isinstance(scope, FunctionNode):
                waiting += [site.point for site in program.evaluator.sites.of(scope, at.frame)]
        program.answers[mark] = None if len(found) > _MOST_SCOPES else frozenset(found)
    answer: frozenset[int] | None = program.answers[mark]
    return answer
