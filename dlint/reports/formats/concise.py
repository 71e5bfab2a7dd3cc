"""One line a finding, as compilers write them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from dlint.finding import Finding
from dlint.reports.line import one_line, place


def concise(findings: Iterable[Finding]) -> Iterator[str]:
    """``path:line:column: CODE message [reach]``."""
    for finding in findings:
        yield f"{place(finding)}: {one_line(finding)}"
