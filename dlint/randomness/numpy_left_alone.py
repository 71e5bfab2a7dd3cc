"""Whether the ``worker_init_fn`` of a loader is known to its end, and leaves the state of NumPy alone."""

from __future__ import annotations

import ast

from dlint.calls.evaluator import Evaluator
from dlint.knowledge.randomness import SEEDS, may_seed_numpy, seeds_nothing
from dlint.randomness.init_functions import behind_partials
from dlint.values.frame import Point
from dlint.values.functions import function_body
from dlint.values.values import Class, External, Function, Instance, Unknown, Value, is_none
from dlint.workers.uses import WorkerUse
from dlint.workers.worker import WorkerCode


def leaves_numpy_alone(evaluator: Evaluator, uses: list[WorkerUse]) -> bool:
    """Whether the loader's worker_init_fn is known to its end and seeds other libraries only, or nothing; on
    some ways there may be none."""
    for use in uses:
        loader = use.loader
        if use.dataset is None and loader is not None:
            given = [value for value in loader.values("worker_init_fn") if not _is_none(value)]
            known = bool(given) and all(value is not None and _is_known(evaluator, value) for value in given)
            return known and _seeds_no_numpy(evaluator, use.code)
    return False


def _is_none(value: Value | None) -> bool:
    return value is None or is_none(value)


def _is_known(evaluator: Evaluator, given: Value) -> bool:
    """Whether a function is the program's own, or an object of it that is called as one."""
    given = behind_partials(given)
    if isinstance(given, Instance):
        return bool(evaluator.classes.methods(given, "__call__"))
    return isinstance(given, Function)


def _seeds_no_numpy(evaluator: Evaluator, code: WorkerCode) -> bool:
    names = {event.name for event in code.events if event.role == "worker_init_fn"}
    if any(may_seed_numpy(name) for name in names):
        return False
    # What seeds others has seeding for its subject; what seeds nothing may leave it to what it calls.
    sure = any(name in SEEDS for name in names)
    for visit in code.visits:
        if visit.role != "worker_init_fn":
            continue
        if not sure and _has_subclasses(evaluator, visit.function):
            return False
        for node in function_body(visit.function.node):
            if isinstance(node, ast.Call):
                for value, _ in evaluator.values(node.func, Point(visit.frame, None), visit.world):
                    if isinstance(value, Unknown) or not (sure or _seeds_nothing(value)):
                        return False
    return True


def _seeds_nothing(value: Value) -> bool:
    """Whether a call surely leaves NumPy's state alone, what it leads to in the program left aside."""
    return seeds_nothing(value.name) if isinstance(value, External) else isinstance(value, Function | Class)


def _has_subclasses(evaluator: Evaluator, function: Function) -> bool:
    """Whether a method may be another one in the end."""
    return function.owner is not None and bool(evaluator.classes.subclasses(function.owner, 1))
