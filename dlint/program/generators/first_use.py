"""Generators made once, at the first use: by worker code in each worker, or by whoever comes first."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from dlint.fork.early.per_process import is_given_process
from dlint.fork.sides import names_of
from dlint.knowledge.randomness import RESEEDS
from dlint.program.program import Program
from dlint.randomness.seeds.seed import FIXED, FIXED_SEED, WORKER, Seed
from dlint.randomness.seeds.seeds import seeds_of
from dlint.source.statements import dotted
from dlint.values.methods import is_cached
from dlint.values.places import tests_around
from dlint.values.values import Made
from dlint.workers.events import Event
from dlint.workers.repetition import is_for_absent, kept_as
from dlint.workers.uses import WorkerUse
from dlint.workers.worker import WorkerCode

if TYPE_CHECKING:
    from dlint.calls.evaluator import Evaluator

# Without a seed it starts from a number that is written in torch.
_SEEDS_ITSELF_ALIKE = "torch.Generator"


def is_kept_from_first(made: Made) -> bool:
    """Whether a function makes something where there is none yet, or none of this process, and keeps it."""
    if not isinstance(made.node, ast.Call):
        return False
    kept = kept_as(made.node, made.point)
    if is_cached(made.point.frame.scope):
        return kept == "returned"
    return kept == "stored" and (is_for_absent(made.point) or _is_otherwise_kept(made))


def is_made_in(code: WorkerCode, made: Made) -> bool:
    """Whether worker code makes something."""
    return any(visit.function.node is made.point.frame.scope for visit in code.visits)


def alike(evaluator: Evaluator, code: WorkerCode, draw: Event, made: Made) -> str:
    """Whose numbers are the same that worker code draws from what it has made at its first use: those of
    "workers and epochs", as its seed is a fixed number, or of "epochs", as it is made of the worker's as
    well. Empty where they may differ, or are drawn once for good as well (an order that is kept)."""
    if not is_made_in(code, made) or not is_kept_from_first(made):
        return ""
    if any(is_for_absent(point) or is_cached(point.frame.scope) for point in draw.places()):
        return ""
    kinds: set[str] = set()
    for seed in _seeds(evaluator, code, draw, made):
        if not seed.kinds <= {FIXED, WORKER}:
            return ""
        kinds |= seed.kinds
    return "" if not kinds else "epochs" if WORKER in kinds else "workers and epochs"


def _seeds(evaluator: Evaluator, code: WorkerCode, draw: Event, made: Made) -> list[Seed]:
    """The seeds that a generator is made of, or that the function which makes it gives it then."""
    scope = made.point.frame.scope
    link = next((visit.link for visit in code.visits if visit.function.node is scope), draw.link)
    making = [
        event for event in code.events if event.node is made.node and event.point.frame.scope is scope
    ] or [Event(made.name, None, made.node, made.point, draw.world, link, draw.role)]
    seeding = [
        event
        for event in code.events
        if event.owner is not None
        and event.owner.key == made.key
        and event.name.rpartition(".")[2] in RESEEDS
        and event.point.frame.scope is scope
    ]
    if not seeding and made.name == _SEEDS_ITSELF_ALIKE:
        return [FIXED_SEED]
    return [seed for event in seeding or making for seed in seeds_of(evaluator, code, event)]


def is_lazy(program: Program, use: WorkerUse, made: Made) -> bool:
    """Whether a generator is made at its first use, and none is for each process."""
    scope = made.point.frame.scope
    lazy = is_made_if_absent(made) or is_asked_for(use.code, made)
    return lazy and not is_given_process(program.evaluator, use.code.visits, scope)


def is_made_if_absent(made: Made) -> bool:
    """Whether a generator is made only where a test finds none yet, whatever the process: ``is None``."""
    if is_cached(made.point.frame.scope) or _is_otherwise_kept(made):
        return True
    layout = made.point.frame.layout
    place = layout.places.get(id(made.point.statement))
    owner = place.owner if place is not None else None
    if not isinstance(owner, ast.If):
        return False
    return _speaks_of(owner.test, made)


def _is_otherwise_kept(made: Made) -> bool:
    """Whether a statement makes something only where it does not store again what is there:
    ``self._rng = self._rng or RandomState(3)``."""
    match made.point.statement:
        case ast.Assign(targets=[target], value=value) if _outlives(target, made):
            pass
        case _:
            return False
    held = dotted(target)
    match value:
        case ast.BoolOp(op=ast.Or(), values=[first, *others]):
            return held is not None and dotted(first) == held and any(each is made.node for each in others)
        case ast.IfExp(test=test, body=body, orelse=orelse):
            one, other = (orelse, body) if body is made.node else (body, orelse)
            asked = "pid" not in ast.unparse(test)
            return asked and held is not None and dotted(one) == held and other is made.node
    return False


def _outlives(target: ast.expr, made: Made) -> bool:
    """Whether what a function stores is there when it is called again: an attribute, or a global."""
    statements = made.point.frame.layout.statements
    return isinstance(target, ast.Attribute) or any(
        isinstance(each, ast.Global) and isinstance(target, ast.Name) and target.id in each.names
        for each in statements
    )


def is_asked_for(code: WorkerCode, made: Made) -> bool:
    """Whether worker code comes to the function that makes a generator only where a test finds none yet:
    ``if self.rng is None: self.seed()``."""
    scope = made.point.frame.scope
    calls = [at for visit in code.visits if visit.function.node is scope for at in visit.callers.values()]
    return bool(calls) and all(
        at is not None
        and is_for_absent(at)
        and any(_speaks_of(test, made) for test, _, _ in tests_around(at))
        for at in calls
    )


def _speaks_of(test: ast.expr, made: Made) -> bool:
    """Whether a test asks for what holds a generator, and for no process."""
    tested = ast.unparse(test)
    return "pid" not in tested and any(name in tested for name in names_of(made))
