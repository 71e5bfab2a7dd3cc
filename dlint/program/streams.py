"""Streams: whether what an iteration gives is known to be all of a finite source.

A generator gives what the loops around its ``yield`` go over; other functions give what they return.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.knowledge.iterables import PASSES_ON, gives_all, is_setting, opens
from dlint.module.layout import blocks, expressions, statements_in, target_names
from dlint.program.frame import Arguments, Frame, Point, arguments_of
from dlint.program.values import (
    Class,
    Const,
    External,
    Function,
    Instance,
    Items,
    Made,
    Partial,
    Table,
    Unknown,
    Value,
    World,
)

if TYPE_CHECKING:
    from dlint.program.evaluate import Evaluator

_FAR = 12
_RANGE = frozenset({"range"})
_DATA = frozenset({"data"})

# What a stream is read from ("range": numbers only, "data"), None where that is not known.
Kinds = frozenset[str] | None


class Streams:
    """Follows iterations to their sources."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator

    def of_function(self, function: Function, frame: Frame, world: World, far: int = 0) -> Kinds:
        """What iterating over the result of a function of the program reads."""
        node = function.node
        if far > _FAR or isinstance(node, ast.AsyncFunctionDef):
            return None
        if isinstance(node, ast.Lambda):
            return self.of_expression(node.body, Point(frame, None), world, far + 1)
        sources = list(_yielded(node.body, ()))
        if not sources:
            sources = [(s.value, s) for s in statements_in(node.body) if isinstance(s, ast.Return)]
        found: list[Kinds] = []
        for expression, statement in sources:
            if expression is None:
                return None
            kinds = self.of_expression(expression, Point(frame, statement), world, far + 1)
            if kinds is None and self._goes_over_files(expression, statement, frame, world):
                kinds = _DATA
            found.append(kinds)
        return _together(found)

    def _goes_over_files(self, expression: ast.expr, statement: ast.stmt, frame: Frame, world: World) -> bool:
        """Whether a loop goes over names of files, of which nothing else is known: it opens each of them."""
        if not (isinstance(statement, ast.For) and statement.iter is expression):
            return False
        point = Point(frame, statement)
        while isinstance(expression, ast.Call) and expression.args:
            callees = self._evaluator.values(expression.func, point, world)
            if not all(isinstance(value, External) and value.name in PASSES_ON for value, _ in callees):
                return False
            expression = expression.args[0]
        if not isinstance(expression, ast.Name | ast.Attribute):
            return False
        for value, _ in self._evaluator.values(expression, point, world):
            if not isinstance(value, Unknown) and not (
                isinstance(value, External) and is_setting(value.name)
            ):
                return False
        names = target_names(statement.target)
        for inner in statements_in(statement.body):
            for call in (node for part in expressions(inner) for node in ast.walk(part)):
                if (
                    isinstance(call, ast.Call)
                    and call.args
                    and isinstance(call.args[0], ast.Name)
                    and call.args[0].id in names
                ):
                    callees = self._evaluator.values(call.func, Point(frame, inner), world)
                    if callees and all(
                        isinstance(value, External) and opens(value.name) for value, _ in callees
                    ):
                        return True
        return False

    def of_expression(self, node: ast.expr, point: Point, world: World, far: int = 0) -> Kinds:
        """What iterating over an expression reads."""
        if far > _FAR:
            return None
        match node:
            case ast.Call():
                return self._of_call(node, point, world, far)
            case ast.List() | ast.Tuple() | ast.Set() | ast.Dict():
                return _DATA
            case ast.ListComp() | ast.SetComp() | ast.GeneratorExp() | ast.DictComp():
                inside = self._evaluator.inside(node, point)
                return _together(
                    [self.of_expression(g.iter, inside, world, far + 1) for g in node.generators]
                )
            case ast.IfExp():
                return _together(
                    [self.of_expression(part, point, world, far + 1) for part in (node.body, node.orelse)]
                )
            case ast.Name(id=name) if name not in point.locals and name in point.frame.layout.binds:
                return self._of_variable(node, point, world, far)
        return self._of_values(node, point, world, far)

    def _of_variable(self, node: ast.Name, point: Point, world: World, far: int) -> Kinds:
        found: list[Kinds] = []
        definitions = self._evaluator.flow.definitions(node.id, point, world, anew=True)
        for statement, w in definitions:
            match statement:
                case ast.Assign(targets=[ast.Name()], value=value) | ast.AnnAssign(value=ast.expr() as value):
                    found.append(self.of_expression(value, Point(point.frame, statement), w, far + 1))
                case ast.With(items=[ast.withitem(context_expr=value)]):
                    found.append(self.of_expression(value, Point(point.frame, statement), w, far + 1))
                case _:
                    found.append(self._of_values(node, point, w, far))
        return _together(found)

    def _of_call(self, node: ast.Call, point: Point, world: World, far: int) -> Kinds:
        found: list[Kinds] = []
        for callee, w in self._evaluator.values(node.func, point, world):
            match callee:
                case External() if callee.name in PASSES_ON and not any(
                    isinstance(argument, ast.Starred) for argument in node.args
                ):
                    given = node.args[PASSES_ON[callee.name]]
                    found.append(_together([self.of_expression(part, point, w, far + 1) for part in given]))
                case External():
                    found.append(_of_maker(callee.name))
                case Partial(callee=External(name=name)) if name.startswith(
                    ("builtins.dict.", "builtins.list.")
                ):
                    found.append(_DATA)
                case Function():
                    frame = self._evaluator.calls.enter(callee, arguments_of(node, point), node, point)
                    found.append(self.of_function(callee, frame, w, far + 1))
                case Class():
                    found.append(self._of_values(node, point, w, far))
                case _:
                    return None
        return _together(found)

    def _of_values(self, node: ast.expr, point: Point, world: World, far: int) -> Kinds:
        values = self._evaluator.values(node, point, world)
        return _together([self._of_value(value, w, far + 1) for value, w in values])

    def _of_value(self, value: Value, world: World, far: int) -> Kinds:
        match value:
            case Items() | Table():
                return _DATA
            case Const():
                return _DATA if isinstance(value.value, str | bytes) else None
            case Made() if value.name in PASSES_ON:
                given = value.arguments.positional[PASSES_ON[value.name]]
                parts = [
                    self.of_expression(a.expression, a.point, world, far + 1)
                    for a in given
                    if a.expression is not None and a.point is not None
                ]
                return _together(parts) if len(parts) == len(given) else None
            case Made():
                return _of_maker(value.name)
            case Instance():
                return self._of_instance(value, world, far)
        return None

    def _of_instance(self, value: Instance, world: World, far: int) -> Kinds:
        methods = self._evaluator.classes.methods(value, "__iter__")
        if methods:
            return _together(
                [
                    self.of_function(
                        method, self._evaluator.calls.enter(method, Arguments(), None, None), world, far + 1
                    )
                    for method in methods
                ]
            )
        return _DATA if self._evaluator.classes.methods(value, "__getitem__") else None


def _of_maker(name: str) -> Kinds:
    if name == "builtins.range":
        return _RANGE
    return _DATA if gives_all(name) else None


def _together(found: list[Kinds]) -> Kinds:
    """What several sources read together: not known as soon as one is not."""
    kinds: frozenset[str] = frozenset()
    for each in found:
        if each is None:
            return None
        kinds |= each
    return kinds or None


def _yielded(
    block: list[ast.stmt], around: tuple[tuple[ast.expr | None, ast.stmt], ...]
) -> Iterator[tuple[ast.expr | None, ast.stmt]]:
    """What a generator's loops around each of its ``yield`` go over; None for a ``while``."""
    for statement in block:
        for expression in expressions(statement):
            for node in ast.walk(expression):
                if isinstance(node, ast.YieldFrom):
                    yield from around
                    yield node.value, statement
                elif isinstance(node, ast.Yield):
                    yield from around
        inside = around
        if isinstance(statement, ast.For):
            inside = (*around, (statement.iter, statement))
        elif isinstance(statement, ast.While | ast.AsyncFor):
            inside = (*around, (None, statement))
        for role, inner, _ in blocks(statement):
            yield from _yielded(inner, inside if role == "body" else around)
