"""What an object's own methods put in a list or dict that it keeps, and make themselves: ``self.sets[split] =
self.build(split)``, ``self.steps.append(Crop(self.size))``.

What methods are given and put there is found from those who give it (``elsewhere.grown``). Only what has code
counts here as there: what a cache keeps is no matter of which way a dataset takes to its loader.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final, NamedTuple

from dlint.objects.elsewhere.additions import GROWS, Added, growths, has_code, of_parameters
from dlint.source.statements import FunctionNode, dotted, functions_in, self_name, statements_in
from dlint.values.frame import Frame, Point
from dlint.values.outcomes import Outcome, told_apart
from dlint.values.values import Class, Const, Instance, Items, Key, Made, Table, Unknown, Value
from dlint.values.worlds import World

if TYPE_CHECKING:
    from dlint.objects.interface import Evaluator

# The key under which a table keeps a value whose own key is not known.
_ANY: Final = ...
_DICTS = frozenset({"collections.defaultdict", "collections.OrderedDict"})
# Different things that methods put under one key.
_MOST = 6


class _Put(NamedTuple):
    """A method, and what it puts in a container of its object."""

    method: FunctionNode
    added: list[Added]


# `self.parts[key].append(part)` and `self.parts.setdefault(key, []).append(part)`
_INSIDE = r"(?:\[[^\]\n]{0,300}\]|\.setdefault\([^\n]{0,300}\))\s*\.(?:append|insert)\("


class PutByMethods:
    """Lists and dicts that objects keep, with what their own methods put there."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator
        self._puts: dict[tuple[int, str], list[_Put]] = {}
        self._asking: dict[tuple[Key, str], int] = {}

    def filled(self, outcomes: list[Outcome], instance: Instance, name: str, world: World) -> list[Outcome]:
        """What an attribute holds, where that is a list or dict with what methods put there."""
        keyed = any(isinstance(value, Table) or _is_dict(value) for value, _ in outcomes)
        if not keyed and not any(isinstance(value, Items) and value.kind == "list" for value, _ in outcomes):
            return outcomes
        put = self._put(instance, name, world, keyed)
        if not put:
            return outcomes
        mark = ("put by own", instance.key, name)
        if not keyed:
            longer: Outcome = (Items("list", tuple(each[0] for each in put.values()), True), world)
            return told_apart([*outcomes, longer], mark)
        found: list[Outcome] = []
        for value, w in outcomes:
            if isinstance(value, Table):
                found += [(table, w) for table in _tables(value, put)]
            else:
                found.append((value, w))
            if _is_dict(value):
                found += [(table, w) for table in _tables(Table({}, True), put)]
        return told_apart(found, mark)

    def _put(self, instance: Instance, name: str, world: World, keyed: bool) -> dict[object, list[Value]]:
        """By the keys, or one by one, what the methods put there."""
        puts = [
            (above, method, added)
            for above in self._evaluator.classes.line(instance.cls)
            for method, every in self._puts_of(above, name)
            if self._is_run(instance, above, method)
            for added in every
            if added.keyed is keyed
        ]
        mark = (instance.key, name)
        if puts and mark in self._asking:
            self._evaluator.cut(self._asking[mark])
            return {}
        found: dict[object, dict[Key, Value]] = {}
        self._asking[mark] = self._evaluator.depth
        try:
            for above, method, added in puts:
                outer = Frame(above.module, above.node, above.frame)
                frame = Frame(above.module, method, outer, receiver=instance, owner=above)
                for key, value in self._values(added, Point(frame, added.statement), world):
                    if has_code(value, inside=True):
                        found.setdefault(key if keyed else value.key, {})[value.key] = value
        finally:
            del self._asking[mark]
        more = Unknown(("put by own", *mark))
        return {
            key: [*list(values.values())[:_MOST], *([more] if len(values) > _MOST else [])]
            for key, values in found.items()
        }

    def _values(self, added: Added, point: Point, world: World) -> list[tuple[object, Value]]:
        found: list[tuple[object, Value]] = []
        for reached in self._evaluator.flow.reaching(point, world):
            keys: list[tuple[object, World]] = [(_ANY, reached)]
            if added.key is not None:
                keys = [
                    (key.value if isinstance(key, Const) else _ANY, w)
                    for key, w in self._evaluator.values(added.key, point, reached)
                ]
            for key, w in keys:
                for value, _ in self._evaluator.values(added.value, point, w):
                    if added.keyed and added.each:
                        found.append((key, Items("list", (value,), True)))
                    elif not added.each:
                        found.append((key, value))
                    elif isinstance(value, Items):
                        found += [(key, item) for item in value.items]
        return found

    def _is_run(self, instance: Instance, owner: Class, method: FunctionNode) -> bool:
        """Whether it is this method that runs for an object, itself or by the one that replaces it."""
        for above in self._evaluator.classes.line(instance.cls):
            if above.node is owner.node:
                return True
            for function in functions_in(above.node.body):
                if function.name == method.name:
                    text = above.module.text_of(function)
                    return "super(" in text or f"{owner.name}.{method.name}(" in text
        return True

    def _puts_of(self, cls: Class, name: str) -> list[_Put]:
        """The methods of a class, not of those above it, that put something in what their object keeps."""
        mark = (id(cls.node), name)
        known = self._puts.get(mark)
        if known is None:
            known = self._puts[mark] = []
            if re.search(rf"\.{re.escape(name)}(?:{GROWS}|{_INSIDE})", cls.module.text):
                for function in functions_in(cls.node.body):
                    path = f"{self_name(function)}.{name}"
                    given = {id(each.statement) for each in of_parameters(function, name)}
                    added = [
                        each
                        for statement in statements_in(function.body)
                        for held, each in (*growths(statement), *_growths_inside(statement))
                        if dotted(held) == path and id(statement) not in given
                    ]
                    if added and function.name != "__init__":
                        known.append(_Put(function, added))
        return known


def _is_dict(value: Value) -> bool:
    """Whether a library's object is a dict that is empty at first."""
    return isinstance(value, Made) and value.name in _DICTS


def _growths_inside(statement: ast.stmt) -> Iterator[tuple[ast.expr, Added]]:
    """The dict of lists to one of which a statement adds something: an element of what it has there."""
    match statement:
        case ast.Expr(
            value=ast.Call(
                func=ast.Attribute(
                    value=ast.Subscript(value=held, slice=key)
                    | ast.Call(func=ast.Attribute(value=held, attr="setdefault"), args=[key, _]),
                    attr="append" | "insert",
                ),
                args=[*_, given],
            )
        ):
            yield held, Added(given, True, statement, True, key)


def _tables(table: Table, put: dict[object, list[Value]]) -> list[Table]:
    """A dict as it may be with what is put there: one for each thing that a key may have."""
    under = {key: [table.items[key]] if key in table.items else [] for key in [*table.items, *put]}
    for key, values in put.items():
        under[key] += values
    many = max(map(len, under.values()))
    is_open = table.open or _ANY in put
    return [
        Table({key: values[min(at, len(values) - 1)] for key, values in under.items()}, is_open, table.home)
        for at in range(many)
    ]
