"""``dlint check --fix``: repair what would be shown, then look again."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from dlint.cli.progress import progress
from dlint.cli.repairing import written
from dlint.cli.verbosity import Verbosity
from dlint.finding import Finding, Trouble
from dlint.repair import repair
from dlint.reports.closing import of
from dlint.reports.repairs import step_line
from dlint.settings.settings import Settings


class Fixed(NamedTuple):
    """What is to be said of the repairs, and what could not be written."""

    notes: tuple[str, ...]
    troubles: tuple[Trouble, ...]


def fix_shown(
    paths: Sequence[Path],
    settings: Settings,
    *,
    unsafe: bool,
    jobs: int,
    shown: Collection[Finding] | None,
    verbosity: Verbosity,
) -> Fixed:
    """Repair the files. Of findings that are not ``shown`` (None: all are) none is repaired for its own
    sake."""
    wanted = None if shown is None else {finding.sort_key for finding in shown}

    def is_shown(finding: Finding) -> bool:
        return wanted is None or finding.sort_key in wanted

    with progress(wanted=verbosity.sums_up) as show, verbosity.timed("repaired"):
        repairs = repair(
            paths,
            settings,
            unsafe=unsafe,
            jobs=jobs,
            progress=show,
            repairing=show and partial(show, doing="repairing findings"),
            only=is_shown,
        )
    done = written(repairs)
    for step in done.steps:
        verbosity.add(step_line(step, "repaired"))
    count = sum(len(step.findings) for step in done.steps)
    notes = (f"Repaired {of(count, 'finding')} in {of(len(done.files), 'file')}.",) if count else ()
    return Fixed(notes, done.troubles[len(repairs.troubles) :])
