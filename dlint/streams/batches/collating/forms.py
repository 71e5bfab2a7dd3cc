"""Forms: what an expression of a ``collate_fn`` has of the items."""

from __future__ import annotations

import ast
from typing import TypeAlias

from dlint.streams.memory.places import Place
from dlint.streams.memory.stored import ANY


class _Form:
    """Equal to another of its kind with the same parts."""

    __slots__ = ("_parts",)

    def __init__(self, *parts: object) -> None:
        self._parts = parts

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Form) and type(self) is type(other) and self._parts == other._parts

    def __hash__(self) -> int:
        return hash(self._parts)


class Part(_Form):
    """A part of an item."""

    __slots__ = ("place",)

    def __init__(self, place: Place) -> None:
        super().__init__(place)
        self.place = place


class Each(_Form):
    """A list of the same thing of each item; of nothing where it is empty still."""

    __slots__ = ("of",)

    def __init__(self, of: Form | None) -> None:
        super().__init__(of)
        self.of = of


class Columns(_Form):
    """What ``zip(*rows)`` gives: for each part of a row the list of it of all rows."""

    __slots__ = ("row",)

    def __init__(self, row: Form) -> None:
        super().__init__(row)
        self.row = row


class Column(_Form):
    """One of these lists, nobody knows which."""

    __slots__ = ("row",)

    def __init__(self, row: Form) -> None:
        super().__init__(row)
        self.row = row


class Written(_Form):
    """A tuple, list or dict whose entries are written out, or stored, and what is under all other keys."""

    __slots__ = ("entries", "others")

    def __init__(self, entries: tuple[tuple[object, Form | None], ...], others: Form | None = None) -> None:
        super().__init__(entries, others)
        self.entries = entries
        self.others = others


class ByKey(_Form):
    """A dict with the same of the items under each of its keys: ``{k: [each[k] for each in items] ...}``.

    ``at`` is where that stands.
    """

    __slots__ = ("at", "key", "names", "value")

    def __init__(
        self, key: str, value: ast.expr, names: tuple[tuple[str, Form | None], ...], at: ast.stmt | None
    ) -> None:
        super().__init__(key, value, names, at)
        self.key = key
        self.value = value
        self.names = names
        self.at = at


class Key(_Form):
    """A key that is known."""

    __slots__ = ("value",)

    def __init__(self, value: object | None) -> None:
        super().__init__(value)
        self.value = value


class Collated(_Form):
    """What torch makes of what the items have."""

    __slots__ = ("of",)

    def __init__(self, of: Form) -> None:
        super().__init__(of)
        self.of = of


Form: TypeAlias = "Part | Each | Columns | Column | Written | ByKey | Key | Collated"
EMPTY = Each(None)


def any_of(form: Form | None) -> Form | None:
    """What a loop comes by that goes through a form."""
    match form:
        case Each(of=of):
            return of
        case Columns(row=row):
            return Column(row)
        case Part(place=place):
            return Part((*place, ANY))
    return None


def join(names: dict[str, Form | None], ways: list[dict[str, Form | None]]) -> bool:
    """Make names stand for what they do on each of some ways; whether there is any."""
    if ways:
        first, *others = [dict(way) for way in ways]
        names.clear()
        names.update(first)
        for other in others:
            for name in [*names]:
                names[name] = either(names[name], other.get(name))
    return bool(ways)


def either(one: Form | None, other: Form | None) -> Form | None:
    """What is one form on one way and another on the other: a list may be empty on one."""
    if isinstance(one, Each) and other == EMPTY:
        return one
    if one == EMPTY and isinstance(other, Each):
        return other
    return one if one == other else None
