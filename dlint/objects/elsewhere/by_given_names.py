"""What code sets of other objects by names that it is given: ``setattr(args, name, value)`` in a loop."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.source.statements import dotted
from dlint.values.places import tests_around
from dlint.values.values import Const, External, Made, Unknown, Value

if TYPE_CHECKING:
    from dlint.objects.interface import Evaluator
    from dlint.source.module import Module
    from dlint.values.frame import Point

# An action of argparse stores what the user has asked for, in the option that it belongs to.
_OF_ACTION = "self.dest"


class _Setting(NamedTuple):
    """A call of ``setattr``: what it may set something of, under which names (None: any), and whether only
    where there is nothing, or None, under that name."""

    holders: tuple[Value, ...]
    names: frozenset[str] | None
    fills: bool


class ByGivenNames:
    """The answers for one program."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator
        self._known: dict[Module, list[_Setting] | None] = {}

    def may_set(self, made: Made, name: str, *, filled: bool) -> bool:
        """Whether the file that makes a library's object may set an attribute of it by a name that stands in
        no attribute; ``filled``: it has another value than None."""
        settings = self._settings(made.point.frame.module)
        if settings is None:
            self._evaluator.cut()
            return True
        return any(
            (each.names is None or name in each.names)
            and not (each.fills and filled)
            and any(_may_be(holder, made) for holder in each.holders)
            for each in settings
        )

    def _settings(self, module: Module) -> list[_Setting] | None:
        if module not in self._known:
            self._known[module] = None  # for whoever asks for it meanwhile
            found, whole = self._evaluator.apart(lambda: list(self._in(module)))
            if whole:
                self._known[module] = found
            else:
                del self._known[module]
            return found if whole else None
        return self._known[module]

    def _in(self, module: Module) -> Iterator[_Setting]:
        for trail in module.paths_to("setattr", called=True):
            call = trail[-2]
            if not isinstance(call, ast.Call) or call.func is not trail[-1]:
                continue
            match call.args:
                case [ast.Name(id="self"), *_]:
                    continue
                case [held, name, _] if dotted(name) != _OF_ACTION:
                    point = self._evaluator.sites.point_of(module, trail)
                    holders = tuple(value for value, _ in self._evaluator.values(held, point))
                    yield _Setting(holders, self._names(name, point), _fills(held, name, point))
                case [_, name, _]:
                    continue
                case _:
                    yield _Setting((Unknown(("set by name", id(call))),), None, False)

    def _names(self, node: ast.expr, point: Point) -> frozenset[str] | None:
        """The names that an expression may be, where all of them are known."""
        values = [value for value, _ in self._evaluator.values(node, point)]
        texts = [value.value for value in values if isinstance(value, Const) and isinstance(value.value, str)]
        return frozenset(texts) if texts and len(texts) == len(values) else None


def _fills(held: ast.expr, name: ast.expr, point: Point) -> bool:
    """Whether an attribute is only set where it is None, or not there."""
    holder, key = ast.unparse(held), ast.unparse(name)
    asks = {f"getattr({holder}, {key}) is None", f"getattr({holder}, {key}, None) is None"}
    has = f"hasattr({holder}, {key})"
    for test, outcome, _ in tests_around(point):
        written = ast.unparse(test)
        if (written in asks and outcome) or written == (f"not {has}" if outcome else has):
            return True
    return False


def _may_be(holder: Value, made: Made) -> bool:
    if isinstance(holder, Made):
        return holder.node is made.node
    return isinstance(holder, Unknown | External)
