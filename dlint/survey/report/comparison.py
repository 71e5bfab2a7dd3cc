"""What two surveys of the same versions found differently, finding by finding."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from dlint.survey.report.names import short_names
from dlint.survey.store import Key, Store

_PLACE = ("path", "cell", "line", "column", "code")
_SAID = ("message", "level", "effect", "condition", "fix")
_MOST_SHOWN = 20  # of one kind and one version, in Markdown


@dataclass(frozen=True)
class Change:
    """A finding that came, went, or says something else: ``old`` and ``new`` are its rows."""

    repository: str
    version: str | None
    old: Mapping[str, Any] | None
    new: Mapping[str, Any] | None


@dataclass
class Comparison:
    """Two surveys: ``both`` versions are in both and were read in both; ``alone`` are in one of them, or read
    in one of them only, with its outcome in each."""

    both: int = 0
    alone: list[tuple[str, str | None, str | None, str | None]] = field(default_factory=list)
    came: list[Change] = field(default_factory=list)
    went: list[Change] = field(default_factory=list)
    changed: list[Change] = field(default_factory=list)
    same: int = 0
    seconds: tuple[float, float] = (0.0, 0.0)
    memory: tuple[int, int] = (0, 0)  # bytes, the most of any version
    releases: tuple[str, str] = ("", "")

    @property
    def is_alike(self) -> bool:
        """Whether the two found the same."""
        return not (self.alone or self.came or self.went or self.changed)


def compare(old: Store, new: Store) -> Comparison:
    """What a survey found that another did not. Raises StoreError."""
    found = Comparison(releases=(old.plan().dlint, new.plan().dlint))
    columns = ("repository", "version", "outcome", "seconds", "peak_memory")
    before, after = (
        {(row["repository"], row["version"]): row for row in store.repositories(*columns)}
        for store in (old, new)
    )
    both = {key for key in before.keys() & after.keys() if before[key]["outcome"] == "read"}
    both = {key for key in both if after[key]["outcome"] == "read"}
    for key in sorted(before.keys() | after.keys(), key=_order):
        outcomes = tuple(rows[key]["outcome"] if key in rows else None for rows in (before, after))
        if key not in both and outcomes[0] != outcomes[1]:
            found.alone.append((*key, *outcomes))
    found.both = len(both)
    found.seconds = _sum(before, both), _sum(after, both)
    found.memory = _most(before, both), _most(after, both)
    theirs, ours = _by_version(old, both), _by_version(new, both)
    for key in sorted(both, key=_order):
        _compare(found, key, theirs.get(key, {}), ours.get(key, {}))
    return found


def _order(key: Key) -> tuple[str, str]:
    return (key[0], key[1] or "")


def _sum(rows: Mapping[Key, Mapping[str, Any]], keys: set[Key]) -> float:
    return float(sum(rows[key]["seconds"] for key in keys))


def _most(rows: Mapping[Key, Mapping[str, Any]], keys: set[Key]) -> int:
    return max((rows[key]["peak_memory"] or 0 for key in keys), default=0)


def _by_version(store: Store, keys: set[Key]) -> dict[Key, dict[tuple[Any, ...], dict[str, Any]]]:
    """The findings of some versions by their places; what is found twice at one place is told apart."""
    found: dict[Key, dict[tuple[Any, ...], dict[str, Any]]] = defaultdict(dict)
    for row in store.findings("repository", "version", *_PLACE, *_SAID):
        key = (row["repository"], row["version"])
        if key in keys:
            place = tuple(row[name] for name in _PLACE)
            number = (
                sum(1 for each in found[key] if each[: len(place)] == place) if place in found[key] else 0
            )
            found[key][(*place, number) if number else place] = row
    return found


def _compare(
    found: Comparison,
    key: Key,
    old: Mapping[tuple[Any, ...], Mapping[str, Any]],
    new: Mapping[tuple[Any, ...], Mapping[str, Any]],
) -> None:
    for place in sorted(old.keys() | new.keys(), key=str):
        theirs, ours = old.get(place), new.get(place)
        change = Change(*key, theirs, ours)
        if theirs is None:
            found.came.append(change)
        elif ours is None:
            found.went.append(change)
        elif any(theirs[name] != ours[name] for name in _SAID):
            found.changed.append(change)
        else:
            found.same += 1


def as_json(found: Comparison) -> str:
    """The comparison for programs."""
    return json.dumps(asdict(found), indent=2, default=str)


def as_markdown(found: Comparison) -> Iterator[str]:
    """The comparison to be read, line by line."""
    yield "# Two surveys"
    yield ""
    yield (
        f"{found.both} versions in both: {len(found.came)} findings came, {len(found.went)} went, "
        f"{len(found.changed)} say something else, {found.same} are the same."
    )
    yield ""
    yield "| | old | new | |"
    yield "| --- | ---: | ---: | ---: |"
    yield f"| dlint | {found.releases[0]} | {found.releases[1]} | |"
    yield _row("seconds", *found.seconds, f"{found.seconds[0]:.1f}", f"{found.seconds[1]:.1f}")
    most = [f"{each / 1e6:.0f} MB" for each in found.memory]
    yield _row("most memory", *found.memory, *most)
    short = short_names(each.repository for kind in (found.came, found.went, found.changed) for each in kind)
    for title, changes in (("Came", found.came), ("Went", found.went), ("Say something else", found.changed)):
        if changes:
            yield ""
            yield f"## {title}"
            yield from _changes(changes, short)
    if found.alone:
        yield ""
        yield "## Versions that were not read in both"
        yield ""
        for repository, version, *outcomes in found.alone:
            then, now = (outcome or "not in it" for outcome in outcomes)
            yield f"- {repository} {_commit(version)}: {then}, now {now}"


def _row(what: str, old: float, new: float, *shown: str) -> str:
    return f"| {what} | {shown[0]} | {shown[1]} | {f'{new / old:.2f} times' if old else ''} |"


def _changes(changes: list[Change], short: Mapping[str, str]) -> Iterator[str]:
    by_version: dict[tuple[str, str | None], list[Change]] = defaultdict(list)
    for change in changes:
        by_version[change.repository, change.version].append(change)
    for (repository, version), some in by_version.items():
        yield ""
        yield f"{short[repository]} {_commit(version)}".rstrip() + ":"
        yield ""
        for change in some[:_MOST_SHOWN]:
            row = change.new or change.old or {}
            place = f"{row['path']}:{row['line']}:{row['column']}"
            if change.old is None or change.new is None:
                yield f"- `{place}` {row['level']}: {row['code']} {row['message']}"
                continue
            yield f"- `{place}` {row['code']}"
            for name in _SAID:
                if change.old[name] != change.new[name]:
                    yield f"    - {name}: {change.old[name]} -> {change.new[name]}"
        if len(some) > _MOST_SHOWN:
            yield f"- and {len(some) - _MOST_SHOWN} more"


def _commit(version: str | None) -> str:
    return version[:10] if version else ""
