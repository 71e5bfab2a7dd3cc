"""What Python's own containers and a few library functions do to values."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from dlint.knowledge.names import asks_state
from dlint.program.frame import Argument, Arguments, Point, arguments_of
from dlint.program.outcomes import Outcome
from dlint.program.values import (
    NONE,
    Class,
    Const,
    External,
    Function,
    Instance,
    Items,
    Made,
    ModuleValue,
    Partial,
    Table,
    Unknown,
    Value,
    World,
)

if TYPE_CHECKING:
    from dlint.program.evaluate import Evaluator

# The key under which a table keeps a value whose own key is not known.
ANY: Final = ...
_FEW = 6
_MOST_ENTRIES = 24
# Library calls whose results are made of the same things as their arguments, item by item.
_SPLITTERS = frozenset({"torch.utils.data.random_split", "sklearn.model_selection.train_test_split"})


class Library:
    """Calls of builtins and of functools; containers: picking, storing, changing."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator

    # Containers

    def container_method(self, base: Items | Table, name: str) -> Value:
        """``base.name`` of a list or dict, as a callable that has its receiver already."""
        receiver = Arguments([Argument(None, None, base)])
        return Partial(External(f"builtins.{'dict' if isinstance(base, Table) else 'list'}.{name}"), receiver)

    def pick(self, base: Value, key: Value) -> list[Value]:
        """What ``base[key]`` may give."""
        if isinstance(base, Items) and isinstance(key, Const) and isinstance(key.value, int):
            index = key.value
            if not base.open and -len(base.items) <= index < len(base.items):
                return [base.items[index]]
        if isinstance(base, Items):
            return self._evaluator.elements(base)
        if isinstance(base, Table):
            if isinstance(key, Const) and key.value in base.items:
                return [base.items[key.value]]
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
        return [Unknown(("item", base.key, key.key))]

    def part(self, base: Made, index: int) -> Value:
        """One of the things that a library's call returned together."""
        if base.name in _SPLITTERS or base.name.endswith(".split"):
            return base
        return Unknown(("part", base.key, index))

    def subscript(self, base: Instance | Made, node: ast.AST, point: Point, world: World) -> list[Outcome]:
        """``base[i]`` of an object."""
        if isinstance(base, Made):
            return [(self.part(base, 0), world)]
        return [(Unknown(("item", base.key, id(node))), world)]

    def stored(
        self, held: Value, target: ast.Subscript, value: Value, before: Point, world: World
    ) -> list[Value]:
        """The container after ``held[key] = value``."""
        if not isinstance(held, Table):
            return [Items(held.kind, (*held.items, value), True)] if isinstance(held, Items) else [held]
        found: list[Value] = []
        for key, _ in self._evaluator.values(target.slice, before, world)[:4]:
            if isinstance(key, Const):
                found.append(Table({**held.items, key.value: value}, held.open))
            else:
                found.append(Table({**held.items, ANY: value}, True))
        return found

    def deleted(self, held: Value, target: ast.Subscript, before: Point, world: World) -> Value:
        """The container after ``del held[key]``."""
        if not isinstance(held, Table):
            return Items(held.kind, held.items, True) if isinstance(held, Items) else held
        keys = [_constant(key) for key, _ in self._evaluator.values(target.slice, before, world)]
        sure = len(keys) == 1 and keys[0] is not ANY
        left = {name: value for name, value in held.items.items() if name not in keys}
        return Table(left, held.open or not sure)

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
                    (Table({**held.items, **table.items}, held.open or table.open), w)
                    for table, w in self.table(arguments, world)
                ]
            if method == "setdefault" and len(arguments.positional) == 2:
                return self._setdefault(held, arguments, world)
            if method == "pop" and arguments.positional:
                return [
                    (Table({k: v for k, v in held.items.items() if k != _constant(key)}, held.open), w)
                    for key, w in evaluator.value_of(arguments.positional[0], world)
                ]
            return [(Table(held.items, True), world)]
        return [(held, world)]

    def _setdefault(self, held: Table, arguments: Arguments, world: World) -> list[Outcome]:
        found: list[Outcome] = []
        for key, w in self._evaluator.value_of(arguments.positional[0], world):
            if _constant(key) in held.items:
                found.append((held, w))
                continue
            for value, v in self._evaluator.value_of(arguments.positional[1], w):
                items = {**held.items, _constant(key): value}
                found.append((Table(items, held.open or not isinstance(key, Const)), v))
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
                for value, v in self._evaluator.value_of(argument, w)
            ]
        for name, argument in arguments.keywords.items():
            tables = [
                (Table({**held.items, name: value}, held.open), v)
                for held, w in tables
                for value, v in self._evaluator.value_of(argument, w)
            ][:48]
        return tables

    # Functions

    def call(
        self, callee: External, arguments: Arguments, node: ast.AST, point: Point, world: World
    ) -> list[Outcome]:
        """What calling a library's function, class or method gives."""
        handler = _FUNCTIONS.get(callee.name)
        if handler is not None:
            found = handler(self, arguments, node, point, world)
            if found:
                return found
        if callee.owner is None and not arguments.all() and asks_state(callee.name):
            # `is_initialized()` answers the same wherever it is asked.
            return [(Unknown(("answer", callee.name)), world)]
        return [(Made(callee.name, node, arguments, point), world)]

    def _first(self, arguments: Arguments, world: World) -> list[Outcome]:
        if not arguments.positional:
            return []
        return self._evaluator.value_of(arguments.positional[0], world)

    def _dict(self, arguments: Arguments, node: ast.AST, point: Point, world: World) -> list[Outcome]:
        return list(self.table(arguments, world))

    def _listed(self, arguments: Arguments, node: ast.AST, point: Point, world: World) -> list[Outcome]:
        if not arguments.positional:
            return [(Items("list", ()), world)]
        return [
            (value, w)
            if isinstance(value, Items)
            else (Items("list", tuple(self._evaluator.elements(value)), True), w)
            for value, w in self._first(arguments, world)
        ]

    def _same(self, arguments: Arguments, node: ast.AST, point: Point, world: World) -> list[Outcome]:
        return self._first(arguments, world)

    def _enumerate(self, arguments: Arguments, node: ast.AST, point: Point, world: World) -> list[Outcome]:
        index = Unknown(("index", id(node)))
        return [
            (
                Items(
                    "list",
                    tuple(Items("tuple", (index, item)) for item in self._evaluator.elements(value)),
                    True,
                ),
                w,
            )
            for value, w in self._first(arguments, world)
        ]

    def _zip(self, arguments: Arguments, node: ast.AST, point: Point, world: World) -> list[Outcome]:
        columns: list[list[Value]] = []
        for argument in arguments.positional:
            values = self._evaluator.value_of(argument, world)
            columns.append(self._evaluator.elements(values[0][0]) if values else [])
        if not columns or not all(columns):
            return []
        rows = [
            Items("tuple", tuple(column[min(i, len(column) - 1)] for column in columns))
            for i in range(max(len(column) for column in columns))
        ]
        return [(Items("list", tuple(rows), True), world)]

    def _next(self, arguments: Arguments, node: ast.AST, point: Point, world: World) -> list[Outcome]:
        return [
            (item, w)
            for value, w in self._first(arguments, world)
            for item in self._evaluator.elements(value)
        ]

    def _length(self, arguments: Arguments, node: ast.AST, point: Point, world: World) -> list[Outcome]:
        return [
            (Const(len(value.items)), w)
            if isinstance(value, Items) and not value.open
            else (Unknown(("length", value.key)), w)
            for value, w in self._first(arguments, world)
        ]

    def _number(self, arguments: Arguments, node: ast.AST, point: Point, world: World) -> list[Outcome]:
        found: list[Outcome] = []
        for value, w in self._first(arguments, world):
            if isinstance(value, Const):
                try:
                    found.append((Const(int(value.value)), w))
                    continue
                except (TypeError, ValueError, OverflowError):
                    pass
            found.append((value if isinstance(value, Unknown) else Unknown(("int", value.key)), w))
        return found

    def _bool(self, arguments: Arguments, node: ast.AST, point: Point, world: World) -> list[Outcome]:
        return [
            (Const(result), v)
            for value, w in self._first(arguments, world)
            for result, v in self._evaluator.truths.of_value(value, w)
        ]

    def _least(self, arguments: Arguments, node: ast.AST, point: Point, world: World) -> list[Outcome]:
        return self._extreme(min, arguments, node, point, world)

    def _greatest(self, arguments: Arguments, node: ast.AST, point: Point, world: World) -> list[Outcome]:
        return self._extreme(max, arguments, node, point, world)

    def _extreme(
        self, function: Callable[[Any], Any], arguments: Arguments, node: ast.AST, point: Point, world: World
    ) -> list[Outcome]:
        values = [self._evaluator.value_of(argument, world) for argument in arguments.positional]
        constants = [
            outcomes[0][0].value
            for outcomes in values
            if len(outcomes) == 1 and isinstance(outcomes[0][0], Const)
        ]
        numbers = [value for value in constants if isinstance(value, int | float)]
        if numbers and len(numbers) == len(values):
            return [(Const(function(numbers)), world)]
        if function is min and 0 in numbers and len(values) > 1:
            return [(Const(0), world)]
        return [(Unknown((function.__name__, id(node), point.frame.key)), world)]

    def _getattr(self, arguments: Arguments, node: ast.AST, point: Point, world: World) -> list[Outcome]:
        if len(arguments.positional) < 2:
            return []
        found: list[Outcome] = []
        for base, w in self._first(arguments, world):
            for name, v in self._evaluator.value_of(arguments.positional[1], w):
                if isinstance(name, Const) and isinstance(name.value, str):
                    found += self._evaluator.attribute(base, name.value, node, point, v)
                elif isinstance(base, ModuleValue):
                    # A registry by name: any class of the module may be meant.
                    found += [(value, v) for value in self._evaluator.names.public(base)]
                else:
                    found.append((Unknown(("getattr", base.key, name.key)), v))
        return found

    def _eval(self, arguments: Arguments, node: ast.AST, point: Point, world: World) -> list[Outcome]:
        """``eval("Name")`` and ``eval("package." + name)``: read, never run."""
        if not arguments.positional or arguments.positional[0].expression is None:
            return []
        text, whole = _leading_text(arguments.positional[0].expression)
        if not whole:
            prefix, dot, rest = text.rpartition(".")
            if not dot or rest:
                return []
            text = prefix
        try:
            expression = ast.parse(text, mode="eval").body
        except (SyntaxError, ValueError):
            return []
        outcomes = self._evaluator.values(expression, point, world)
        if whole:
            return outcomes
        return [
            (value, w)
            for base, w in outcomes
            if isinstance(base, ModuleValue)
            for value in self._evaluator.names.public(base)
        ]

    def _import(self, arguments: Arguments, node: ast.AST, point: Point, world: World) -> list[Outcome]:
        return [
            (self._evaluator.names.module_named(name.value, point.frame.module.relative), w)
            for name, w in self._first(arguments, world)
            if isinstance(name, Const) and isinstance(name.value, str)
        ]

    def _partial(self, arguments: Arguments, node: ast.AST, point: Point, world: World) -> list[Outcome]:
        rest = Arguments(arguments.positional[1:], arguments.keywords, arguments.spread, arguments.splats)
        return [(Partial(callee, rest), w) for callee, w in self._first(arguments, world)]

    def _super(self, arguments: Arguments, node: ast.AST, point: Point, world: World) -> list[Outcome]:
        return self._evaluator.classes.super_at(point, world)

    def _type(self, arguments: Arguments, node: ast.AST, point: Point, world: World) -> list[Outcome]:
        return [
            (value.cls if isinstance(value, Instance) else Unknown(("type", value.key)), w)
            for value, w in self._first(arguments, world)
        ]

    def _isinstance(self, arguments: Arguments, node: ast.AST, point: Point, world: World) -> list[Outcome]:
        if len(arguments.positional) != 2:
            return []
        found: list[Outcome] = []
        for value, w in self._first(arguments, world):
            for cls, v in self._evaluator.value_of(arguments.positional[1], w):
                answer = self._evaluator.classes.is_instance(value, cls)
                if answer is None:
                    found.append((Unknown(("isinstance", value.key, cls.key)), v))
                else:
                    found.append((Const(answer), v))
        return found

    # Methods of containers; the receiver comes first.

    def _get(self, arguments: Arguments, node: ast.AST, point: Point, world: World) -> list[Outcome]:
        found: list[Outcome] = []
        evaluator = self._evaluator
        for table, w in self._first(arguments, world):
            if not isinstance(table, Table) or len(arguments.positional) < 2:
                continue
            for key, v in evaluator.value_of(arguments.positional[1], w):
                if isinstance(key, Const) and key.value not in table.items and not table.open:
                    if len(arguments.positional) > 2:
                        found += evaluator.value_of(arguments.positional[2], v)
                    else:
                        found.append((NONE, v))
                else:
                    found += [(value, v) for value in self.pick(table, key)]
        return found

    def _table_values(self, arguments: Arguments, node: ast.AST, point: Point, world: World) -> list[Outcome]:
        return [
            (Items("list", tuple(table.items.values()), table.open), w)
            for table, w in self._first(arguments, world)
            if isinstance(table, Table)
        ]

    def _table_items(self, arguments: Arguments, node: ast.AST, point: Point, world: World) -> list[Outcome]:
        found: list[Outcome] = []
        for table, w in self._first(arguments, world):
            if isinstance(table, Table):
                pairs = tuple(
                    Items("tuple", (Const(key) if key is not ANY else Unknown(("key", id(node))), value))
                    for key, value in table.items.items()
                )
                found.append((Items("list", pairs, table.open), w))
        return found


