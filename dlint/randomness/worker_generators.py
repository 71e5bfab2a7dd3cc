"""Generators of the workers' dataset that a worker_init_fn makes, or seeds, with numbers that repeat:
``get_worker_info().dataset.rng = np.random.default_rng(worker_id)``."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from dlint.knowledge.randomness import GENERATORS, RESEEDS, draws_from_generator
from dlint.randomness.seeds import seeds_of
from dlint.source.statements import FunctionNode, statements_in
from dlint.values.frame import Point
from dlint.values.functions import function_body
from dlint.values.values import External
from dlint.workers.events import Event, Visit
from dlint.workers.worker import WorkerCode

if TYPE_CHECKING:
    from dlint.calls.evaluator import Evaluator
    from dlint.workers.uses import WorkerUse

_ROLE = "worker_init_fn"
_KEYWORDS = ("generator", "random_state", "rng")


class Renewal(NamedTuple):
    """A call that makes or seeds a generator when workers start: ``name`` is the attribute that holds it,
    ``kinds`` what its seed is made of."""

    name: str
    event: Event
    kinds: frozenset[str]


def repeating_renewals(
    evaluator: Evaluator, code: WorkerCode, uses: Sequence[WorkerUse], *, copied: bool
) -> list[Renewal]:
    """The calls by which workers begin each epoch alike, of generators that the worker code of ``uses`` draws
    from, and that nothing else makes or seeds when they start."""
    found: dict[str, list[Renewal | None]] = {}
    for visit in code.visits:
        if visit.role == _ROLE:
            for name, call, statement in _renewed(evaluator, visit):
                renewal = None
                if call is not None:
                    point = Point(visit.frame, statement)
                    event = Event("", None, call, point, visit.world, visit.link, _ROLE)
                    seeds = seeds_of(evaluator, code, event, uses, copied=copied)
                    if seeds and all(seed.repeats for seed in seeds):
                        kinds = frozenset[str]().union(*(seed.kinds for seed in seeds))
                        renewal = Renewal(name, event, kinds)
                found.setdefault(name, []).append(renewal)
    drawn = {name for use in uses for visit in use.code.visits for name in _drawn(visit)} if found else ()
    return [
        each
        for name, renewals in found.items()
        if name in drawn and None not in renewals
        for each in renewals
        if each is not None
    ]


def _renewed(evaluator: Evaluator, visit: Visit) -> Iterator[tuple[str, ast.Call | None, ast.stmt]]:
    """The attributes of objects that a function stores a generator in, or seeds, with the call that is given
    the seed; None where something else is stored there."""
    function = visit.function.node
    for statement in statements_in(function.body) if isinstance(function, FunctionNode) else ():
        match statement:
            case ast.Assign(targets=[ast.Attribute(attr=name)], value=value):
                yield name, _making(evaluator, value, Point(visit.frame, statement)), statement
            case ast.Expr(
                value=ast.Call(
                    func=ast.Attribute(value=ast.Attribute(attr=name) as held, attr=method), args=given
                ) as call
            ) if method in RESEEDS:
                values = evaluator.values(held, Point(visit.frame, statement), visit.world)
                if not any(isinstance(value, External) and value.owner is None for value, _ in values):
                    # With a number that is written out nothing is seeded anew: its maker is judged.
                    plain = bool(given) and isinstance(given[0], ast.Constant)
                    yield name, None if plain else call, statement


def _making(evaluator: Evaluator, value: ast.expr, point: Point) -> ast.Call | None:
    """The call that gives the seed to a generator which an expression makes."""
    match value:
        case ast.Call(func=ast.Attribute(value=ast.Call() as made, attr=method)) if method in RESEEDS:
            return value if _making(evaluator, made, point) is not None else None
        case ast.Call(func=func) if all(
            isinstance(callee, External) and callee.name in GENERATORS
            for callee, _ in evaluator.values(func, point)
        ):
            return value
    return None


def _drawn(visit: Visit) -> Iterator[str]:
    """The attributes of which worker code calls methods that draw, or that it hands to what draws."""
    for node in function_body(visit.function.node) if visit.role != _ROLE else ():
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Attribute(attr=name), attr=method)):
                if draws_from_generator(method):
                    yield name
            case ast.keyword(arg=str(word), value=ast.Attribute(attr=name)) if word in _KEYWORDS:
                yield name
