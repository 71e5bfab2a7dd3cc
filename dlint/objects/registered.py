"""What statements put in dicts that other code fills: where, under which key, and what; by themselves or by
what they call."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from dlint.source.nodes import walk
from dlint.source.statements import (
    blocks,
    head_name,
    statements_in,
)
from dlint.values.frame import Argument, Arguments, Frame, Point, arguments_of
from dlint.values.values import (
    Class,
    Const,
    Function,
    Home,
    Instance,
    Key,
    Partial,
    Table,
    Value,
)

if TYPE_CHECKING:
    from dlint.objects.interface import Evaluator
    from dlint.source.module import Module

# A key that is not known.
ANY: Final = ...
# Functions that hand the class on to the one that stores it.
_FAR = 4
_CALLED = (Class, Function, Partial, Instance)


class Registered:
    """What statements at the top of files put in dicts that have a home."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator

    def by(self, module: Module, statement: ast.stmt, names: set[str]) -> Iterator[tuple[Key, object, Value]]:
        """What a statement at the top of a file stores in dicts that have a home: where, under which key."""
        point = Point(self._evaluator.modules.frame(module), statement)
        match statement:
            case ast.ClassDef() | ast.FunctionDef():
                frame = point.frame
                given: Value = (
                    Class(statement, frame)
                    if isinstance(statement, ast.ClassDef)
                    else Function(statement, frame)
                )
                for decorator in statement.decorator_list:
                    if head_name(decorator) in names:
                        arguments = Arguments([Argument(None, None, given)])
                        for callee, _ in self._evaluator.values(decorator, point):
                            yield from self._by_call(callee, arguments, decorator, point, names, 0)
                if isinstance(given, Class) and "__init_subclass__" in names:
                    for value, owner in self._evaluator.classes.member_above(given, "__init_subclass__"):
                        if isinstance(value, Function):
                            bound = Function(value.node, value.frame, given, owner)
                            told = _told(given.node, point)
                            yield from self._by_call(bound, told, statement, point, names, 0)
            case ast.Expr(value=ast.Call() as call):
                for callee, _ in self._evaluator.values(call.func, point):
                    yield from self._by_call(callee, arguments_of(call, point), call, point, names, 0)
            case ast.Assign():
                yield from self._by_store(statement, point)

    def _by_call(
        self, callee: Value, arguments: Arguments, node: ast.AST, point: Point, names: set[str], far: int
    ) -> Iterator[tuple[Key, object, Value]]:
        """What a call stores."""
        match callee:
            case Partial():
                both = arguments.after(callee.arguments)
                yield from self._by_call(callee.callee, both, node, point, names, far)
            case Instance():
                for method in self._evaluator.classes.methods(callee, "__call__"):
                    yield from self._by_call(method, arguments, node, point, names, far)
            case Function():
                if isinstance(callee.node, ast.Lambda) or far > _FAR:
                    return
                frame = self._evaluator.calls.enter(callee, arguments, node, point)
                yield from self._inside(frame, names, far)

    def _inside(self, frame: Frame, names: set[str], far: int) -> Iterator[tuple[Key, object, Value]]:
        """What a function stores, itself or by what it calls."""
        body = getattr(frame.scope, "body", [])
        for statement in statements_in(body if isinstance(body, list) else []):
            point = Point(frame, statement)
            if isinstance(statement, ast.Assign):
                yield from self._by_store(statement, point)
            if any(True for _ in blocks(statement)) or isinstance(statement, ast.ClassDef | ast.FunctionDef):
                continue
            for call in walk(statement):
                if isinstance(call, ast.Call):
                    yield from self._by_method(call, point)
                    if head_name(call) in names:
                        for callee, _ in self._evaluator.values(call.func, point):
                            given = arguments_of(call, point)
                            yield from self._by_call(callee, given, call, point, names, far + 1)

    def _by_store(self, statement: ast.Assign, point: Point) -> Iterator[tuple[Key, object, Value]]:
        """``where[key] = value``."""
        for target in statement.targets:
            if isinstance(target, ast.Subscript):
                yield from self._put(target.value, target.slice, statement.value, point)

    def _by_method(self, call: ast.Call, point: Point) -> Iterator[tuple[Key, object, Value]]:
        """``where.setdefault(key, value)``."""
        match call.func, call.args:
            case ast.Attribute(value=where, attr="setdefault" | "__setitem__"), [key, value]:
                yield from self._put(where, key, value, point)

    def _put(
        self, where: ast.expr, key: ast.expr, value: ast.expr, point: Point
    ) -> Iterator[tuple[Key, object, Value]]:
        homes = {
            home.mark
            for held, _ in self._evaluator.values(where, point)
            if (home := self._home_of(held)) is not None
        }
        if not homes:
            return
        # Tests around it ask whether the name is taken; what is put there is a class or function in any case.
        for given, world in self._evaluator.values(value, point):
            if isinstance(given, _CALLED):
                for name, _ in self._evaluator.values(key, point, world):
                    for home in homes:
                        yield home, name.value if isinstance(name, Const) else ANY, given

    def _home_of(self, held: Value) -> Home | None:
        if isinstance(held, Instance):
            table = self._evaluator.filled.of_object(held)
            return table.home if table is not None else None
        return held.home if isinstance(held, Table) else None


def _told(node: ast.ClassDef, point: Point) -> Arguments:
    """What the statement of a class gives to ``__init_subclass__``: ``class Noisy(Base, key="noisy")``."""
    named: dict[str, Argument] = {}
    splats: list[Argument] = []
    for keyword in node.keywords:
        argument = Argument(keyword.value, point)
        if keyword.arg is None:
            splats.append(argument)
        else:
            named[keyword.arg] = argument
    return Arguments(keywords=named, splats=splats)
