"""The seeding calls of a worker_init_fn: which of them repeat, and the calls in it that lead there."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.knowledge.randomness import SEEDS
from dlint.program.events import Event, Visit, function_body
from dlint.program.init_functions import takes_one
from dlint.program.reach import Link
from dlint.program.seeds import seeds_of
from dlint.program.values import HERE, Function
from dlint.program.worker import WorkerCode

if TYPE_CHECKING:
    from dlint.program.evaluate import Evaluator

_ROLE = "worker_init_fn"


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


def code_of(evaluator: Evaluator, function: Function) -> WorkerCode:
    """What workers execute that get a function for their worker_init_fn."""
    code = WorkerCode(evaluator)
    code.add_callable(function, HERE, _ROLE, function.module, function.node.lineno)
    return code


def repeating(evaluator: Evaluator, code: WorkerCode) -> Iterator[Seeding]:
    """The seeding calls whose seed is the same in every epoch, whichever way leads to them."""
    entries = {
        id(visit.link): visit for visit in code.visits if visit.role == _ROLE and _is_entry(visit.link)
    }
    for event in code.events:
        if event.role != _ROLE or event.name not in SEEDS or event.owner is not None:
            continue
        entry = entries.get(id(_entry_of(event.link)))
        if entry is None or not _can_be_called(entry):
            continue
        seeds = seeds_of(evaluator, code, event)
        if seeds and all(seed.repeats for seed in seeds):
            kinds = frozenset().union(*(seed.kinds for seed in seeds))
            yield Seeding(event, entry, _place(evaluator, entry, event), kinds)


def _can_be_called(entry: Visit) -> bool:
    """Whether workers can call the function with their number, what a partial has given beside."""
    given = entry.frame.arguments
    return takes_one(entry.function) or (given is not None and bool(given.all()))


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
