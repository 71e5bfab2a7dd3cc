"""What calls store in what they are given: functions of the project, and what nobody knows."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dlint.source.statements import given_in, parameters
from dlint.streams.memory.held import Held
from dlint.streams.memory.places import Named
from dlint.streams.memory.stored import TOLD
from dlint.streams.memory.transfer import go_through, nothing
from dlint.values.functions import passed
from dlint.values.values import External, Function, Value


def overwritten_by(values: list[Value], call: ast.Call) -> list[tuple[ast.expr, object]]:
    """The arguments of which a call of one of these overwrites entries, and the keys. What nobody knows, and
    an object (a model), may store in the attributes of what it is given."""
    found: list[tuple[ast.expr, object]] = []
    for value in values:
        if isinstance(value, Function) and isinstance(value.node, ast.FunctionDef):
            given = passed(value, call)
            found += [(given[name], key) for name, key in _overwritten(value.node) if name in given]
    if not values or not all(isinstance(value, Function | External) for value in values):
        given_to = given_in(call)
        found += [(each, TOLD) for each in given_to if isinstance(each, ast.Name)]
    return found


def _overwritten(function: ast.FunctionDef) -> Iterator[tuple[str, object]]:
    """The parameters in which a function overwrites entries, and the keys; or of which it calls methods."""
    for parameter in parameters(function):
        held = Held([(parameter.arg, Named(()))])
        go_through(held, function.body, nothing)
        yield from ((parameter.arg, place[0]) for place in held.entries.gone)
        if held.entries.told:
            yield parameter.arg, TOLD
