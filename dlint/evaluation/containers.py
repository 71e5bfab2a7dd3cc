"""Lists, tuples, sets and dicts whose contents are known: what changes them, and what their methods give.

A container that may hold more than is known of it is *open*.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

from dlint.evaluation.contents.contents import ANY, Contents
from dlint.knowledge.commands import FILLED
from dlint.values.frame import Argument, Arguments, Point, arguments_of
from dlint.values.outcomes import Outcome
from dlint.values.values import (
    NONE,
    Class,
    Const,
    External,
    Function,
    Items,
    Key,
    Made,
    Partial,
    Table,
    Unknown,
    Value,
)
from dlint.values.worlds import HERE, World

_MOST_TABLES = 48
# So many dicts that pairs may make, where one key is in several of them.
_MOST_OF_PAIRS = 24


class Containers(Contents):
    """Containers: what is in them, what storing and changing leaves of them, and their methods."""

    def stored(
        self, held: Value, target: ast.Subscript, value: Value, before: Point, world: World
    ) -> list[Value]:
        """The container after ``held[key] = value``."""
        if not isinstance(held, Table):
            return [Items(held.kind, (*held.items, value), True)] if isinstance(held, Items) else [held]
        found: list[Value] = []
        for key, _ in self._evaluator.values(target.slice, before, world)[:4]:
            if isinstance(key, Const):
                found.append(Table({**held.items, key.value: value}, held.open, held.home))
            else:
                found.append(Table({**held.items, ANY: value}, True, held.home))
        return found

    def within(
        self,
        held: Value,
        keys: list[ast.expr | None],
        change: Callable[[Value, World], list[Outcome]],
        before: Point,
        world: World,
    ) -> list[Outcome]:
        """A container after a change of what some keys lead to in it."""
        if not keys:
            return change(held, world)
        if not isinstance(held, Table | Items):
            return [(held, world)]
        found: list[Outcome] = []
        first = keys[0]
        for key, w in self._evaluator.values(first, before, world)[:4] if first is not None else ():
            at = _constant(key)
            if isinstance(held, Table) and at in held.items and at is not ANY:
                found += [
                    (Table({**held.items, at: inner}, held.open, held.home), v)
                    for inner, v in self.within(held.items[at], keys[1:], change, before, w)
                ]
            elif isinstance(held, Items) and not held.open and type(at) is int and 0 <= at < len(held.items):
                found += [
                    (Items(held.kind, (*held.items[:at], inner, *held.items[at + 1 :])), v)
                    for inner, v in self.within(held.items[at], keys[1:], change, before, w)
                ]
            else:
                found.append((self.forgotten(held, before), w))
        return found or [(self.forgotten(held, before), world)]

    def forgotten(self, held: Value, before: Point) -> Value:
        """A container after a change of it, or of something in one that it holds, that is not followed."""
        mark = ("changed inside", id(before.statement), before.frame.key, held.key)
        if isinstance(held, Items):
            return Items(held.kind, tuple(_opaque(item, mark) for item in held.items), True)
        if isinstance(held, Table):
            items = {name: _opaque(item, (*mark, name)) for name, item in held.items.items()}
            return Table(items, True, held.home)
        return held

    def without(self, held: Value, keys: list[ast.expr], before: Point, world: World) -> list[Outcome]:
        """The container after entries have been taken out: ``del held[key]``, ``held.pop(key)``."""
        outcomes: list[Outcome] = [(held, world)]
        for key in keys:
            outcomes = [
                (_less(each, (value,)), v)
                for each, w in outcomes
                for value, v in self._evaluator.values(key, before, w)
            ]
        return outcomes

    def opened(self, held: Value, keys: list[ast.expr], before: Point) -> Value:
        """A list or dict after any number of rounds of a loop that changes it, or takes out what is under
        these keys."""
        if isinstance(held, Items):
            return Items(held.kind, held.items, True)
        assert isinstance(held, Table)
        values = [value for key in keys for value, _ in self._evaluator.values(key, before)]
        return _less(Table(held.items, True, held.home), values)

    def mutated(self, held: Value, call: ast.Call, before: Point, world: World) -> list[Outcome]:
        """The container after a method call that changes it in place."""
        assert isinstance(call.func, ast.Attribute)
        method = call.func.attr
        arguments = arguments_of(call, before)
        evaluator = self._evaluator
        if isinstance(held, Items):
            if method in ("append", "add", "insert", "appendleft") and arguments.positional:
                return [
                    (Items(held.kind, _grown(held, (value,)), held.open or len(held.items) > 40), w)
                    for value, w in evaluator.value_of(arguments.positional[-1], world)
                ]
            if method == "extend" and arguments.positional:
                return [
                    (
                        Items(held.kind, _grown(held, value.items), held.open or value.open)
                        if isinstance(value, Items)
                        else Items(held.kind, held.items, True),
                        w,
                    )
                    for value, w in evaluator.value_of(arguments.positional[0], world)
                ]
            return [(Items(held.kind, held.items, True), world)]
        if isinstance(held, Table):
            if method == "update":
                return [
                    (Table({**held.items, **table.items}, held.open or table.open, held.home), w)
                    for table, w in self.table(arguments, world)
                ]
            if method == "setdefault" and len(arguments.positional) == 2:
                return self._setdefault(held, arguments, world)
            if method == "clear":
                return [(Table({}, home=held.home), world)]
            return [(Table(held.items, True, held.home), world)]
        return [(held, world)]

    def _setdefault(self, held: Table, arguments: Arguments, world: World) -> list[Outcome]:
        found: list[Outcome] = []
        for key, w in self._evaluator.value_of(arguments.positional[0], world):
            if _constant(key) in held.items:
                found.append((held, w))
                continue
            for value, v in self._evaluator.value_of(arguments.positional[1], w):
                items = {**held.items, _constant(key): value}
                found.append((Table(items, held.open or not isinstance(key, Const), held.home), v))
        return found

    def table(self, arguments: Arguments, world: World) -> list[tuple[Table, World]]:
        """The dict that ``dict(...)`` or ``update(...)`` is told to make or add."""
        tables: list[tuple[Table, World]] = [(Table({}), world)]
        for argument in [*arguments.positional, *arguments.splats]:
            tables = [
                (
                    Table({**held.items, **value.items}, held.open or value.open)
                    if isinstance(value, Table)
                    else Table(held.items, True),
                    v,
                )
                for held, w in tables
                for given, u in self._evaluator.value_of(argument, w)
                for value, v in self._mappings(given, u)
            ]
        for name, argument in arguments.keywords.items():
            sure = self._evaluator.value_of(argument, HERE)
            tables = [
                (Table({**held.items, name: value}, held.open), v)
                for held, w in tables
                for value, v in (
                    [(sure[0][0], w)] if _is_sure(sure) else self._evaluator.value_of(argument, w)
                )
            ][:_MOST_TABLES]
        return tables

    def _mappings(self, given: Value, world: World) -> list[Outcome]:
        """What is given for a dict as one: pairs, what other code fills, or settings that OmegaConf makes of
        a record."""
        if isinstance(given, Made) and given.name == FILLED:
            made = self._evaluator.records.as_dict(given, given.node, given.point, world, whole=False)
            return made or [(given, world)]
        return [(value, world) for value in _of_pairs(given) or [self._whole(given)]]

    # Methods; the receiver comes first.

    def method(self, base: Items | Table, name: str) -> Value:
        """``base.name`` of a list or dict, as a callable that has its receiver already."""
        receiver = Arguments([Argument(None, None, base)])
        return Partial(External(f"builtins.{'dict' if isinstance(base, Table) else 'list'}.{name}"), receiver)

    def _receivers(self, arguments: Arguments, world: World) -> list[Outcome]:
        if not arguments.positional:
            return []
        return self._evaluator.value_of(arguments.positional[0], world)

    def called(
        self, name: str, arguments: Arguments, node: ast.AST, point: Point, world: World
    ) -> list[Outcome]:
        """What a call of such a method gives."""
        return _METHODS[name](self, arguments, node, point, world)

    def _get(self, arguments: Arguments, node: ast.AST, point: Point, world: World) -> list[Outcome]:
        found: list[Outcome] = []
        evaluator = self._evaluator
        for table, w in self._receivers(arguments, world):
            if len(arguments.positional) < 2:
                continue
            for key, v in evaluator.value_of(arguments.positional[1], w):
                registered = self._registered(table, key, v)
                if registered is not None:
                    found += registered
                    continue
                if not isinstance(table, Table):
                    continue
                if isinstance(key, Const) and key.value not in table.items and not table.open:
                    if len(arguments.positional) > 2:
                        found += evaluator.value_of(arguments.positional[2], v)
                    else:
                        found.append((NONE, v))
                    continue
                entries = self._entries(table, key, v)
                if entries is None:
                    found += self._under_names(table, key, v)
                    continue
                found += entries[0]
                registry = all(isinstance(value, Class | Function | Partial) for value, _ in found)
                for u in entries[1]:
                    if len(arguments.positional) > 2:
                        found += evaluator.value_of(arguments.positional[2], u)
                    elif not registry:
                        # Most programs have an entry for each key: a None is not sure.
                        found.append((Unknown(("missing", table.key, key.key)), u))
        return found

    def _table_values(self, arguments: Arguments, node: ast.AST, point: Point, world: World) -> list[Outcome]:
        return [
            (Items("list", tuple(table.items.values()), table.open), w)
            for value, w in self._receivers(arguments, world)
            if isinstance(table := self._whole(value), Table)
        ]

    def _table_items(self, arguments: Arguments, node: ast.AST, point: Point, world: World) -> list[Outcome]:
        found: list[Outcome] = []
        for value, w in self._receivers(arguments, world):
            table = self._whole(value)
            if isinstance(table, Table):
                pairs = tuple(
                    Items("tuple", (Const(key) if key is not ANY else Unknown(("key", id(node))), held))
                    for key, held in table.items.items()
                )
                found.append((Items("list", pairs, table.open), w))
        return found

    def _copy(self, arguments: Arguments, node: ast.AST, point: Point, world: World) -> list[Outcome]:
        return self._receivers(arguments, world)


def _of_pairs(value: Value) -> list[Value]:
    """The dict that pairs of a key and a value make; where what stands under a key may be one of several
    things, as under all that are not known, one for each. Of pairs that stand there one after another, the
    last under a key counts; of those that only may be in there, any."""
    if not isinstance(value, Items):
        return []
    pairs = [item.items for item in value.items if isinstance(item, Items) and len(item.items) == 2]
    if len(pairs) < len(value.items):
        return []
    held: dict[object, dict[Key, Value]] = {}
    for key, each in pairs:
        under = _constant(key)
        if under is not ANY and not value.open:
            held[under] = {}
        held.setdefault(under, {})[each.key] = each
    ways = [list(each.values()) for each in held.values()]
    # One way after another, each with what it has that the others have not.
    most = min(max(map(len, ways), default=1), _MOST_OF_PAIRS)
    return [
        Table(
            {under: way[min(which, len(way) - 1)] for under, way in zip(held, ways, strict=True)},
            value.open or ANY in held,
        )
        for which in range(most)
    ]


def _is_sure(outcomes: list[Outcome]) -> bool:
    """Whether there is one value, whatever is assumed."""
    return len(outcomes) == 1 and not outcomes[0][1].facts


def _grown(held: Items, more: tuple[Value, ...]) -> tuple[Value, ...]:
    known = {item.key for item in held.items}
    return (*held.items, *(item for item in more if item.key not in known))[:48]


def _less(held: Value, keys: Sequence[Value]) -> Value:
    """A container without what is under some keys. Where a key is not known, any entry may be gone."""
    if isinstance(held, Items):
        return Items(held.kind, held.items, True)
    if not isinstance(held, Table):
        return held
    if any(not isinstance(key, Const) for key in keys):
        return Table({}, True, held.home)
    gone = [_constant(key) for key in keys]
    kept = {name: value for name, value in held.items.items() if name not in gone}
    return Table(kept, held.open, held.home)


def _opaque(value: Value, mark: Key) -> Value:
    return Unknown(mark) if isinstance(value, Items | Table | Const) else value


def _constant(value: Value) -> Any:
    return value.value if isinstance(value, Const) else ANY


# The methods that give something, by the names that `method` gives them.
_METHODS: dict[str, Callable[[Containers, Arguments, ast.AST, Point, World], list[Outcome]]] = {
    "builtins.dict.get": Containers._get,
    "builtins.dict.pop": Containers._get,
    "builtins.dict.values": Containers._table_values,
    "builtins.dict.items": Containers._table_items,
    "builtins.dict.copy": Containers._copy,
    "builtins.list.copy": Containers._copy,
}


def is_method(name: str) -> bool:
    """Whether a name is one that ``method`` gives to a method that gives something."""
    return name in _METHODS
