"""What the parent stores in objects of a dataset in the rounds of a loop: workers that start then have it."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence, Set
from typing import TYPE_CHECKING, NamedTuple

from dlint.knowledge.loading import LOADERS
from dlint.source.nodes import walk
from dlint.source.statements import FunctionNode, dotted, own_names, parameters, statements_in
from dlint.values.frame import Arguments, Frame, Point
from dlint.values.places import LOOPS, loops_around, loops_that_repeat
from dlint.values.values import Instance, Made

if TYPE_CHECKING:
    from dlint.calls.evaluator import Evaluator
    from dlint.calls.site import Site
    from dlint.workers.uses import WorkerUse

_FAR = 3
# What is given a loader and does not go through it.
_LOOKS = frozenset({"id", "isinstance", "iter", "len", "next", "print", "type"})


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
    for _, function in evaluator.attributes.storing(holder, name):
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
    path = f"{parameters(function)[0].arg}.{name}"
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
    """Whether what is stored into an object at a place reaches workers, which are started later on."""
    if id(point.frame.scope) in worker or not _is_in_rounds(evaluator, held, point):
        return False
    keys = {value.key for value, _ in evaluator.values(held, point)}
    told = [use for use in uses if use.dataset is not None and use.dataset.key in keys] or uses
    return not told or any(use.loader is None or not use.loader.keeps_workers for use in told)


def _is_in_rounds(evaluator: Evaluator, held: ast.expr | None, point: Point, far: int = 0) -> bool:
    """Whether the rounds of a loop come to a place, or to the calls that lead there, for one and the same
    object, and no round goes through a loader again and again."""
    root = (dotted(held) or "").partition(".")[0] if held is not None else ""
    for loop in loops_that_repeat(point):
        if root not in own_names(loop):  # else one after another of several objects is told
            return not _goes_round_inside(evaluator, getattr(loop, "body", []), point)
    scope = point.frame.scope
    if (
        not isinstance(scope, ast.FunctionDef)
        or far > _FAR
        or _goes_round_inside(evaluator, scope.body, point)
    ):
        return False
    return any(
        _is_in_rounds(evaluator, _given(root, scope, site), site.point, far + 1)
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


def _goes_round_inside(evaluator: Evaluator, block: list[ast.stmt], point: Point) -> bool:
    """Whether a loop of a block, besides those around a point, goes through one loader in each of its
    rounds: what is told once is read by all these passes."""
    around = {id(loop) for loop in loops_around(point)}
    return any(
        _is_gone_through(evaluator, node, Point(point.frame, inner), point.frame.layout.bound_by(loop))
        for loop in statements_in(block)
        if isinstance(loop, LOOPS) and id(loop) not in around
        for inner in statements_in(loop.body)
        for node in _passed(inner)
    )


def _passed(statement: ast.stmt) -> Iterator[ast.expr]:
    """What a statement goes through, or hands to a function that may do so."""
    if isinstance(statement, ast.For):
        yield statement.iter
        heads: list[ast.AST] = [statement.iter]
    elif isinstance(statement, ast.Expr | ast.Assign):
        heads = [statement.value]
    else:
        return
    for head in heads:
        for node in walk(head):
            if isinstance(node, ast.Call) and dotted(node.func) not in _LOOKS:
                yield from node.args


def _is_gone_through(evaluator: Evaluator, node: ast.expr, point: Point, bound: Set[str]) -> bool:
    """Whether an expression is a loader, and the same one in all rounds of a loop, which binds some names."""
    path = dotted(node)
    if path is None or any(path == name or path.startswith(f"{name}.") for name in bound):
        return False
    return any(
        (isinstance(value, Made) and value.name in LOADERS)
        or (isinstance(value, Instance) and any(n in LOADERS for n in evaluator.classes.libraries(value.cls)))
        for value, _ in evaluator.values(node, point)
    )
