"""Names of repositories that are easy to read: without what all of them have in common."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import takewhile


def short_names(names: Iterable[str]) -> dict[str, str]:
    """The short name of each: no two are the same."""
    every = sorted(set(names))
    if len(every) < 2:
        return {name: name for name in every}
    parts = [name.split("/") for name in every]
    before = _alike([each[:-1] for each in parts])
    behind = _alike([each[:before:-1] for each in parts])
    return {
        name: "/".join(each[before : len(each) - behind]) for name, each in zip(every, parts, strict=True)
    }


def _alike(lists: Sequence[Sequence[str]]) -> int:
    """With how many equal parts all lists begin."""
    return sum(1 for _ in takewhile(lambda parts: len(set(parts)) == 1, zip(*lists, strict=False)))
