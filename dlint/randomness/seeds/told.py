"""What the parent stores in objects of a dataset in the rounds of a loop: workers that start then have it."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence, Set
from typing import TYPE_CHECKING, NamedTuple

from dlint.randomness.seeds.rounds import goes_round
from dlint.source.statements import FunctionNode, dotted, own_names, parameters, self_name, statements_in
from dlint.values.frame import Arguments, Frame, Point
from dlint.values.places import loops_that_repeat
from dlint.values.values import Instance

if TYPE_CHECKING:
    from dlint.calls.evaluator import Evaluator
    from dlint.calls.site import Site
    from dlint.workers.uses import WorkerUse

_FAR = 3


class Told(NamedTuple):
    """A value that is stored, to be looked at from a point; None where the old one is counted on."""

    value: ast.expr | None
    point: Point


def told_in_rounds(
    evaluator: Evaluator, holder: Instance, name: str, worker: Set[int], uses: Sequence[WorkerUse]
) -> Iterator[Told]:
    """What the parent stores in an attribute of an object in the rounds of a loop, itself (``dataset.seed =
    seed``) or by a method (``dataset.refresh(seed)``). ``worker`` are the functions that workers execute.
    Workers that stay, as those of ``uses`` may, keep what they were started with."""
    marks = evaluator.attributes.outside.marks(holder, {name})
    for store in evaluator.attributes.outside.stores(name) if marks else ():
        if id(store.target) in marks and _arrives(evaluator, store.target.value, store.point, worker, uses):
            yield Told(store.value, store.point)
    for _, function in evaluator.attributes.stored.storing(holder, name):
        if function.name == "__init__" or id(function) in worker:
            continue
        for method in evaluator.classes.methods(holder, function.name):
            if method.node is not function:
                continue
            unbound = evaluator.calls.enter(method, Arguments(), None, None)
            for site in evaluator.sites.of(function, unbound):
                called = site.call.func
                held = called.value if isinstance(called, ast.Attribute) else called
                if _arrives(evaluator, held, site.point, worker, uses):
                    frame = evaluator.calls.enter(method, site.arguments, site.call, site.point)
                    yield from _stored(function, frame, name)


def _stored(function: FunctionNode, frame: Frame, name: str) -> Iterator[Told]:
    """What a method stores in an attribute of its object."""
    path = f"{self_name(function)}.{name}"
    for statement in statements_in(function.body):
        if path not in own_names(statement):
            continue
        match statement:
            case ast.Assign(targets=[ast.Attribute()], value=value):
                yield Told(value, Point(frame, statement))
            case ast.AugAssign():
                yield Told(None, Point(frame, statement))


def _arrives(
    evaluator: Evaluator, held: ast.expr, point: Point, worker: Set[int], uses: Sequence[WorkerUse]
) -> bool:
    """Whether what is stored into an object at a place reaches workers, which are started later on, and other
    ones in each round of a loop."""
    if id(point.frame.scope) in worker:
        return False
    keys = {value.key for value, _ in evaluator.values(held, point)}
    told = [use for use in uses if use.dataset is not None and use.dataset.key in keys] or uses
    if told and all(use.loader is not None and use.loader.keeps_workers for use in told):
        return False
    loaders = frozenset(id(use.loader.call) for use in told if use.loader is not None)
    return _is_in_rounds(evaluator, held, point, loaders)


def _is_in_rounds(
    evaluator: Evaluator, held: ast.expr | None, point: Point, loaders: Set[int], far: int = 0
) -> bool:
    """Whether the rounds of a loop come to a place, or to the calls that lead there, for one and the same
    object, and no round goes through one of some loaders again and again."""
    root = (dotted(held) or "").partition(".")[0] if held is not None else ""
    for loop in loops_that_repeat(point):
        if root not in own_names(loop):  # else one after another of several objects is told
            return not goes_round(evaluator, getattr(loop, "body", []), point, loaders)
    scope = point.frame.scope
    if not isinstance(scope, ast.FunctionDef):
        return False
    if far > _FAR:
        return True  # nobody knows: no seed is said to stay the same
    if goes_round(evaluator, scope.body, point, loaders):
        return False
    return any(
        _is_in_rounds(evaluator, _given(root, scope, site), site.point, loaders, far + 1)
        for site in evaluator.sites.of(scope, point.frame)
    )


def _given(name: str, scope: ast.FunctionDef, site: Site) -> ast.expr | None:
    """What a call hands to a parameter, and the object itself for that of a method."""
    called, names = site.call.func, [each.arg for each in parameters(scope)]
    if name not in names:
        return None
    keyword = site.arguments.keywords.get(name)
    if keyword is not None:
        return keyword.expression
    given = site.arguments.positional
    at = names.index(name) - (1 if len(names) > len(given) and isinstance(called, ast.Attribute) else 0)
    if at < 0 and isinstance(called, ast.Attribute):
        return called.value
    return given[at].expression if 0 <= at < len(given) else None
