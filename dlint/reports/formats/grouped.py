"""Findings below the name of their file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from dlint.finding import Finding
from dlint.reports.line import one_line, place
from dlint.reports.signs import visible


def grouped(findings: Sequence[Finding]) -> Iterator[str]:
    """``path:``, then a line a finding with its place, its level and what is said; a line between files."""
    for number, (path, group) in enumerate(groupby(findings, key=lambda finding: finding.path)):
        here = list(group)
        places = [place(finding)[len(visible(path)) + 1 :] for finding in here]
        width = max(map(len, places))
        if number:
            yield ""
        yield f"{visible(path)}:"
        for where, finding in zip(places, here, strict=True):
            yield f"  {where:<{width}}  {finding.level:<7}  {one_line(finding)}"
    if findings:
        yield ""
