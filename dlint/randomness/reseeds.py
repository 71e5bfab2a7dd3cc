"""Seeding calls in worker code: where the call stands that is to go, and which run once for a pass."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from dlint.knowledge.randomness import BESIDE_SEEDS, SEEDS, STATE_CALLS, draws_from
from dlint.source.layout import Layout, Place
from dlint.source.nodes import walk
from dlint.source.statements import bare_name, dotted, given_in
from dlint.values.frame import Point
from dlint.values.functions import function_body, is_generator
from dlint.values.places import is_repeated
from dlint.values.values import Function, Items
from dlint.values.worlds import HERE
from dlint.workers.events import Event
from dlint.workers.reach import Link
from dlint.workers.worker import WorkerCode

if TYPE_CHECKING:
    from dlint.calls.evaluator import Evaluator

# What is called for each item, by whoever has the object.
_FOR_EACH = frozenset({"__next__", "__getitem__", "__call__", "forward"})


def place_of_seeding(event: Event, code: WorkerCode) -> tuple[Point, ast.expr]:
    """The call that is to go: the seeding call itself, or that of a function which is there to seed, and
    which main may call rightly."""
    assert isinstance(event.node, ast.Call)
    point, node = event.point, event.node
    link: Link | None = event.link
    while link is not None and link.function is not None and _only_seeds(link.function, code):
        if link.caller is None or not isinstance(link.site, ast.Call):
            break
        point, node, link = link.caller, link.site, link.above
    return point, node


def _only_seeds(function: Function, code: WorkerCode) -> bool:
    """Whether seeding is all that a function is for."""
    if isinstance(function.node, ast.Lambda) or is_generator(function.node):
        return False
    name, body = function.node.name, list(function_body(function.node))
    if name.startswith("__"):
        return False
    calls = {id(each): each for each in body if isinstance(each, ast.Call)}
    inside = [event for event in code.events if id(event.node) in calls]
    seeds = {
        each.id
        for event in inside
        if event.name in SEEDS and isinstance(event.node, ast.Call)
        for argument in event.node.args
        for each in walk(argument)
        if isinstance(each, ast.Name)
    }
    for each in body:
        given = each.value if isinstance(each, ast.Return) else None
        if given is not None and not (isinstance(given, ast.Name) and given.id in seeds):
            return False  # it may hand back the seed
    if any(draws_from(event.name, library) for event in inside for library in STATE_CALLS):
        return False
    seeding = {id(event.node) for event in inside if event.name in SEEDS or event.name in BESIDE_SEEDS}
    return "seed" in name.lower() or seeding == calls.keys()


def is_for_first(test: ast.expr, block: list[ast.stmt], layout: Layout) -> bool:
    """Whether a test lets only the first in, as the block behind it changes what is tested: ``if not
    self.seeded:``."""
    tested = {dotted(node) for node in walk(test) if isinstance(node, ast.Name | ast.Attribute)}
    return any(tested & layout.bound_by(statement) for statement in block)


def is_always_taken(evaluator: Evaluator, place: Place, point: Point) -> bool:
    """Whether control comes to a block around a point each time that it comes so far, as what is tested is
    known: ``if not self.train`` of a dataset that is made with ``train=False``."""
    owner = place.owner
    if not isinstance(owner, ast.If):
        return isinstance(owner, ast.With | ast.Try | None) or _is_gone_through(evaluator, place, point)
    if is_for_first(owner.test, place.block, point.frame.layout):
        return False
    evaluator.start()
    outcomes = evaluator.truth(owner.test, point.before(owner), HERE)
    return {result for result, _ in outcomes} == {place.role == "body"}


def is_taken(evaluator: Evaluator, place: Place, point: Point) -> bool:
    """Whether every worker surely comes to a block around a point, the first time at least: workers have a
    ``get_worker_info()``."""
    owner = place.owner
    if not isinstance(owner, ast.If):
        return isinstance(owner, ast.With | ast.Try | None) or _is_gone_through(evaluator, place, point)
    if place.role == "body" and is_for_first(owner.test, place.block, point.frame.layout):
        return True
    evaluator.start()
    results = {
        result
        for result, world in evaluator.truth(owner.test, point.before(owner), HERE)
        if evaluator.library.may_be_in_worker(world)
    }
    return results == {place.role == "body"}


def _is_gone_through(evaluator: Evaluator, place: Place, point: Point) -> bool:
    """Whether control surely comes to a point in the body of a loop, as that goes through a list that is
    known and not empty, and nothing before the point leaves a round: ``for each in (random, np.random):``."""
    owner, statement = place.owner, point.statement
    if not isinstance(owner, ast.For) or place.role != "body" or statement is None:
        return False
    leaves = (node for node in walk(owner) if isinstance(node, ast.Break | ast.Continue))
    if any(node.lineno < statement.lineno for node in leaves):
        return False
    evaluator.start()
    through = [value for value, _ in evaluator.values(owner.iter, point.before(owner), HERE)]
    return bool(through) and all(
        isinstance(value, Items) and bool(value.items) and not value.open for value in through
    )


def is_once_a_pass(event: Event) -> bool:
    """Whether ``__iter__`` comes to the call by functions that it calls once, none of them in a loop: a
    helper, or the constructor of the reader that it gives back."""
    at, node = event.point, event.node
    link = event.link
    while link.function is not None and not is_repeated(node, at):
        function = link.function.node
        if link.above is None:
            return getattr(function, "name", "") == "__iter__"
        if link.caller is None or link.site is None or not _is_run_once(function, link.site):
            return False
        at, node, link = link.caller, link.site, link.above
    return False


def _is_run_once(function: ast.AST, site: ast.AST) -> bool:
    """Whether a place that leads to a function runs it itself, and hands it to nobody who may call it more
    often: ``map(self.read, files)``."""
    name = getattr(function, "name", "")
    if name == "__iter__":
        return True
    if not isinstance(site, ast.Call) or not name or name in _FOR_EACH:
        return False
    return not any(bare_name(node) == name for each in given_in(site) for node in walk(each))
