"""Whether what worker code keeps is kept for the process that it is in: it looks at that, or is given what
tells one process from another."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final

from dlint.knowledge.randomness import WORKER_INFO
from dlint.source.nodes import walk
from dlint.source.statements import given_in, parameters
from dlint.values.methods import is_cached
from dlint.values.values import External, Items, Made, Value
from dlint.values.worlds import HERE
from dlint.workers.repetition import TELL_PROCESSES

if TYPE_CHECKING:
    from dlint.calls.evaluator import Evaluator
    from dlint.workers.events import Visit

_CALLS: Final = frozenset({"os.getpid", "torch.initial_seed", "torch.random.initial_seed"})
# What of these is another in each worker, as their dataset is not.
_PARTS: Final = frozenset(
    f"{asked}().{part}"
    for asked, parts in (
        (WORKER_INFO, ("id", "seed")),
        ("multiprocessing.current_process", ("pid", "ident", "name")),
        ("torch.multiprocessing.current_process", ("pid", "ident", "name")),
    )
    for part in parts
)


def is_for_one_process(visits: list[Visit]) -> bool:
    """Whether worker code of an object looks at the process that it is in."""
    texts = [visit.function.module.text_of(visit.function.node) for visit in visits]
    return any(word in text for text in texts for word in TELL_PROCESSES)


def is_given_process(evaluator: Evaluator, visits: Iterable[Visit], scope: ast.AST) -> bool:
    """Whether worker code calls a function with what tells processes apart (``handle(path, os.getpid())``),
    and that is a part of the key under which it keeps what it makes."""
    return any(_is_given(evaluator, visit) for visit in visits if visit.function.node is scope)


def _is_given(evaluator: Evaluator, visit: Visit) -> bool:
    node = visit.function.node
    telling = {
        parameter.arg
        for parameter in parameters(node)
        if any(_tells(value) for value, _ in evaluator.parameters.values(parameter.arg, visit.frame, HERE))
    }
    if not is_cached(node):
        return bool(telling) and not telling.isdisjoint(_compared(node))
    return bool(telling) or _is_said(evaluator, visit)


def _compared(function: ast.AST) -> Iterator[str]:
    """The variables that a function looks under, or compares with anything."""
    for node in walk(function):
        if isinstance(node, ast.Subscript | ast.Compare):
            looked_at = node.slice if isinstance(node, ast.Subscript) else node
            yield from (each.id for each in walk(looked_at) if isinstance(each, ast.Name))


def _is_said(evaluator: Evaluator, visit: Visit) -> bool:
    """Whether what a function is given is made of what tells processes apart: ``f"{path}{os.getpid()}"``."""
    site, caller = visit.link.site, visit.link.caller
    if not isinstance(site, ast.Call) or caller is None:
        return False
    return any(
        _tells(value)
        for argument in given_in(site)
        for node in walk(argument)
        if isinstance(node, ast.Name | ast.Attribute | ast.Call)
        for value, _ in evaluator.values(node, caller, visit.world)
    )


def _tells(value: Value) -> bool:
    """Whether something is another in each process."""
    match value:
        case Made(name=name):
            return name in _CALLS
        case External(name=name):
            return name in _PARTS
        case Items(items=items):
            return any(map(_tells, items))
    return False
