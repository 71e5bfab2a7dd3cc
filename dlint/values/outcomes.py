"""Outcomes: a value, and the world in which an expression is that value."""

from __future__ import annotations

from collections import Counter
from typing import Final, TypeAlias

from dlint.budget.budget import spend
from dlint.values.values import Instance, Key, Made, Table, Unknown, Value
from dlint.values.worlds import World

Outcome: TypeAlias = tuple[Value, World]

# More outcomes than this are folded together: the answer stays true, it only knows less.
OUTCOMES: Final = 32
# Dicts that are filled along many branches are joined into one beyond this many.
_TABLES = 10
# What an assumption begins with that tells which of several things something is, or which method has stored
# what an attribute holds.
_WHICH: Final = "which"
STORED: Final = "stored"
# So many unknown values are one unknown value.
_ALIKE = 4


def within(outcomes: list[Outcome], world: World) -> list[Outcome]:
    """The outcomes that agree with a world, in the worlds where both hold."""
    if not world.facts:
        return outcomes
    spend(len(outcomes))
    if len(outcomes) == 1 and not outcomes[0][1].facts:
        return [(outcomes[0][0], world)]
    found = []
    for value, w in outcomes:
        both = world.joined(w) if w.facts else world
        if both is not None:
            found.append((value, both))
    return found


def each_once(outcomes: list[Outcome]) -> list[Outcome]:
    """Each value once, with what all ways to it assume: for who asks what a value leads to, and not how it
    came about."""
    values: dict[Key, Value] = {}
    worlds: dict[Key, list[World]] = {}
    for value, world in outcomes:
        values.setdefault(value.key, value)
        worlds.setdefault(value.key, []).append(world)
    return [
        (value, held[0] if len(held) == 1 else held[0].shared(held[1:]))
        for value, held in zip(values.values(), worlds.values(), strict=True)
    ]


def told_apart(outcomes: list[Outcome], mark: Key) -> list[Outcome]:
    """Outcomes of one thing that no assumption tells apart yet, each with the assumption that it is the
    one: whoever reads the thing again in such a world gets the same value."""
    if len(outcomes) <= 1:
        return outcomes
    worlds = [id(w) for _, w in outcomes]
    if len(set(worlds)) == len(worlds):
        return outcomes
    many = Counter(worlds)
    which = [many[each] > 1 for each in worlds]
    return _marked(outcomes, (_WHICH, mark), list(range(len(outcomes))), which)


def stores_told_apart(outcomes: list[Outcome], mark: Key, labels: list[int] | None = None) -> list[Outcome]:
    """The same of what different methods store, each in a world of its own: that those are two worlds does
    not mean that one of them excludes the other. ``labels`` name the method that stores each."""
    if len(outcomes) <= 1:
        return outcomes
    if len(outcomes) > OUTCOMES and labels is None:
        # All pairs are compared: of ten thousand ways to five values only the values are.
        outcomes = fold(outcomes)
    worlds = [w for _, w in outcomes]
    alike = [False] * len(worlds)
    for index, w in enumerate(worlds):
        for before in range(index):
            if not (alike[index] and alike[before]) and w.agrees(worlds[before]):
                alike[index] = alike[before] = True
    return _marked(outcomes, (STORED, mark), labels or list(range(len(outcomes))), alike)


def after_stores(outcomes: list[Outcome], mark: Key, world: World) -> list[Outcome]:
    """What methods store, asked for in a world: who had stored before (``if self.file is None:``) says
    nothing of what is there afterwards."""
    which = (STORED, mark)
    if world.known(which) is not None:
        return outcomes
    return [(value, w.forgetting(which)) for value, w in outcomes]


def _marked(outcomes: list[Outcome], mark: Key, labels: list[int], which: list[bool]) -> list[Outcome]:
    return [
        (value, w.assuming(mark, label) if marked else w)
        for (value, w), label, marked in zip(outcomes, labels, which, strict=True)
        if w.known(mark) in (None, label)
    ]


def fold(outcomes: list[Outcome]) -> list[Outcome]:
    """At most ``OUTCOMES`` outcomes: equal values first keep only what all of them assume, then the rest is
    unknown."""
    if len(outcomes) <= 1:
        return outcomes
    spend(len(outcomes))
    if len(outcomes) > _ALIKE and all(isinstance(value, Unknown) for value, _ in outcomes):
        # Many ways to something unknown: which way says nothing about it, but how a string begins and ends.
        first, *more = (w for _, w in outcomes)
        texts = {value.text if isinstance(value, Unknown) else None for value, _ in outcomes}
        text = next(iter(texts)) if len(texts) == 1 else None
        any_of = Unknown(("any", frozenset(value.key for value, _ in outcomes)), text=text)
        return [(any_of, first.shared(more))]
    if len(outcomes) <= OUTCOMES:
        seen: dict[tuple[object, int], Outcome] = {}
        for outcome in outcomes:
            seen.setdefault((outcome[0].key, id(outcome[1])), outcome)
        return outcomes if len(seen) == len(outcomes) else list(seen.values())
    worlds: dict[Key, list[World]] = {}
    values: dict[Key, Value] = {}
    for value, w in outcomes:
        values.setdefault(value.key, value)
        worlds.setdefault(value.key, []).append(w)
    if len(values) > OUTCOMES:
        values = _different_first(values)
    kept = [(value, worlds[key][0].shared(worlds[key][1:])) for key, value in list(values.items())[:OUTCOMES]]
    if len(values) > OUTCOMES:
        rest = [w for key in list(values)[OUTCOMES - 1 :] for w in worlds[key]]
        kept[-1] = (Unknown(("many", len(values), next(iter(values)))), rest[0].shared(rest[1:]))
    return kept


def _different_first(values: dict[Key, Value]) -> dict[Key, Value]:
    """Values with one of each kind first, then a second of each: many objects of one class, made in different
    ways, do not leave out that of another."""
    before: dict[Key, int] = {}
    turns: dict[Key, int] = {}
    for key, value in values.items():
        kind: Key = value.cls.key if isinstance(value, Instance) else key
        kind = value.name if isinstance(value, Made) else kind
        kind = "unknown" if isinstance(value, Unknown) else kind
        turns[key] = before[kind] = before.get(kind, -1) + 1
    return {key: values[key] for key in sorted(values, key=turns.__getitem__)}


def widened(outcomes: list[Outcome]) -> list[Outcome]:
    """At most a few tables: many are joined into one that keeps what all agree on."""
    tables = [value for value, _ in outcomes if isinstance(value, Table)]
    if len(tables) <= _TABLES:
        return outcomes
    names = set(tables[0].items).union(*(table.items for table in tables))
    items: dict[object, Value] = {}
    for name in sorted(names, key=repr):
        held = {table.items[name].key: table.items[name] for table in tables if name in table.items}
        everywhere = all(name in table.items for table in tables)
        if len(held) == 1 and everywhere:
            items[name] = next(iter(held.values()))
        else:
            items[name] = Unknown(("joined", name, tuple(sorted(held, key=repr))))
    joined = Table(items, any(table.open for table in tables))
    others = [(value, w) for value, w in outcomes if not isinstance(value, Table)]
    worlds = [w for value, w in outcomes if isinstance(value, Table)]
    return [(joined, worlds[0].shared(worlds[1:])), *others]
