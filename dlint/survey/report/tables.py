"""The tables of a survey's report, whatever they are written as."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from dlint.finding import LEVELS
from dlint.survey.report.figures import Cost, Figures, quantile

_MOST = 10
_PARTS = ((0.5, "median"), (0.9, "9 of 10 below"), (0.99, "99 of 100 below"), (1.0, "most"))


class Table(NamedTuple):
    """A title, what it says, the heads of the columns, and the rows: numbers are text already, and columns of
    them begin with a ``>`` in their head."""

    title: str
    words: str
    heads: Sequence[str]
    rows: Sequence[Sequence[str]]


def tables(figures: Figures) -> Iterator[Table]:
    """All tables that have rows."""
    for table in (
        _what_was_read(figures),
        _rules(figures),
        _levels(figures),
        _counted(figures.effects, figures, "By effect", "What the findings do.", "effect"),
        _reaches(figures),
        _years(figures),
        _costs(figures.costs),
        _extremes(figures.costs),
        _not_read(figures),
        _troubles(figures),
    ):
        if table.rows:
            yield table


def share(part: int, whole: int) -> str:
    """``12 %``."""
    return f"{100 * part / whole:.0f} %" if whole else ""


def _what_was_read(figures: Figures) -> Table:
    rows = [
        ["repositories", f"{figures.repositories:,}"],
        ["versions of them", f"{figures.versions:,}"],
        *([outcome, f"{count:,}"] for outcome, count in sorted(figures.outcomes.items())),
        ["files in the newest versions", f"{figures.files:,}"],
        ["lines in them", f"{figures.lines:,}"],
        ["findings in them", f"{figures.findings:,}"],
        ["different findings in all versions", f"{figures.different:,}"],
        [
            "repositories with a finding",
            f"{figures.touched:,} ({share(figures.touched, figures.read)} of those read)",
        ],
    ]
    return Table("What was read", "", ["", ">"], rows)


def _rules(figures: Figures) -> Table:
    words = "In the newest version of each repository; the share is of those that were read."
    heads = [
        "rule",
        "",
        "does",
        ">repositories",
        ">share",
        *(f">{level}s" for level in LEVELS),
        ">repairable",
    ]
    rows = [
        [
            *(rule.code, rule.name, rule.effect),
            f"{len(rule.repositories):,}",
            share(len(rule.repositories), figures.read),
            *(f"{rule.findings[level]:,}" for level in LEVELS),
            f"{rule.repairable:,}",
        ]
        for rule in figures.rules
    ]
    return Table("By rule", words, heads, rows)


def _levels(figures: Figures) -> Table:
    words = "error: happens as the project stands; warning: under a condition; note: only costs something."
    return _counted(figures.levels, figures, "By level", words, "level")


def _counted(counts: Mapping[str, int], figures: Figures, title: str, words: str, head: str) -> Table:
    rows = [[name, f"{count:,}", share(count, figures.findings)] for name, count in counts.items() if count]
    return Table(title, words, [head, ">findings", ">share"], rows)


def _reaches(figures: Figures) -> Table:
    words = "What a worker calls first, and the hazard that it comes to."
    heads = ["rule", "from", "to", ">findings", ">repositories"]
    rows = [
        [each.code, each.entry, each.hazard, f"{each.findings:,}", f"{each.repositories:,}"]
        for each in figures.reaches
    ]
    return Table("The most common reach", words, heads, rows)


def _years(figures: Figures) -> Table:
    words = "By the year of the commit. Touched: versions with an error or a warning."
    heads = ["year", ">versions", ">touched", ">findings for 10,000 lines"]
    rows = [
        [str(each.year), f"{each.versions:,}", share(each.touched, each.versions), f"{each.density:.1f}"]
        for each in figures.years
    ]
    return Table("Over time", words, heads, rows if len(rows) > 1 else [])


def _costs(costs: Sequence[Cost]) -> Table:
    seconds = [each.seconds for each in costs]
    memory = [each.memory / 1e6 for each in costs if each.memory]
    lines = sum(each.lines for each in costs)
    words = (
        f"{len(costs):,} versions with {lines:,} lines in {sum(seconds) / 3600:.2f} core-hours: "
        f"{3600 * len(costs) / sum(seconds):,.0f} versions and {3600 * lines / sum(seconds):,.0f} lines a "
        "core-hour."
        if sum(seconds)
        else ""
    )
    rows = [
        [name, f"{quantile(seconds, part):.2f}", f"{quantile(memory, part):.0f}"] for part, name in _PARTS
    ]
    return Table("Time and memory of a version", words, ["", ">seconds", ">MB"], rows if costs else [])


def _extremes(costs: Sequence[Cost]) -> Table:
    rows = [
        [
            *(each.repository, (each.version or "")[:10], f"{each.lines:,}"),
            *(f"{each.seconds:.1f}", f"{each.memory / 1e6:.0f}"),
        ]
        for each in sorted(costs, key=lambda each: -each.seconds)[:_MOST]
    ]
    return Table(
        "The slowest",
        "",
        ["repository", "version", ">lines", ">seconds", ">MB"],
        rows if len(costs) > 1 else [],
    )


def _not_read(figures: Figures) -> Table:
    rows = [list(each) for each in figures.not_read[:_MOST]]
    more = len(figures.not_read) - len(rows)
    words = f"The first {_MOST} of {len(figures.not_read):,}." if more else ""
    return Table("Not read", words, ["repository", "outcome", "reason"], rows)


def _troubles(figures: Figures) -> Table:
    rows = [[message, f"{count:,}"] for message, count in figures.troubles]
    words = "Why files of the newest versions could not be checked."
    return Table("Troubles", words, ["what", ">files"], rows)
