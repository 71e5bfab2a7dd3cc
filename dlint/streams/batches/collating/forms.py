"""Forms: what an expression of a ``collate_fn`` has of the items."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TypeAlias

from dlint.streams.memory.places import Place
from dlint.streams.memory.stored import ANY


@dataclass(frozen=True)
class Part:
    """A part of an item."""

    place: Place


@dataclass(frozen=True)
class Each:
    """A list of the same thing of each item; of nothing where it is empty still."""

    of: Form | None


@dataclass(frozen=True)
class Columns:
    """What ``zip(*rows)`` gives: for each part of a row the list of it of all rows."""

    row: Form


@dataclass(frozen=True)
class Column:
    """One of these lists, nobody knows which."""

    row: Form


@dataclass(frozen=True)
class Written:
    """A tuple, list or dict whose entries are written out, or stored, and what is under all other keys."""

    entries: tuple[tuple[object, Form | None], ...]
    others: Form | None = None


@dataclass(frozen=True)
class ByKey:
    """A dict with the same of the items under each of its keys: ``{k: [each[k] for each in items] ...}``."""

    key: str
    value: ast.expr
    names: tuple[tuple[str, Form | None], ...]
    at: ast.stmt | None  # where that stands


@dataclass(frozen=True)
class Key:
    """A key that is known."""

    value: object | None


@dataclass(frozen=True)
class Collated:
    """What torch makes of what the items have."""

    of: Form


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
