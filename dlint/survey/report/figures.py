"""The figures of a survey."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from dlint.finding import LEVELS
from dlint.survey.report.names import short_names
from dlint.survey.store import Key, Store

_COLUMNS = (
    "repository",
    "version",
    "committed",
    "outcome",
    "reason",
    "files",
    "lines",
    "seconds",
    "peak_memory",
)
_FOUND = ("repository", "version", "code", "name", "level", "effect", "reach", "fix", "fingerprint")
_MOST = 15  # rows of a table that has no end of its own


@dataclass
class RuleFigures:
    """How often a rule fires in the newest versions: findings by level, the repositories it touches, and the
    findings that a remedy repairs."""

    code: str
    name: str
    effect: str
    findings: Counter[str] = field(default_factory=Counter)
    repositories: set[str] = field(default_factory=set)
    repairable: int = 0


@dataclass(frozen=True)
class ReachFigures:
    """One way from what workers call (``__getitem__``) to the hazard (``cv2.resize``): how many findings go
    it, in how many repositories."""

    code: str
    entry: str
    hazard: str
    findings: int
    repositories: int


@dataclass(frozen=True)
class YearFigures:
    """The versions of one year: how many, how many have an error or a warning, findings for 10,000 lines."""

    year: int
    versions: int
    touched: int
    density: float


@dataclass(frozen=True)
class Cost:
    """What reading one version took: seconds, bytes."""

    repository: str
    version: str | None
    lines: int
    seconds: float
    memory: int


@dataclass(frozen=True)
class Figures:
    """All figures. Where several versions of a repository were read, how common something is counts by the
    newest alone; ``different`` are the findings of all versions, each once however long it stays."""

    repositories: int
    versions: int
    outcomes: Mapping[str, int]
    files: int
    lines: int
    findings: int
    different: int
    read: int  # repositories of which some version was read
    touched: int
    levels: Mapping[str, int]
    effects: Mapping[str, int]
    rules: Sequence[RuleFigures]
    reaches: Sequence[ReachFigures]
    years: Sequence[YearFigures]
    costs: Sequence[Cost]
    not_read: Sequence[tuple[str, str, str]]  # repository, outcome, reason
    troubles: Sequence[tuple[str, int]]


def figures(store: Store) -> Figures:
    """The figures of a survey. Raises StoreError."""
    rows = store.repositories(*_COLUMNS, "troubles")
    short = short_names(row["repository"] for row in rows)
    read = [row for row in rows if row["outcome"] == "read"]
    newest = _newest(read)
    counting = _Counting({(row["repository"], row["version"]) for row in newest.values()})
    for finding in store.findings(*_FOUND):
        counting.add(finding)
    return Figures(
        repositories=len(short),
        versions=len(rows),
        outcomes=Counter(row["outcome"] for row in rows),
        files=sum(row["files"] for row in newest.values()),
        lines=sum(row["lines"] for row in newest.values()),
        findings=counting.findings,
        different=len(counting.different),
        read=len(newest),
        touched=len(counting.touched),
        levels={level: counting.levels[level] for level in LEVELS},
        effects=dict(counting.effects.most_common()),
        rules=sorted(counting.rules.values(), key=lambda rule: (-len(rule.repositories), rule.code)),
        reaches=counting.reaches(),
        years=_years(read, counting.by_version, counting.serious),
        costs=[
            Cost(
                short[row["repository"]],
                row["version"],
                row["lines"],
                row["seconds"],
                row["peak_memory"] or 0,
            )
            for row in read
        ],
        not_read=sorted(
            (short[row["repository"]], row["outcome"], row["reason"] or "")
            for row in rows
            if row["outcome"] != "read"
        ),
        troubles=Counter(
            trouble["message"] for row in newest.values() for trouble in row["troubles"] or ()
        ).most_common(_MOST),
    )


def quantile(numbers: Sequence[float], part: float) -> float:
    """The number below which a part of the numbers lies: one of them; 0 of none."""
    if not numbers:
        return 0.0
    ordered = sorted(numbers)
    return ordered[min(len(ordered) - 1, max(0, math.ceil(part * len(ordered)) - 1))]


def _newest(rows: Iterable[Mapping[str, Any]]) -> dict[str, Mapping[str, Any]]:
    """The newest version of each repository; a folder as it lay is newer than what was committed."""
    newest: dict[str, Mapping[str, Any]] = {}
    for row in rows:
        known = newest.get(row["repository"])
        if known is None or _age(row) > _age(known):
            newest[row["repository"]] = row
    return newest


def _age(row: Mapping[str, Any]) -> tuple[bool, datetime | None, str]:
    return (row["committed"] is None, row["committed"], row["version"] or "")


class _Counting:
    """Goes through the findings, of which there may be more than memory holds."""

    def __init__(self, newest: set[Key]) -> None:
        self._newest = newest
        self.findings = 0
        self.different: set[tuple[str, str]] = set()
        self.touched: set[str] = set()
        self.levels: Counter[str] = Counter()
        self.effects: Counter[str] = Counter()
        self.rules: dict[str, RuleFigures] = {}
        self.by_version: Counter[Key] = Counter()
        self.serious: set[Key] = set()
        self._reaches: dict[tuple[str, str, str], Counter[str]] = defaultdict(Counter)

    def add(self, finding: Mapping[str, Any]) -> None:
        """Counts one finding."""
        repository, level = finding["repository"], finding["level"]
        key = (repository, finding["version"])
        self.different.add((repository, finding["fingerprint"]))
        self.by_version[key] += 1
        if level != "note":
            self.serious.add(key)
        if key not in self._newest:
            return
        self.findings += 1
        self.touched.add(repository)
        self.levels[level] += 1
        self.effects[finding["effect"]] += 1
        rule = self.rules.setdefault(
            finding["code"], RuleFigures(finding["code"], finding["name"], finding["effect"])
        )
        rule.findings[level] += 1
        rule.repositories.add(repository)
        rule.repairable += finding["fix"] is not None
        if finding["reach"]:
            entry = finding["reach"][0]["name"].rpartition(".")[2]
            self._reaches[finding["code"], entry, finding["reach"][-1]["name"]][repository] += 1

    def reaches(self) -> list[ReachFigures]:
        """The ways that most repositories have."""
        found = [
            ReachFigures(*way, sum(places.values()), len(places)) for way, places in self._reaches.items()
        ]
        found.sort(key=lambda each: (-each.repositories, -each.findings, each.code, each.hazard))
        return found[:_MOST]


def _years(
    read: Iterable[Mapping[str, Any]], findings: Mapping[Key, int], serious: set[Key]
) -> list[YearFigures]:
    years: dict[int, list[Mapping[str, Any]]] = defaultdict(list)
    for row in read:
        if row["committed"] is not None and row["files"]:
            years[row["committed"].year].append(row)
    result = []
    for year, rows in sorted(years.items()):
        keys = [(row["repository"], row["version"]) for row in rows]
        lines = sum(row["lines"] for row in rows)
        count = sum(findings.get(key, 0) for key in keys)
        touched = sum(key in serious for key in keys)
        result.append(YearFigures(year, len(rows), touched, 10_000 * count / lines if lines else 0.0))
    return result
