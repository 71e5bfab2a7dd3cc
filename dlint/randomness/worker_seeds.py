"""The seeding calls of a worker_init_fn: which of them repeat, and the calls in it that lead there.

What it seeds so may be a generator of the workers' dataset, too:
``get_worker_info().dataset.rng = np.random.default_rng(worker_id)``.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from dlint.knowledge.randomness import BESIDE_SEEDS, GENERATORS, RESEEDS, SEEDS, draws_from_generator
from dlint.randomness.init_functions import takes_one
from dlint.randomness.seeds.seeds import seeds_of
from dlint.source.statements import FunctionNode, statements_in
from dlint.values.frame import Point
from dlint.values.functions import function_body
from dlint.values.values import External, Function, Value
from dlint.workers.events import Event, Visit
from dlint.workers.reach import Link
from dlint.workers.worker import WorkerCode

if TYPE_CHECKING:
    from dlint.calls.evaluator import Evaluator
    from dlint.workers.uses import WorkerUse

_ROLE = "worker_init_fn"
# By which calls are given the generator that they draw from.
_GIVES_GENERATORS = ("generator", "random_state", "rng")


class Seeding(NamedTuple):
    """A seeding call that workers make when they start. ``call`` is the one in the worker_init_fn itself
    (``entry``) that seeds or that leads to it, ``kinds`` what the seed is made of."""

    event: Event
    entry: Visit
    call: ast.Call
    kinds: frozenset[str]

    @property
    def is_own(self) -> bool:
        """Whether the worker_init_fn seeds here itself."""
        return self.call is self.event.node


def code_of(evaluator: Evaluator, function: Function, given: Iterable[Value] = ()) -> WorkerCode:
    """What workers execute that get a function for their worker_init_fn, or what leads to it (``given``):
    partials, objects that have it for their ``__call__``."""
    code = WorkerCode(evaluator)
    for value in [*given] or [function]:
        code.add_callable(value, _ROLE, function.module, function.node.lineno)
    return code


def repeating(
    evaluator: Evaluator, code: WorkerCode, uses: Sequence[WorkerUse] = (), *, copied: bool
) -> Iterator[Seeding]:
    """The seeding calls whose seed is the same in every epoch, whichever way leads to them; of workers that
    are ``copied`` from the parent, or import its modules anew. ``uses`` are those with the loader's datasets,
    where all of them are known."""
    entries = {
        id(visit.link): visit for visit in code.visits if visit.role == _ROLE and _is_entry(visit.link)
    }
    seeding = [event for event in code.events if event.role == _ROLE and event.name in SEEDS]
    for event in code.each_way(seeding):
        if event.owner is not None:
            continue
        entry = entries.get(id(_entry_of(event.link)))
        if entry is None or not _can_be_called(entry):
            continue
        seeds = seeds_of(evaluator, code, event, uses, copied=copied)
        if seeds and all(seed.repeats for seed in seeds):
            kinds = frozenset().union(*(seed.kinds for seed in seeds))
            yield Seeding(event, entry, _place(evaluator, entry, event), kinds)


def seeds_only(evaluator: Evaluator, function: Function) -> bool:
    """Whether a function does nothing but seed libraries, and set what goes with that."""
    code = code_of(evaluator, function)
    return (
        any(event.name in SEEDS for event in code.events)
        and all(event.name in SEEDS or event.name in BESIDE_SEEDS for event in code.events)
        and all(
            isinstance(statement, ast.Assign | ast.Expr | ast.If | ast.Pass)
            for visit in code.visits
            if isinstance(visit.function.node, ast.FunctionDef)
            for statement in statements_in(visit.function.node.body)
        )
        and not any(
            isinstance(node, ast.Call) and not _is_of_library(evaluator, node, visit)
            for visit in code.visits
            for node in function_body(visit.function.node)
        )
    )


def _is_of_library(evaluator: Evaluator, call: ast.Call, visit: Visit) -> bool:
    """Whether what is called is known: a library's, or a function that was looked at itself."""
    callees = evaluator.values(call.func, Point(visit.frame, None), visit.world)
    return all(isinstance(value, External | Function) for value, _ in callees)


def _can_be_called(entry: Visit) -> bool:
    """Whether workers can call the function with their number, what a partial has given beside."""
    return takes_one(entry.function, entry.frame.arguments)


def _is_entry(link: Link) -> bool:
    return link.above is not None and link.above.above is None


def _entry_of(link: Link) -> Link:
    while link.above is not None and link.above.above is not None:
        link = link.above
    return link


def _place(evaluator: Evaluator, entry: Visit, event: Event) -> ast.Call:
    """The call in the worker_init_fn itself that seeds, or that leads to the seeding."""
    calls = [node for node in function_body(entry.function.node) if isinstance(node, ast.Call)]
    assert isinstance(event.node, ast.Call)
    if any(node is event.node for node in calls):
        return event.node
    link = event.link
    while link.above is not None and not _is_entry(link.above):
        link = link.above
    for node in calls:
        for value, _ in evaluator.values(node.func, event.point):
            if isinstance(value, Function) and (value.module, value.node.lineno) == (link.module, link.line):
                return node
    name = link.name.rpartition(".")[2]
    for node in calls:
        if ast.unparse(node.func).rpartition(".")[2] == name:
            return node
    return event.node


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
            case ast.keyword(arg=str(word), value=ast.Attribute(attr=name)) if word in _GIVES_GENERATORS:
                yield name
