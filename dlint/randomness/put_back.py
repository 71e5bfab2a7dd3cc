"""Whether the state of random numbers that a call in worker code sets is put back, or seeded afresh."""

from __future__ import annotations

import ast

from dlint.calls.evaluator import Evaluator
from dlint.knowledge.randomness import KEEPS_STATE, SEEDS, SETS_STATE, STATE_CALLS
from dlint.randomness.seeds.seed import NEW
from dlint.randomness.seeds.seeds import seeds_of
from dlint.source.nodes import walk
from dlint.values.frame import Point
from dlint.values.functions import function_body
from dlint.values.places import is_with_around, places_around
from dlint.values.values import External, Function
from dlint.values.worlds import World
from dlint.workers.events import Event
from dlint.workers.reach import Link
from dlint.workers.worker import WorkerCode


def is_kept(event: Event) -> bool:
    """Whether the state is read before and put back after, in a function on the way to the call."""
    for library, calls in STATE_CALLS.items():
        if library not in libraries_of(event):
            continue
        link: Link | None = event.link
        while link is not None:
            if link.function is not None and _calls_all(link.function, calls):
                break
            link = link.above
        if link is None:
            return False
    return True


def _calls_all(function: Function, names: tuple[str, ...]) -> bool:
    nodes = list(function_body(function.node))
    if function.owner is not None and getattr(function.node, "name", "") == "__enter__":
        nodes = list(walk(function.owner.node))
    found = {node.attr for node in nodes if isinstance(node, ast.Attribute)}
    found |= {node.id for node in nodes if isinstance(node, ast.Name)}
    return found.issuperset(names)


def is_put_back_after(evaluator: Evaluator, event: Event) -> bool:
    """Whether a library's block around the call, or around a call that led to it, puts the state back."""
    libraries = SEEDS[event.name]
    link: Link | None = event.link
    while link is not None:
        function = link.function
        for decorator in getattr(function.node, "decorator_list", ()) if function is not None else ():
            if isinstance(decorator, ast.Call):
                assert function is not None
                outside = Point(function.frame, None)
                if _keeps(evaluator, decorator.func, outside, event.world, libraries):
                    return True
        link = link.above
    for point in event.places():
        for place in places_around(point):
            if isinstance(place.owner, ast.With) and place.role == "body":
                for item in place.owner.items:
                    if isinstance(item.context_expr, ast.Call) and _keeps(
                        evaluator, item.context_expr.func, point, event.world, libraries
                    ):
                        return True
    return False


def is_put_back_by(evaluator: Evaluator, code: WorkerCode, event: Event) -> bool:
    """Whether something else in worker code puts the state back, or seeds afresh, after what the seeding is
    for: a context around it, a decorator, a function that is called later on."""
    libraries = SEEDS[event.name]
    states = [calls for library, calls in STATE_CALLS.items() if library in libraries]
    restoring = {calls[-1] for calls in states}
    places = {id(point.frame.scope): point for point in event.places()}
    functions = set(places)
    link: Link | None = event.link
    while link is not None:
        if link.function is not None:
            functions.add(id(link.function.node))
        link = link.above
    others = [
        other
        for other in code.events
        if other.name.rpartition(".")[2] in restoring
        or (
            other is not event
            and not (other.node is event.node and _is_come_to_again(other))
            and SEEDS.get(other.name) == libraries
            and any(NEW & seed.kinds for seed in seeds_of(evaluator, code, other))
        )
    ]
    for other in code.each_way(others):
        # What saves the state itself puts that back: it must be around the seeding, not behind it.
        scope = other.point.frame.scope
        text = other.module.text_of(scope)
        apart = id(scope) not in places and any(calls[0] in text for calls in states)
        for point in other.places():
            if id(point.statement) in functions:
                return True  # a decorator of the function
            mine = places.get(id(point.frame.scope))
            if mine is None:
                continue
            if is_with_around(point, mine) or (
                not apart and _is_behind(point, mine) and not _is_saved_behind(code, other, point, mine)
            ):
                return True
    return False


def _is_saved_behind(code: WorkerCode, restoring: Event, at: Point, seeding: Point) -> bool:
    """Whether the state that a call puts back ``at`` a place is read after a seeding, and not before it: by
    the same block or object (``with restored():``)."""
    calls = next((each for each in STATE_CALLS.values() if restoring.name.endswith(each[-1])), None)
    if calls is None:
        return False
    read = _statements(code, restoring, calls[0], seeding)
    if id(at.statement) in read:
        return True
    # What one statement reads and puts back is its own.
    for own in read.keys() & _statements(code, restoring, calls[-1], seeding).keys():
        del read[own]
    return bool(read) and all(_is_behind(point, seeding) for point in read.values())


def _statements(code: WorkerCode, restoring: Event, name: str, point: Point) -> dict[int, Point]:
    """The statements of a point's function that come to a call of a library, of a name."""
    named = f"{restoring.name.rpartition('.')[0]}.{name}"
    return {
        id(place.statement): place
        for event in code.each_way(each for each in code.events if each.name == named)
        for place in event.places()
        if place.frame.scope is point.frame.scope
    }


def _is_come_to_again(event: Event) -> bool:
    """Whether a function on the way to a call has called itself: an item that asks for another."""
    functions: set[int] = set()
    link: Link | None = event.link
    while link is not None:
        if link.function is not None:
            if id(link.function.node) in functions:
                return True
            functions.add(id(link.function.node))
        link = link.above
    return False


def _is_behind(point: Point, before: Point) -> bool:
    """Whether control comes to a place after another of the same function, whatever branch that stands in:
    it is in the ``finally`` of its ``try``, or behind it or what it is part of."""
    for place in places_around(before):
        later = [*place.block[place.at + 1 :], *getattr(place.owner, "finalbody", ())]
        if any(statement is point.statement for statement in later):
            return True
    return False


def _keeps(evaluator: Evaluator, manager: ast.expr, point: Point, world: World, libraries: str) -> bool:
    evaluator.start()
    return any(
        isinstance(value, External) and libraries in KEEPS_STATE.get(value.name, "")
        for value, _ in evaluator.values(manager, point, world)
    )


def libraries_of(event: Event) -> str:
    """The libraries whose state a call sets."""
    return SEEDS[event.name] if event.name in SEEDS else SETS_STATE[event.name][0]
