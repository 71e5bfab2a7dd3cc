"""What is in lists, tuples, sets and dicts: under a key, in order, all of it."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Final

from dlint.knowledge.loading import SPLITTERS
from dlint.knowledge.tensors import makes_tensors
from dlint.values.frame import Arguments
from dlint.values.outcomes import Outcome, told_apart
from dlint.values.values import (
    GENERATOR,
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
_INT = "builtins.int"


class Contents:
    """Questions about what is in containers, and in what libraries return together."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator

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


def _plain(name: object) -> object:
    """A key as registries may write it: `cls.__name__.lower()`."""
    return name.replace("_", "").casefold() if isinstance(name, str) else name
