"""Whether the remedies of the findings that are shown can be performed: a report promises no other.

Trying them takes libcst, half a second, and about a quarter of a second for each. So it is done where a
format tells what they would change, and for people where they are few; where they are many, the report
promises nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from dlint.analysis.kept import Kept
from dlint.cache import Asked
from dlint.cli.checking.reporting import Reporting
from dlint.finding import Finding, Report
from dlint.settings.settings import Settings

_FEW = 10


def to_be_tried(findings: Sequence[Finding], shown: Reporting) -> tuple[Finding, ...]:
    """The findings whose remedies are tried before they are shown: all that have one, or none."""
    offering = tuple(finding for finding in findings if finding.remedy is not None)
    wanted = shown.with_edits or (shown.offers_remedies and len(offering) <= _FEW)
    return offering if wanted else ()


def with_tried(
    report: Report,
    offering: tuple[Finding, ...],
    asked: Asked | None,
    find: Callable[[], Report],
    paths: Sequence[Path],
    settings: Settings,
    texts: Mapping[Path, bytes],
    kept: Kept,
) -> Report:
    """The report with what the remedies of some findings would change, and without those that would refuse.

    ``find`` gives the findings with all that a remedy needs, which an answer that was kept does not have,
    and has ``kept`` hold the program that they are of.
    """

    def try_them() -> Report:
        from dlint import repair

        whole = {each.sort_key: each for each in find().findings}
        mine = [whole.get(each.sort_key, each._replace(remedy=None)) for each in offering]
        return Report(tuple(repair.promised(mine, paths, settings, texts, kept)), (), 0)

    known = try_them() if asked is None else asked.tried(offering, try_them)
    tried = {each.sort_key: each for each in known.findings}
    return report._replace(
        findings=tuple(_as_tried(each, tried.get(each.sort_key, each)) for each in report.findings)
    )


def _as_tried(finding: Finding, tried: Finding) -> Finding:
    """A finding, with what is offered of it once that has been tried."""
    return finding._replace(remedy=tried.remedy, by_hand=tried.by_hand)
