"""Lists, tuples, sets and dicts whose contents are known: what is in them, and what changes it.

A container that may hold more than is known of it is *open*.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING, Any, Final

from dlint.knowledge.loading import SPLITTERS
from dlint.knowledge.tensors import makes_tensors
from dlint.values.frame import Argument, Arguments, Point, arguments_of
from dlint.values.outcomes import Outcome, told_apart
from dlint.values.values import (
    GENERATOR,
    NONE,
    Class,
    Const,
    External,
    Function,
    Instance,
    Items,
    Key,
    Made,
    Partial,
    Table,
    Unknown,
    Value,
)
from dlint.values.worlds import HERE, World

if TYPE_CHECKING:
    from dlint.evaluation.interface import Evaluator

# The key under which a table keeps a value whose own key is not known.
ANY: Final = ...
# Of a long list of constants it does not matter which; of other long lists the first are looked at.
_FEW = 6
_UNORDERED = ("set", GENERATOR)
_MOST_ELEMENTS = 12
_MOST_ENTRIES = 24
_MOST_TABLES = 48
_INT = "builtins.int"


class Containers:
    """Containers: picking, going through, storing, changing, and their methods."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator

    # What is in them

    def pick(self, base: Value, key: Value) -> list[Value]:
        """What ``base[key]`` may give."""
        if isinstance(key, Const) and isinstance(key.value, int):
            base = self._evaluator.records.as_tuple(base, HERE) or base
        if isinstance(base, Items) and isinstance(key, Const) and isinstance(key.value, int):
            index = key.value
            if not base.open and base.kind not in _UNORDERED and -len(base.items) <= index < len(base.items):
                return [base.items[index]]
        if isinstance(base, Items):
            return self.elements(base)
        if isinstance(base, Table):
            if isinstance(key, Const) and key.value in base.items:
                held = base.items[key.value]
                if base.home is not None and isinstance(held, Table) and held.home is None:
                    return [Table(held.items, held.open, base.home.inside(key.value))]
                return [held]
            if not isinstance(key, Const) and base.items:
                values = list({value.key: value for value in base.items.values()}.values())
                if len(values) <= _FEW:
                    return values
                # Of a long table only what can be called is worth following: a registry.
                called: list[Value] = [
                    value for value in values if isinstance(value, Class | Function | Partial | Instance)
                ]
                return called[:_MOST_ENTRIES] or [Unknown(("item", base.key, key.key))]
            if ANY in base.items:
                return [base.items[ANY]]
        if isinstance(base, Made) and isinstance(key, Const):
            return [self.part(base, key.value)]
        return [Unknown(("item", base.key, key.key))]

    def looked_up(self, base: Value, key: Value, world: World) -> list[Outcome]:
        """What ``base[key]`` may give, in the worlds in which it does: of a short table each value goes with
        its key."""
        registered = self._registered(base, key, world)
        if registered is not None:
            return registered
        found = self._entries(base, key, world)
        return found[0] if found else self._under_names(base, key, world)

    def _under_names(self, base: Value, key: Value, world: World) -> list[Outcome]:
        """What ``base[key]`` may give; of a long or open table, too, each value goes with the key that it has
        there: whoever tests the key tells which of them it is."""
        possible = [(value, world) for value in self.pick(base, key)]
        return self._with_names(possible, base, key) if isinstance(base, Table) else possible

    def _with_names(
        self, possible: list[Outcome], table: Table, key: Value, guessed: Collection[object] = ()
    ) -> list[Outcome]:
        """What a table may give, in the worlds in which a key that is not known is the one that it has there,
        unless that is only guessed."""
        if not isinstance(key, Unknown | Made | External):
            return possible
        found: list[Outcome] = []
        for value, world in possible:
            under = [name for name, held in table.items.items() if held.key == value.key]
            if not under or ANY in under or any(name in guessed for name in under):
                found.append((value, world))
                continue
            for name in under:
                same = self._evaluator.truths.same(key, Const(name), world)
                found += [(value, w) for result, w in same if result]
        return found

    def _whole(self, base: Value) -> Value:
        """A dict with what other code puts in it; of an object, where it is a dict."""
        table = self._as_table(base)
        if isinstance(table, Table) and table.home is not None:
            return self._evaluator.filled.whole(table)
        return base

    def _as_table(self, base: Value) -> Value | None:
        return self._evaluator.filled.of_object(base) if isinstance(base, Instance) else base

    def _registered(self, base: Value, key: Value, world: World) -> list[Outcome] | None:
        """What a dict that other code fills may have under a key, None for any other value."""
        whole = self._whole(base)
        values = self._put_under(base, whole, key)
        if values is None or not isinstance(whole, Table):
            return None
        possible = told_apart([(value, world) for value in values], ("registered", base.key, key.key))
        table = self._as_table(base)
        guessed = self._evaluator.filled.guessed(table) if isinstance(table, Table) else set()
        return self._with_names(possible, whole, key, guessed)

    def _put_under(self, base: Value, whole: Value, key: Value) -> list[Value] | None:
        """A name that is known selects what is called so, as far as it can be told what that is; under any
        other name there may be anything."""
        if isinstance(base, Table) and isinstance(key, Const) and key.value in base.items:
            return None
        if whole is base or not isinstance(whole, Table):
            return None
        unknown = Unknown(("item", whole.key, key.key))
        if not isinstance(key, Const):
            return [*(value for value in self.pick(whole, key) if value.key != unknown.key), unknown]
        if key.value in whole.items:
            return [whole.items[key.value]]
        alike = [value for name, value in whole.items.items() if _plain(name) == _plain(key.value)]
        return alike or ([whole.items[ANY], unknown] if ANY in whole.items else [unknown])

    def _entries(self, base: Value, key: Value, world: World) -> tuple[list[Outcome], list[World]] | None:
        """Each value of a short table in the world in which the key is its own, and the worlds in which the
        key is none of the table's. None where the key is known, or not all that the table holds."""
        if not isinstance(base, Table) or base.open or isinstance(key, Const):
            return None
        if len(base.items) > _FEW or ANY in base.items:
            return None
        found: list[Outcome] = []
        others = [world]
        for name, value in base.items.items():
            following: list[World] = []
            for start in others:
                for result, w in self._evaluator.truths.same(key, Const(name), start):
                    if result:
                        found.append((value, w))
                    else:
                        following.append(w)
            others = following
        return (found, others) if found else None

    def elements(self, value: Value) -> list[Value]:
        """What iterating over a value may give."""
        if isinstance(value, Items):
            found = list({item.key: item for item in value.items}.values())
            if len(found) > _FEW and all(isinstance(item, Const | Unknown) for item in found):
                return [Unknown(("element", value.key))]
            known = found[:_MOST_ELEMENTS]
            all_known = bool(found) and not value.open and len(known) == len(found)
            return known if all_known else [*known, Unknown(("element", value.key))]
        if isinstance(value, Table):
            return [Const(key) for key in value.items if key is not ANY] or [Unknown(("key", value.key))]
        made = self._mapped(value) if isinstance(value, Made) else []
        return made or [Unknown(("element", value.key))]

    def all_of(self, value: Value) -> list[Value] | None:
        """All that iterating over a value gives, in order; None where that is not known."""
        if isinstance(value, Items) and not value.open and value.kind not in _UNORDERED:
            return list(value.items)
        if isinstance(value, Table) and not value.open and ANY not in value.items:
            return [Const(key) for key in value.items]
        return None

    def is_split(self, base: Made) -> bool:
        """Whether the parts of what a library's call returned are made of the same things."""
        return base.name in SPLITTERS or base.name.endswith(".split")

    def part(self, base: Made, which: object) -> Value:
        """One of the things that a library's call returned together, by its index or name."""
        if self.is_split(base):
            return base
        made = self._mapped(base)
        if len(made) == 1:
            return made[0]
        return Unknown(("part", base.key, which), is_number=self._gives_numbers(base))

    def _gives_numbers(self, base: Made) -> bool:
        """Whether each thing of several surely is a number: ``map(int, texts)``."""
        names = self._mapping(base)
        return bool(names) and all(name == _INT for name in names)

    def _mapped(self, base: Made) -> list[Value]:
        """The tensors of which each thing of several is one: ``map(torch.from_numpy, arrays)``."""
        names = self._mapping(base)
        if not all(map(makes_tensors, names)):
            return []
        return [Made(name, base.node, Arguments(), base.point) for name in dict.fromkeys(names)]

    def _mapping(self, base: Made) -> list[str]:
        """What surely makes each thing of several: functions of libraries, by their names."""
        if base.name != "builtins.map" or not base.arguments.positional:
            return []
        made = [value for value, _ in self._evaluator.value_of(base.arguments.positional[0], HERE)]
        names = [value.name for value in made if isinstance(value, External)]
        return names if len(names) == len(made) else []

    # Changes

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
                for given, v in self._evaluator.value_of(argument, w)
                for value in _of_pairs(given) or [self._whole(given)]
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
    most = min(max(map(len, ways), default=1), _MOST_ENTRIES)
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


def _plain(name: object) -> object:
    """A key as registries may write it: `cls.__name__.lower()`."""
    return name.replace("_", "").casefold() if isinstance(name, str) else name


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
