"""Calls of ``set_epoch`` that tell a sampler the same number in every epoch, or once for all of them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.calls.parameters.written import is_static, written
from dlint.knowledge.randomness import sounds_changing, sounds_like_settings
from dlint.loaders.by_epoch.epoch_loops import loops_above
from dlint.loaders.by_epoch.kept_number import is_never_changed, is_set_in_alone
from dlint.source.nodes import walk
from dlint.source.statements import dotted, own_names, parameters, statements_in
from dlint.values.frame import Point
from dlint.values.places import LOOPS, loops_around

if TYPE_CHECKING:
    from dlint.loaders.program import Program

_RANGES = ("range", "trange", "tqdm.trange")
# Through so many functions a number is followed that these are given.
_FAR = 2


class Tell(NamedTuple):
    """A number that is told, and where: in a call of ``set_epoch``, or of a function that hands it there."""

    number: ast.expr
    point: Point


def may_be_same(program: Program, tell: Tell, far: int = 0) -> bool:
    """Whether nothing around a call counts the number that it tells; asked before anybody looks for the loop
    over the epochs."""
    bound = [tell.point.frame.layout.bound_by(loop) for loop in loops_around(tell.point)]
    if any(path in names for names in bound for path in _paths(tell.number)):
        return False
    if not _is_parameter(tell):
        return True
    handed = _handed(program, tell) if far < _FAR else None
    return handed is None or all(may_be_same(program, each, far + 1) for each in handed)


def are_same_somewhere(program: Program, told: list[Tell]) -> bool:
    """Whether there is any loop in whose rounds all calls surely tell the same number: to find the one over
    the epochs is dear, and in vain where none is of that kind."""
    return any(all(is_same(program, each, loop) for each in told) for loop in _loops_of(program, told[0], 0))


def _loops_of(program: Program, tell: Tell, far: int) -> Iterator[ast.stmt]:
    """The loops of which `is_same` may be true: those of the function that tells, and of those that hand it
    the number."""
    tell = _plain(program, tell)
    owners = {id(place.owner): place.owner for place in tell.point.frame.layout.places.values()}
    yield from (owner for owner in owners.values() if isinstance(owner, LOOPS))
    for each in (_handed(program, tell) or ()) if far < _FAR else ():
        yield from _loops_of(program, each, far + 1)


def is_same(program: Program, tell: Tell, loop: ast.stmt, far: int = 0) -> bool:
    """Whether a call surely tells the same number in all rounds of the loop over the epochs, or is made in
    none of them."""
    tell, frame = _plain(program, tell), tell.point.frame
    if id(loop) in frame.layout.places:
        if any(True for _ in loops_around(Point(frame, loop))) or any(
            True for _ in loops_above(program, tell.point)
        ):
            return False
        if any(each is tell.point.statement for each in walk(loop)):
            bound = frame.layout.bound_by(loop)
            return _is_fixed(tell.number, tell.point, bound) or _begins(program, tell, loop, bound)
        # Who is called by nobody that is seen may be called for each epoch.
        scope = frame.scope
        seen = not isinstance(scope, ast.FunctionDef) or any(program.evaluator.sites.of(scope, frame))
        return seen or isinstance(tell.number, ast.Constant)
    handed = _handed(program, tell) if far < _FAR else None
    return bool(handed) and all(is_same(program, each, loop, far + 1) for each in handed or ())


def _plain(program: Program, tell: Tell) -> Tell:
    """The same with a number written out for one that nobody changes: whichever it is."""
    changed = not is_never_changed(program, tell.number, tell.point.frame)
    return tell if changed else tell._replace(number=ast.Constant(0))


def _handed(program: Program, tell: Tell) -> list[Tell] | None:
    """What the calls of the function around a call give for its number; None where that is not known."""
    frame, scope = tell.point.frame, tell.point.frame.scope
    if not isinstance(scope, ast.FunctionDef):
        return None
    sites = program.evaluator.sites.of(scope, frame)  # looks for them: only then is known whether it has all
    if not program.evaluator.sites.are_all(scope):
        return None
    method = frame.owner is not None and not is_static(scope)
    found: list[Tell] = []
    for site in sites:
        if isinstance(tell.number, ast.Constant):
            found.append(Tell(tell.number, site.point))
            continue
        if not isinstance(tell.number, ast.Name) or not _is_parameter(tell):
            return None
        argument = written(tell.number.id, scope, site.arguments, method)
        if argument is None or argument.expression is None:
            return None
        found.append(Tell(argument.expression, site.point))
    return found


def _is_parameter(tell: Tell) -> bool:
    """Whether a number is what the function around it is given, and no other by then."""
    scope, number = tell.point.frame.scope, tell.number
    return (
        isinstance(scope, ast.FunctionDef)
        and isinstance(number, ast.Name)
        and any(each.arg == number.id for each in parameters(scope))
        and not any(number.id in own_names(each) for each in statements_in(scope.body))
    )


def _is_fixed(number: ast.expr, point: Point, bound: frozenset[str]) -> bool:
    """Whether nothing in a loop that binds some names changes a number: it is written out, or made of local
    variables and settings."""
    match number:
        case ast.Constant():
            return True
        case ast.BinOp(left=left, right=right):
            return _is_fixed(left, point, bound) and _is_fixed(right, point, bound)
        case ast.Call(func=ast.Name(id="int"), args=[inner], keywords=[]):
            return _is_fixed(inner, point, bound)
        case ast.Name(id=name):
            own = isinstance(point.frame.scope, ast.FunctionDef) and any(
                each.arg == name for each in parameters(point.frame.scope)
            )
            return (own or name in point.frame.layout.binds) and name not in bound
        case ast.Attribute(value=ast.Name(id=holder), attr=name):
            return (
                sounds_like_settings(holder)
                and not sounds_changing(name)
                and bound.isdisjoint({holder, f"{holder}.{name}"})
            )
    return False


def _begins(program: Program, tell: Tell, loop: ast.stmt, bound: frozenset[str]) -> bool:
    """Whether a loop over the epochs begins with the number, a local variable or a setting that is not
    changed meanwhile: ``range(args.start, args.epochs)``."""
    number = tell.number
    if not bound.isdisjoint(_paths(number)):
        return False
    counted = loop.iter if isinstance(loop, ast.For) else None
    while isinstance(counted, ast.Call) and dotted(counted.func) not in _RANGES:
        counted = counted.args[0] if counted.args else None
    if not isinstance(counted, ast.Call) or len(counted.args) < 2:
        return False
    if ast.dump(counted.args[0]) != ast.dump(number):
        return False
    match number:
        case ast.Name():
            return True
        case ast.Attribute(value=ast.Name(id=holder), attr=name):
            return sounds_like_settings(holder) and is_set_in_alone(program, name, tell.point.frame.scope)
    return False


def _paths(number: ast.expr) -> Iterator[str]:
    for node in walk(number):
        path = dotted(node) if isinstance(node, ast.Name | ast.Attribute) else None
        if path is not None:
            yield path
