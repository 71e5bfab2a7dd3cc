"""Which of the findings are shown: those that nobody knows yet, those that a change has touched."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from dlint.cli.options import CannotDo
from dlint.finding import Report
from dlint.fingerprint import SourceLines
from dlint.project.paths import display_path
from dlint.reports.closing import of
from dlint.settings.settings import Settings


class Narrowed(NamedTuple):
    """What is left of a report, and what is to be said of the rest."""

    report: Report
    notes: tuple[str, ...] = ()


def narrowed(
    report: Report, paths: Sequence[Path], settings: Settings, diff_base: str | None, source: SourceLines
) -> Narrowed:
    """The report as the user wants to see it. Raises CannotDo."""
    left = _without_known(report, paths, settings, source)
    if diff_base is None:
        return left
    from dlint.new_findings.revision import Revision
    from dlint.running.git import GitError

    try:
        findings = Revision(diff_base, source).touched(left.report.findings)
    except GitError as error:
        raise CannotDo(f"--diff-base: {error}") from error
    old = len(left.report.findings) - len(findings)
    note = f"{of(old, 'finding')} not shown: not touched since {diff_base}."
    return Narrowed(left.report._replace(findings=findings), (*left.notes, *([note] if old else [])))


def _without_known(
    report: Report, paths: Sequence[Path], settings: Settings, source: SourceLines
) -> Narrowed:
    """The report without the findings that the project's file of known ones has. Raises CannotDo."""
    if settings.baseline is None:
        return Narrowed(report)
    from dlint.new_findings.baseline import BaselineError, read, under
    from dlint.rules import once_per_file

    try:
        known = read(Path(settings.baseline))
    except BaselineError as error:
        raise CannotDo(str(error)) from error
    compared = known.compare(report.findings, source, under(paths), once_per_file())
    notes = []
    if compared.known:
        notes.append(f"{of(compared.known, 'known finding')} not shown ({display_path(known.file)}).")
    gone = sum(entry.number for entry in compared.gone)
    if gone:
        notes.append(
            f"{of(gone, 'known finding')} gone: `dlint baseline` forgets {'it' if gone == 1 else 'them'}."
        )
    return Narrowed(report._replace(findings=compared.new), tuple(notes))
