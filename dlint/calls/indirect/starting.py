"""Calls of a function that do not write its name before the parenthesis: through a variable, an entry of a
dict, or a library that starts it (``mp.spawn(train, args=(2, loaders))``), ``map`` among them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.knowledge.processes.starters import STARTERS, Starter
from dlint.source.module import Module
from dlint.source.statements import target_names
from dlint.values.frame import Argument, Arguments, Point, arguments_of
from dlint.values.values import External, Unknown

if TYPE_CHECKING:
    from dlint.calls.interface import Evaluator

Trail = list[ast.AST]
# Calls what it is given first with what it goes through, one by one.
_MAP = "builtins.map"


def handed_over(trail: Trail) -> tuple[ast.Call, ast.expr] | None:
    """The call that gets what a trail leads to as an argument, with the argument."""
    node = trail[-1]
    above = trail[-3:-1]
    if isinstance(node, ast.expr) and above:
        if isinstance(above[-1], ast.Call) and any(node is each for each in above[-1].args):
            return above[-1], node
        if len(above) == 2 and isinstance(above[-1], ast.keyword) and isinstance(above[0], ast.Call):
            return above[0], node
    return None


def started(evaluator: Evaluator, call: ast.Call, function: ast.expr, point: Point) -> Arguments | None:
    """What a call that starts a function, or calls it with each of some things, passes to it; None where it
    does neither."""
    for value, _ in evaluator.values(call.func, point):
        starter = STARTERS.get(value.name) if isinstance(value, External) else None
        if isinstance(value, External) and value.name == _MAP and call.args[:1] == [function]:
            if any(isinstance(each, ast.Starred) for each in call.args):
                return None
            return Arguments([Argument(each, point, element=True) for each in call.args[1:]])
        if starter is not None and _is_started(starter, call, function):
            given = _passed(starter, call, point)
            evaluator.sites.ranks.update(each.key for each in given.positional[: starter.own])
            return given
    return None


def _is_started(starter: Starter, call: ast.Call, function: ast.expr) -> bool:
    place = starter.place
    return (place is not None and len(call.args) > place and call.args[place] is function) or any(
        keyword.arg == starter.keyword and keyword.value is function for keyword in call.keywords
    )


def _passed(starter: Starter, call: ast.Call, point: Point) -> Arguments:
    own = [Argument(None, None, Unknown(("started", id(call), index))) for index in range(starter.own)]
    keywords = {keyword.arg: keyword.value for keyword in call.keywords if keyword.arg is not None}
    if starter.args is None:
        given_on = arguments_of(call, point)
        kept = {name: each for name, each in given_on.keywords.items() if name != starter.keyword}
        behind = starter.keyword not in keywords  # the function is the first by position
        return Arguments(given_on.positional[1 if behind else 0 :], kept, given_on.spread, given_on.splats)
    if any(isinstance(item, ast.Starred) for item in call.args) or len(keywords) < len(call.keywords):
        unknown = Argument(None, None, Unknown(("started", id(call), "more")))
        return Arguments(own, spread=[unknown], splats=[unknown])
    place, name = starter.args
    given = keywords.get(name)
    if given is None and place is not None and len(call.args) > place:
        given = call.args[place]
    named = keywords.get(starter.kwargs or "")
    if named is None and starter.kwargs is not None and place is not None and len(call.args) > place + 1:
        named = call.args[place + 1]
    splats = [Argument(named, point)] if named is not None else []
    if isinstance(given, ast.Tuple | ast.List) and not any(isinstance(i, ast.Starred) for i in given.elts):
        return Arguments(own + [Argument(item, point) for item in given.elts], splats=splats)
    return Arguments(own, spread=[Argument(given, point)] if given is not None else [], splats=splats)


def names_for(trail: Trail) -> list[str]:
    """The variables that an assignment gives what a trail leads to, by itself or in a tuple or dict, and
    those of a loop that goes through such."""
    for depth, node in enumerate(reversed(trail[:-1])):
        match node:
            case ast.Assign(targets=targets):
                return [name for target in targets for name in target_names(target) if "." not in name]
            case ast.For(target=target):
                return [name for name in target_names(target) if "." not in name]
            case ast.Tuple() | ast.List() | ast.Dict() | ast.IfExp() if depth < 3:
                continue
        return []
    return []


def calls_through(module: Module, name: str) -> Iterator[tuple[ast.Call, Trail]]:
    """The calls of a variable, or of one of its entries."""
    for trail in module.paths_to(name):
        callee = trail[-1]
        if isinstance(callee, ast.Name):
            for index in range(len(trail) - 2, max(len(trail) - 4, -1), -1):
                above = trail[index]
                if isinstance(above, ast.Call) and above.func is callee:
                    yield above, trail[: index + 2]
                if not (isinstance(above, ast.Subscript) and above.value is callee):
                    break
                callee = above