def _grown(held: Items, more: tuple[Value, ...]) -> tuple[Value, ...]:
    known = {item.key for item in held.items}
    return (*held.items, *(item for item in more if item.key not in known))[:48]


def _constant(value: Value) -> Any:
    return value.value if isinstance(value, Const) else ANY


def _leading_text(node: ast.expr) -> tuple[str, bool]:
    """The constant text that a string expression starts with, and whether that is all of it."""
    match node:
        case ast.Constant(value=str(text)):
            return text, True
        case ast.BinOp(left=left, op=ast.Add()):
            return _leading_text(left)[0], False
        case ast.BinOp(left=ast.Constant(value=str(text)), op=ast.Mod()):
            return text.partition("%")[0], False
        case ast.JoinedStr(values=[ast.Constant(value=str(text)), *_]):
            return text, False
        case ast.Call(func=ast.Attribute(value=ast.Constant(value=str(text)), attr="format")):
            return text.partition("{")[0], False
    return "", False


_FUNCTIONS: dict[str, Callable[[Library, Arguments, ast.AST, Point, World], list[Outcome]]] = {
    "builtins.dict": Library._dict,
    "builtins.list": Library._listed,
    "builtins.tuple": Library._listed,
    "builtins.set": Library._listed,
    "builtins.sorted": Library._listed,
    "builtins.reversed": Library._listed,
    "builtins.iter": Library._same,
    "copy.copy": Library._same,
    "copy.deepcopy": Library._same,
    "builtins.enumerate": Library._enumerate,
    "tqdm.tqdm": Library._same,
    "tqdm.auto.tqdm": Library._same,
    "builtins.zip": Library._zip,
    "builtins.next": Library._next,
    "builtins.len": Library._length,
    "builtins.int": Library._number,
    "builtins.bool": Library._bool,
    "builtins.min": Library._least,
    "builtins.max": Library._greatest,
    "builtins.getattr": Library._getattr,
    "builtins.eval": Library._eval,
    "builtins.super": Library._super,
    "builtins.type": Library._type,
    "builtins.isinstance": Library._isinstance,
    "builtins.__import__": Library._import,
    "importlib.import_module": Library._import,
    "functools.partial": Library._partial,
    "builtins.dict.get": Library._get,
    "builtins.dict.pop": Library._get,
    "builtins.dict.values": Library._table_values,
    "builtins.dict.items": Library._table_items,
    "builtins.dict.copy": Library._same,
    "builtins.list.copy": Library._same,
}
