"""Calls of objects: ``make = LoaderFactory(batch=8); make(dataset)``, and ``self(dataset)`` in their methods.

Asked of classes only that speak of loaders. Transforms, which are called as well, are looked at as what
worker code comes to, and most of them are made in lists that lead to a call of anything.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from dlint.calls.indirect.handed_on import Way, Ways
from dlint.regex import regex
from dlint.source.statements import FunctionNode, call_of, self_name
from dlint.values.values import Class, Instance

if TYPE_CHECKING:
    from dlint.calls.interface import Evaluator
    from dlint.source.module import Module
    from dlint.values.values import Value

CALL = "__call__"
_LOADS = regex(r"[Ll]oader")


def speaks_of_loaders(owner: Class) -> bool:
    """Whether a class is one of those whose objects' calls are looked for."""
    return _LOADS.search(owner.module.text_of(owner.node)) is not None


def object_calls(
    evaluator: Evaluator, owner: Class, heirs: Iterable[Class], modules: list[Module], ways: Ways
) -> Iterator[Way]:
    """The calls of what may be objects of a class or of those below it, by their own methods, and in some
    modules where they are made."""
    line = [*evaluator.classes.line(owner), *heirs]
    for module in dict.fromkeys(cls.module for cls in line):
        for trail in module.paths_to("self", called=True):
            node, above = trail[-1], trail[-2]
            around = next((each for each in reversed(trail) if isinstance(each, FunctionNode)), None)
            if around is None:
                continue
            if isinstance(above, ast.Call) and above.func is node and self_name(around) == "self":
                yield above, trail, module
    for module in modules:
        for cls in (owner, *heirs):
            for trail in module.paths_to(cls.name, called=True):
                made = call_of(trail)
                if made is not None:
                    call, to_callee = made
                    yield from ways.calls(module, to_callee[: to_callee.index(call) + 1])


def is_called(evaluator: Evaluator, value: Value, scope: ast.AST) -> bool:
    """Whether a value is an object whose call runs a method."""
    return isinstance(value, Instance) and any(
        method.node is scope for method in evaluator.classes.methods(value, CALL)
    )
