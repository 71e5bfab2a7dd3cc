"""What a remedy would change, for reports and editors: performed by itself, not judged, nothing written."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from dlint import engine
from dlint.analysis.kept import Kept
from dlint.finding import Finding
from dlint.in_cells import Notebooks
from dlint.project.paths import absolute
from dlint.repair.as_edits import edits_of
from dlint.repair.chosen import Chosen
from dlint.repair.loop import Work
from dlint.repair.workshop import Workshop
from dlint.settings.settings import Settings


def promised(
    findings: Iterable[Finding],
    paths: Sequence[Path],
    settings: Settings,
    texts: Mapping[Path, bytes],
    kept: Kept | None = None,
) -> list[Finding]:
    """The findings with what their remedies would change, and without a remedy where it would refuse: then
    ``by_hand`` has the reason.

    Each is performed by itself and its text looked at; what it would do to the program is not judged.
    ``kept`` may have the program in which they were found.
    """
    given = {absolute(path): data for path, data in texts.items()}
    notebooks = Notebooks(given)
    found = [notebooks.in_program(finding) for finding in findings]
    work = Work(_no_check, Workshop(paths, settings, given, kept), Chosen(settings, True), None, found)
    return [notebooks.in_cells(_as_promised(work, finding)) for finding in found]


def _as_promised(work: Work, finding: Finding) -> Finding:
    if finding.remedy is None:
        return finding
    reason = work.reason(finding)
    if reason is None:
        change = work.alone(finding)
        if change is not None:
            return finding._replace(remedy=finding.remedy._replace(edits=tuple(edits_of(change.texts))))
        reason = work.reason(finding)
    return finding._replace(remedy=None, by_hand=reason)


def _no_check(_: Mapping[Path, bytes]) -> engine.Report:
    return engine.Report((), (), 0)
