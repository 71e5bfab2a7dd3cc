"""What a dict that an object keeps has under a key by the methods that are called on the object:
``builder.workers(4)``."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.evaluation.dicts.own_dicts import ABSENT
from dlint.objects.elsewhere.method_calls import Given, MethodCalls
from dlint.source.nodes import walk
from dlint.source.statements import (
    FunctionNode,
    dotted,
    functions_in,
    parameters,
    self_name,
    statements_in,
)
from dlint.values.frame import Frame, Point, arguments_of
from dlint.values.outcomes import Outcome, told_apart
from dlint.values.values import Class, Function, Instance, Key, Unknown
from dlint.values.worlds import World

if TYPE_CHECKING:
    from dlint.objects.interface import Evaluator

_FILLS = r"\s*(?:\[|\.(?:update|setdefault)\s*\()"


class Stored(NamedTuple):
    """What a method stores in a dict: under which key, and what; None for what is not written out."""

    statement: ast.stmt
    key: Key = None
    value: ast.expr | None = None


class FilledByCalls:
    """Dicts of objects, and the calls of methods that store in them; ``asking`` are the attributes that are
    being looked at."""

    def __init__(self, evaluator: Evaluator, calls: MethodCalls, asking: set[tuple[Key, str]]) -> None:
        self._evaluator = evaluator
        self._calls = calls
        self._asking = asking
        self._filling: dict[tuple[int, str], list[tuple[FunctionNode, Stored]]] = {}

    def under(self, instance: Instance, name: str, key: str, world: World) -> list[Outcome] | None:
        """What a dict that an object keeps has under a key by the methods that are called on the object
        (``builder.workers(4)``), ``ABSENT`` where none of these stores it; None where no method of the class
        but the constructor does. Where it may be any object of the class, it is what each of them has, in a
        world of its own."""
        fills = [
            (Function(function, Frame(above.module, above.node, above.frame), instance, above), stored)
            for above in self._evaluator.classes.line(instance.cls)
            for function, stored in self.fills(above, name)
        ]
        if not any(stored.key in (None, key) for _, stored in fills):
            return None
        unknown: Outcome = (Unknown(("stored", instance.key, name, key)), world)
        mark = (instance.key, name)
        if mark in self._asking:
            return [unknown]
        self._asking.add(mark)
        try:
            calls, whole = self._calls_on(instance, fills)
            found: list[Outcome] = []
            for holder, called in calls.items():
                choice = ("filled", id(instance.cls.node), name)
                if world.known(choice) not in (None, holder):
                    continue
                start = world.assuming(choice, holder) if len(calls) > 1 else world
                put = [
                    outcome
                    for method, stored, given in called
                    if stored.key in (None, key)
                    for outcome in self._put(method, stored, given, start)
                ]
                found += put or [(ABSENT if whole else unknown[0], start)]
        finally:
            self._asking.discard(mark)
        return told_apart(found or [unknown], ("stored", instance.key, name, key))

    def fills(self, cls: Class, name: str) -> list[tuple[FunctionNode, Stored]]:
        """What the methods of a class, not of those above it, store in a dict of their object."""
        mark = (id(cls.node), name)
        known = self._filling.get(mark)
        if known is None:
            known = self._filling[mark] = []
            if re.search(rf"\.{re.escape(name)}{_FILLS}", cls.module.text):
                known += [
                    (function, stored)
                    for function in functions_in(cls.node.body)
                    if function.name != "__init__"
                    for statement in statements_in(function.body)
                    for stored in _stores(statement, f"{self_name(function)}.{name}")
                ]
        return known

    def _calls_on(
        self, instance: Instance, fills: list[tuple[Function, Stored]]
    ) -> tuple[dict[Key, list[tuple[Function, Stored, Given]]], bool]:
        """The calls of methods on an object, or on each of its class where it may be any; and whether it is
        known of all calls of such names what they are called on."""
        found: dict[Key, list[tuple[Function, Stored, Given]]] = {}
        whole = True
        for method, stored in fills:
            assert isinstance(method.node, FunctionNode)
            for given in (
                *self._by_constructor(instance, method.node.name),
                *self._calls.handed_on(method.node.name),
            ):
                for value, _ in self._evaluator.values(given.holder, given.point):
                    whole = whole and not isinstance(value, Unknown)
                    if value.key == instance.key or (
                        isinstance(value, Instance)
                        and instance.node is None
                        and any(
                            each.node is instance.cls.node for each in self._evaluator.classes.line(value.cls)
                        )
                    ):
                        found.setdefault(value.key, []).append((method, stored, given))
        return found, whole

    def _by_constructor(self, instance: Instance, name: str) -> Iterator[Given]:
        """The calls of a method by the constructors of its own object."""
        for _, frame in self._evaluator.initialisers.of(instance):
            assert isinstance(frame.scope, FunctionNode)
            own = self_name(frame.scope)
            for statement in statements_in(frame.scope.body):
                match statement:
                    case ast.Expr(
                        value=ast.Call(
                            func=ast.Attribute(value=ast.Name(id=holder) as held, attr=called)
                        ) as call
                    ) if holder == own and called == name:
                        point = Point(frame, statement)
                        yield Given(held, point, arguments_of(call, point), call)

    def _put(self, method: Function, stored: Stored, given: Given, world: World) -> Iterator[Outcome]:
        """What the call of a method stores."""
        if stored.value is None:
            yield Unknown(("stored by", id(given.node))), world
            return
        frame = self._evaluator.calls.enter(method, given.arguments, given.node, given.point)
        at = Point(frame, stored.statement)
        for reached in self._evaluator.flow.reaching(given.point, world):
            for inner in self._evaluator.flow.reaching(at, reached):
                yield from self._evaluator.values(stored.value, at, inner)


def is_given(function: FunctionNode, stored: Stored) -> bool:
    """Whether what a method stores may be made of what it is given."""
    names = {each.arg for each in parameters(function)[1:]}
    return stored.value is None or any(
        isinstance(each, ast.Name) and each.id in names for each in walk(stored.value)
    )


def _stores(statement: ast.stmt, path: str) -> Iterator[Stored]:
    """What a statement stores under keys of a dict that goes by a path."""
    match statement:
        case ast.Assign(targets=[ast.Subscript(value=held, slice=key)], value=value) if dotted(held) == path:
            yield _stored(statement, key, value)
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=held, attr="update")) as call) if (
            dotted(held) == path
        ):
            for given in call.args:
                if isinstance(given, ast.Dict):
                    yield from (
                        _stored(statement, *pair) for pair in zip(given.keys, given.values, strict=True)
                    )
                else:
                    yield Stored(statement)
            for keyword in call.keywords:
                yield Stored(statement, keyword.arg, keyword.value) if keyword.arg else Stored(statement)
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=held, attr="setdefault"), args=[key, _])) if (
            dotted(held) == path
        ):
            yield _stored(statement, key, None)


def _stored(statement: ast.stmt, key: ast.expr | None, value: ast.expr | None) -> Stored:
    return Stored(statement, key.value, value) if isinstance(key, ast.Constant) else Stored(statement)
