"""Order: what the parent comes to before it makes a loader, and what it does only when that is done."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.source.nodes import walk
from dlint.source.statements import FunctionNode, statements_in
from dlint.values.frame import Point
from dlint.values.places import is_with_around, loops_around, places_around

if TYPE_CHECKING:
    from dlint.calls.evaluator import Evaluator
    from dlint.loaders.loaders import Loader
    from dlint.workers.uses import WorkerUse

_MOST_FUNCTIONS = 30
_FAR = 4  # callers of callers of what comes before a loader
_GROWS = frozenset({"append", "extend", "insert"})


def comes_before(evaluator: Evaluator, point: Point, use: WorkerUse, by: ast.expr | None = None) -> bool:
    """Whether the parent comes to a point before the loader of a use is there: in what makes the dataset, or
    on the way to the loader, there or in what is called first. The call ``by`` which it does may make what
    the loader is given: ``DataLoader(dataset.open())``."""
    if use.loader is None:
        return False
    ends: dict[int, list[_Step]] = {}
    for end in _ways_up(evaluator, _Step(use.loader.point, use.loader.call)):
        ends.setdefault(id(end.point.frame.scope), []).append(end)
    return any(
        id(at.point.frame.scope) in use.makers
        or any(
            _precedes(at.point, end.point) or _is_given_to(at, end)
            for end in ends.get(id(at.point.frame.scope), ())
        )
        for at in _ways_up(evaluator, _Step(point, _call(by)))
    )


def surely_comes_before(
    evaluator: Evaluator, point: Point, loader: Loader, by: ast.expr | None = None
) -> bool:
    """Whether the parent comes to a point, or to a call ``by`` there, whenever it makes a loader, and before:
    no test, loop or handler around the point leads there alone, up to a block that leads on to the loader."""
    ways = list(_ways_up(evaluator, _Step(loader.point, loader.call)))
    ends: dict[int, int] = {id(place.block): place.at for end in ways for place in places_around(end.point)}
    step: _Step | None = _Step(point, _call(by))
    for _ in range(_FAR):
        if step is None:
            return False
        at = step.point
        if any(_is_given_to(step, end) or is_with_around(at, end.point) for end in ways):
            return True
        for place in places_around(at):
            if place.at < ends.get(id(place.block), 0):
                return True
            if place.owner is not None and not isinstance(place.owner, ast.With):
                return False
        scope = at.frame.scope
        if not isinstance(scope, ast.FunctionDef | ast.AsyncFunctionDef):
            return False
        sites = evaluator.sites.of(scope, at.frame)
        step = _Step(sites[0].point, sites[0].call) if len(sites) == 1 else None
    return False


def _call(node: ast.expr | None) -> ast.Call | None:
    return node if isinstance(node, ast.Call) else None


def always_comes_to(point: Point) -> bool:
    """Whether a function comes to a point in it whenever it is called: no test, loop or handler stands around
    the point, and nothing returns before."""
    scope = point.frame.scope
    if not isinstance(scope, FunctionNode) or point.statement is None:
        return False
    return all(
        place.owner is None or isinstance(place.owner, ast.With) for place in places_around(point)
    ) and not any(
        isinstance(each, ast.Return) and each.lineno < point.statement.lineno
        for each in statements_in(scope.body)
    )


class _Step(NamedTuple):
    """A point on the way to another, and the call there that leads on, if one does."""

    point: Point
    call: ast.Call | None


def _is_given_to(step: _Step, end: _Step) -> bool:
    """Whether the call of one step is made to give what it gives to the other's: ``loop(prepare())``."""
    return (
        step.point.statement is end.point.statement
        and step.call is not None
        and end.call is not None
        and step.call is not end.call
        and any(node is step.call for node in walk(end.call))
    )


