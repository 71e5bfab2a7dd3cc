"""Whether the program has hidden all GPUs from itself: ``os.environ["CUDA_VISIBLE_DEVICES"] = ""``."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.fork.order import surely_comes_before
from dlint.knowledge.processes.devices import NO_DEVICES, VISIBLE_DEVICES
from dlint.source.statements import FunctionNode
from dlint.values.frame import Point
from dlint.values.places import LOOPS, places_around, tests_around
from dlint.values.values import Const

if TYPE_CHECKING:
    from dlint.fork.program import Program
    from dlint.workers.uses import WorkerUse

# What a place in a module may be left out by, or come to only behind others.
_NOT_SURE = (ast.Try, ast.ExceptHandler, *LOOPS)


def gpus_are_hidden(program: Program, use: WorkerUse) -> bool:
    """Whether each run that comes to the loader of a use has said before that there are no GPUs."""
    said = [none for point, none in _stores(program) if _is_before(program, point, use)]
    return bool(said) and all(said)


def _is_before(program: Program, point: Point, use: WorkerUse) -> bool:
    """Whether a place is passed whenever the program comes to a loader, and before: nothing is tested there
    but ``__name__``, and it surely comes first, or is in the body of a module that leads there."""
    if use.loader is None or any("__name__" not in ast.unparse(test) for test, _, _ in tests_around(point)):
        return False
    if isinstance(point.frame.scope, FunctionNode):
        return surely_comes_before(program.evaluator, point, use.loader)
    if any(isinstance(place.owner, _NOT_SURE) for place in places_around(point)):
        return False
    home, here = use.loader.module.relative, point.frame.module.relative
    imports = program.boundaries.imports
    if here in imports(home):
        return True
    others = (each for each in program.boundaries.importers(home) if not program.modules.index.is_test(each))
    return imports(here).issuperset({home, *others})


def _stores(program: Program) -> list[tuple[Point, bool]]:
    """The places outside tests that say which GPUs there are, and whether they say none."""
    mark = "the GPUs that are told"
    if mark not in program.answers:
        program.answers[mark] = [
            (
                point,
                all(
                    isinstance(given, Const) and given.value in NO_DEVICES
                    for given, _ in program.evaluator.values(value, point)
                ),
            )
            for value, point in _told(program)
        ]
    answer: list[tuple[Point, bool]] = program.answers[mark]
    return answer


def _told(program: Program) -> Iterator[tuple[ast.expr, Point]]:
    for module in program.modules.mentioning(VISIBLE_DEVICES):
        if program.modules.index.is_test(module.relative):
            continue
        for trail in module.paths_to("environ"):
            match trail[-3:]:
                case [ast.Assign(value=value), ast.Subscript(slice=ast.Constant(value=key)), _]:
                    if key == VISIBLE_DEVICES:
                        yield value, program.evaluator.sites.point_of(module, trail)
