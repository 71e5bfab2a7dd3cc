"""Command lines that are objects of a library: calling one calls a function that was registered with it.

``@app.command()`` of typer's app, ``@cli.command()`` of click's group, ``cli.add_command(train)``.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.evaluation.questions import begun
from dlint.knowledge.commands import APPS, MAKES_GROUP, REGISTERS
from dlint.regex import regex
from dlint.source.module import Module
from dlint.source.statements import FunctionNode
from dlint.values.frame import Point
from dlint.values.values import External, Function, Key, Made, Value

if TYPE_CHECKING:
    from dlint.calls.interface import Evaluator

_GROUP = MAKES_GROUP.rpartition(".")[2]
_DECORATES = regex(
    rb"^[ \t]*@[\w.]+\.(?:%b)\b|\.(?:%b)\(" % ((b"|".join(map(str.encode, REGISTERS)),) * 2), re.M
)


class Apps:
    """Questions about the command lines of a program."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator
        self._commands: dict[Key, list[Function]] = {}

    def commands(self, app: Value) -> list[Function]:
        """The functions that calling a value may call: those registered with it, or with what is."""
        if not self._is_app(app):
            return []
        mark = _mark(app)
        known = self._commands.get(mark)
        if known is None:
            found: dict[Key, Function] = {}
            with begun(self._commands, mark, list[Function]()) as known:
                for value in self._registered(mark):
                    if isinstance(value, Function):
                        found[value.key] = value
                    found.update((each.key, each) for each in self.commands(value))
                known += found.values()
        return known

    def _is_app(self, value: Value) -> bool:
        if isinstance(value, Made):
            return value.name in APPS
        return isinstance(value, Function) and any(
            self._makes_group(decorator, value) for decorator in getattr(value.node, "decorator_list", [])
        )

    def _makes_group(self, decorator: ast.expr, function: Function) -> bool:
        """Whether a decorator is ``@click.group()``, or ``@cli.group()`` of another group."""
        called = decorator.func if isinstance(decorator, ast.Call) else decorator
        point = Point(function.frame, None)
        match called:
            case ast.Name(id=word) | ast.Attribute(attr=word) if word == _GROUP:
                values = [value for value, _ in self._evaluator.values(called, point)]
                if any(isinstance(value, External) and value.name == MAKES_GROUP for value in values):
                    return True
        match called:
            case ast.Attribute(value=base, attr=word) if word == _GROUP:
                return any(self._is_app(value) for value, _ in self._evaluator.values(base, point))
        return False

    def _registered(self, mark: Key) -> Iterator[Value]:
        """What the program registers with an app."""
        modules, index = self._evaluator.modules, self._evaluator.modules.index
        for word in REGISTERS:
            files = (each for each in index.naming(word) if _DECORATES.search(index.data(each)))
            for module in modules.each(files):
                for trail in module.paths_to(word):
                    method = trail[-1]
                    if isinstance(method, ast.Attribute) and method.attr == word:
                        point = self._evaluator.sites.point_of(module, trail)
                        apps = self._evaluator.values(method.value, point)
                        if any(_mark(value) == mark for value, _ in apps):
                            yield from self._given(trail, module, point)

    def _given(self, trail: list[ast.AST], module: Module, point: Point) -> Iterator[Value]:
        """What the method of an app at the end of a trail registers: the function that it decorates, or what
        it is given, also as ``app.command()(train)``."""
        while len(trail) > 1 and isinstance(trail[-2], ast.Call) and trail[-2].func is trail[-1]:
            trail = trail[:-1]
            call = trail[-1]
            assert isinstance(call, ast.Call)
            for given in call.args[:1]:
                yield from (value for value, _ in self._evaluator.values(given, point))
        owner = trail[-2] if len(trail) > 1 else None
        if isinstance(owner, FunctionNode) and any(trail[-1] is each for each in owner.decorator_list):
            yield Function(owner, self._evaluator.sites.frame_of(module, trail[:-1]))


def _mark(value: Value) -> Key:
    """What tells an app from others, from wherever it is looked at."""
    return id(value.node) if isinstance(value, Made | Function) else None