def _ways_up(evaluator: Evaluator, first: _Step) -> Iterator[_Step]:
    """A point, the calls of the function that it stands in, the calls of the functions around these."""
    waiting = [first]
    seen: set[int] = set()
    for step in waiting:  # grows meanwhile
        yield step
        at = step.point
        scope = at.frame.scope
        if not isinstance(scope, ast.FunctionDef | ast.AsyncFunctionDef) or id(scope) in seen:
            continue
        if len(seen) < _MOST_FUNCTIONS:
            seen.add(id(scope))
            waiting += [_Step(site.point, site.call) for site in evaluator.sites.of(scope, at.frame)]


def _precedes(at: Point, end: Point) -> bool:
    """Whether one point of a scope stands before another, in a block that holds both, or is the head of a
    ``with`` around it."""
    places = {id(place.block): place.at for place in places_around(end)}
    return is_with_around(at, end) or any(
        place.at < places.get(id(place.block), 0) for place in places_around(at)
    )


def is_never_sent(point: Point, loader: Loader) -> bool:
    """Whether what a statement puts in a list of an object, or gives to a method of it, is not there when a
    loader starts its workers: it does so behind the last loop over the loader, or the list is emptied again
    at once."""
    statement = point.statement
    match statement:
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name() as holder))):
            return _is_behind(point, statement, holder, loader)
        case ast.Assign(targets=[ast.Subscript(value=ast.Attribute(value=ast.Name() as holder))]):
            return _is_behind(point, statement, holder, loader)
    grown = _grown(statement)
    if grown is None or statement is None:
        return False
    assert isinstance(grown.value, ast.Name)
    return _is_taken_out(point, grown, loader) or _is_behind(point, statement, grown.value, loader)


def _grown(statement: ast.stmt | None) -> ast.Attribute | None:
    """The list of an object that a statement adds to: ``dataset.steps.append(...)``."""
    match statement:
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Attribute() as held, attr=method))):
            return held if method in _GROWS and isinstance(held.value, ast.Name) else None
        case ast.AugAssign(target=ast.Attribute(value=ast.Name()) as held, op=ast.Add()):
            return held
    return None


def _is_taken_out(point: Point, grown: ast.Attribute, loader: Loader) -> bool:
    """Whether a statement further down in the same block empties the list, before any that has a block of its
    own or makes the loader."""
    path = ast.unparse(grown)
    place = next(places_around(point), None)
    for statement in place.block[place.at + 1 :] if place is not None else ():
        if _empties(statement, path):
            return True
        if hasattr(statement, "body") or any(node is loader.call for node in walk(statement)):
            return False
    return False


def _empties(statement: ast.stmt, path: str) -> bool:
    match statement:
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=held, attr="clear"))):
            return ast.unparse(held) == path
        case ast.Assign(targets=[ast.Attribute() as held], value=ast.List(elts=[])):
            return ast.unparse(held) == path
    return False


def _is_behind(point: Point, statement: ast.stmt, holder: ast.Name, loader: Loader) -> bool:
    """Whether a statement, which is come to once, stands behind all loops over a loader that the same
    function makes for nobody else, of an object of its own."""
    frame = point.frame
    if (
        isinstance(frame.scope, ast.Lambda)
        or loader.point.frame.scope is not frame.scope
        or holder.id not in frame.layout.binds
        or next(loops_around(point), None) is not None
    ):
        return False
    loops = [node for node in walk(frame.scope) if isinstance(node, ast.For)]
    over = {id(node): loop for loop in loops for node in walk(loop.iter)}
    match loader.point.statement:
        case ast.Assign(targets=[ast.Name(id=name) as target], value=value) if value is loader.call:
            used: list[ast.AST] = [
                node
                for node in walk(frame.scope)
                if isinstance(node, ast.Name) and node.id == name and node is not target
            ]
        case _:
            used = [loader.call]
    return all(_ends_before(over.get(id(node)), statement) for node in used)


def _ends_before(loop: ast.For | None, statement: ast.stmt) -> bool:
    return loop is not None and (loop.end_lineno or loop.lineno) < statement.lineno
