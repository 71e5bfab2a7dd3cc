"""A loader that a call gives for each batch, ``next(iter(self.make_loader()))``: whether the call gives the
same in each round."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.loaders.loaders import Loader
from dlint.regex import regex
from dlint.source.nodes import walk
from dlint.source.statements import bare_name, changed_names, dotted, given_in, own_names, statements_in
from dlint.values.frame import Point
from dlint.values.values import Function

if TYPE_CHECKING:
    from dlint.calls.evaluator import Evaluator

# What gives others each time that it is called, by its name.
_DRAWS = regex(r"rand|(?:^|_)samples?$|shuffle|choices?$|permut|split|next$")


def plain_call(source: ast.expr) -> ast.Call | None:
    """A call of what has a name that is given nothing but what has one, too, or is written there."""
    if not isinstance(source, ast.Call) or dotted(source.func) is None:
        return None
    given = given_in(source)
    made = any(isinstance(node, ast.Call | ast.Lambda) for each in given for node in walk(each))
    return None if made else source


def made_in_round(loop: ast.For | ast.While, source: ast.expr) -> ast.expr:
    """The call whose result each round of a loop gives to a name, where the round asks that for one batch and
    does nothing else with it; else the expression itself."""
    if not isinstance(source, ast.Name):
        return source
    binding = [each for each in statements_in(loop.body) if source.id in own_names(each)]
    mentions = sum(
        isinstance(node, ast.Name) and node.id == source.id
        for statement in loop.body
        for node in walk(statement)
    )
    match binding:
        case [ast.Assign(targets=[ast.Name()], value=made) as statement] if mentions == 2:
            return plain_call(made) or source if statement in loop.body else source
    return source


def gives_the_same(
    evaluator: Evaluator,
    loader: Loader,
    call: ast.Call,
    point: Point,
    bodies: list[tuple[list[ast.stmt], Point]],
) -> bool:
    """Whether a call gives a loader over the same data in each round: what makes the loader draws nothing,
    and reads nothing that is changed by the ``bodies``, to which a round comes."""
    makers = [value.node for value, _ in evaluator.values(call.func, point) if isinstance(value, Function)]
    if loader.call is not call and isinstance(loader.point.frame.scope, ast.FunctionDef):
        makers.append(loader.point.frame.scope)
    inside = [node for maker in makers for node in walk(maker)]
    if any(isinstance(node, ast.Call) and _DRAWS.search(bare_name(node.func)) for node in inside):
        return False
    changed = [name.split(".") for body, at in bodies for name in _changed(evaluator, call, body, at)]
    read = {node.attr for node in (*inside, *walk(call)) if isinstance(node, ast.Attribute)}
    asked = [call.func.value] if isinstance(call.func, ast.Attribute) else [call.func]
    given = [*asked, *given_in(call)]
    held = [path for each in given for path in _paths(each) if path[0] not in ("self", "cls")]
    return all(
        read.isdisjoint(parts[1:])
        and not any(_is_part(parts, path) or _is_part(path, parts) for path in held)
        for parts in changed
    )


def _paths(node: ast.AST) -> Iterator[list[str]]:
    """The dotted names in an expression, each whole."""
    name = dotted(node) if isinstance(node, ast.expr) else None
    if name is not None:
        yield name.split(".")
        return
    for child in ast.iter_child_nodes(node):
        yield from _paths(child)


def _is_part(path: list[str], whole: list[str]) -> bool:
    """Whether a dotted name begins another one, or is it."""
    return whole[: len(path)] == path


def _changed(evaluator: Evaluator, restarted: ast.Call, body: list[ast.stmt], point: Point) -> set[str]:
    """The dotted names of what statements set, or ask to do something that may change it, in functions that
    they call, too."""
    statements = list(statements_in(body))
    calls = _calls(body)
    for call in list(calls):
        for value, _ in evaluator.values(call.func, point):
            if isinstance(value, Function) and isinstance(value.node, ast.FunctionDef):
                statements += statements_in(value.node.body)
                calls += _calls(value.node.body)
    names = {name for each in statements for name in (*own_names(each), *changed_names(each))}
    return names | {
        dotted(call.func.value) or ""
        for call in calls
        if call is not restarted and isinstance(call.func, ast.Attribute)
    }


def _calls(body: list[ast.stmt]) -> list[ast.Call]:
    return [node for statement in body for node in walk(statement) if isinstance(node, ast.Call)]
