"""What decorators put in place of a function, and whether that gives None."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from dlint.calls.decorators import gives_itself, wrappers
from dlint.source.statements import statements_in
from dlint.streams.nones.endings import ENDED, endings
from dlint.streams.nones.never_returns import never_in
from dlint.streams.nones.written import is_bound_only, is_none, keeps_result
from dlint.values.frame import Arguments, Frame, Point
from dlint.values.functions import is_generator
from dlint.values.places import places_around
from dlint.values.values import NONE
from dlint.values.worlds import World

if TYPE_CHECKING:
    from dlint.calls.evaluator import Evaluator


def replacing(evaluator: Evaluator, function: ast.FunctionDef, outer: Frame) -> list[ast.expr]:
    """The decorators that may put something else in place of a function, or of what it returns."""
    others = [each for each in function.decorator_list if not (is_bound_only(each) or keeps_result(each))]
    if others:
        evaluator.start()
    return [each for each in others if not gives_itself(evaluator, each, function, outer)]


def gives_up(evaluator: Evaluator, function: ast.FunctionDef, outer: Frame, world: World) -> bool:
    """Whether what the program's one decorator puts in place of a function gives None after an exception,
    or when attempts at calling it run out; what it makes of a result that it tests, nobody knows."""
    others = replacing(evaluator, function, outer)
    evaluator.start()
    instead = wrappers(evaluator, function, outer) if len(others) == 1 else []
    node = instead[0].node if len(instead) == 1 else None
    if not isinstance(node, ast.FunctionDef) or is_generator(node):
        return False
    frame = evaluator.calls.enter(instead[0], Arguments(), None, None)
    returns = [each for each in statements_in(node.body) if isinstance(each, ast.Return)]
    of_none = [each for each in returns if _gives_none(evaluator, each, frame, world)]
    if len(of_none) == len(returns):
        return False
    never = never_in(evaluator, frame, world)
    # What says in the end that there is nothing ends as what says nothing.
    body = node.body[:-1] if any(each is node.body[-1] for each in of_none) else node.body
    return not ENDED.keys().isdisjoint(endings(body, never)) or any(
        isinstance(next(iter(places_around(Point(frame, each)))).owner, ast.ExceptHandler)
        and evaluator.flow.reaching(Point(frame, each), world)
        for each in of_none
    )


def _gives_none(evaluator: Evaluator, given: ast.Return, frame: Frame, world: World) -> bool:
    """Whether a statement surely gives None, by a name as well: ``return default``, of which the decorator
    was told nothing."""
    if not isinstance(given.value, ast.Name):
        return is_none(given.value)
    values = [value for value, _ in evaluator.values(given.value, Point(frame, given), world)]
    return bool(values) and all(value == NONE for value in values)
