"""``dlint baseline``: have the findings of today be known ones."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click

from dlint.cli import CLEAN, FAILED
from dlint.cli.options import CannotDo, choice_options, paths_argument, settings_for
from dlint.cli.output import complain_of, say
from dlint.cli.progress import progress
from dlint.cli.writing import write_file
from dlint.new_findings.baseline import NAME, Baseline, BaselineError, read, under
from dlint.project.files import project_root
from dlint.project.lines import source_lines
from dlint.project.paths import absolute, display_path, lies_in
from dlint.reports.closing import not_checked, of
from dlint.reports.signs import visible
from dlint.settings.settings import Settings


@click.command()
@paths_argument
@choice_options
@click.option(
    "--output-file", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE",
    help=f"The file of known findings. Default: the key baseline of [tool.dlint], else {NAME}.",
)  # fmt: skip
def baseline(paths: tuple[Path, ...], choices: dict[str, Any], output_file: Path | None) -> int:
    """Write the findings of today to a file; `dlint check --baseline FILE` then reports only others.

    Call it again to forget what is gone. Entries of files that are not among PATHS stay as they are.
    """
    from dlint import engine

    settings = settings_for(paths, choices)
    file = _file(paths, settings, output_file)
    with progress() as show:
        report = engine.check(paths, settings, jobs=0, progress=show)
    complain_of(report.troubles)
    before = _before(file)
    after = before.updated(report.findings, source_lines(None), under(paths))
    if after.entries != before.entries or not file.exists():
        write_file(file, after.text(), "--output-file")
    failed = len({trouble.path for trouble in report.troubles})
    say([visible(f"{_told(before, after)}{not_checked(failed)}.")])
    if settings.baseline != str(file):
        say([visible(f'Use it with `dlint check --baseline {display_path(file)}`, or the key "baseline".')])
    return FAILED if report.troubles else CLEAN


def _file(paths: tuple[Path, ...], settings: Settings, output_file: Path | None) -> Path:
    if output_file is not None:
        return absolute(output_file)
    if settings.baseline is not None:
        return Path(settings.baseline)
    folder = settings.configured_in or project_root(absolute(paths[0]))
    file = folder / NAME
    # A tree that somebody else made must not say what is written outside it.
    if not lies_in(os.path.realpath(file), os.path.realpath(folder)):
        raise CannotDo(
            f"{display_path(file)} is a link that leads out of the project; --output-file may name any"
        )
    return file


def _before(file: Path) -> Baseline:
    if not file.exists():
        return Baseline(file)
    try:
        return read(file)
    except BaselineError as error:
        raise CannotDo(str(error)) from error


def _told(before: Baseline, after: Baseline) -> str:
    old = {entry[:4]: entry.number for entry in before.entries}
    new = {entry[:4]: entry.number for entry in after.entries}
    came = sum(max(count - old.get(key, 0), 0) for key, count in new.items())
    gone = sum(max(count - new.get(key, 0), 0) for key, count in old.items())
    return f"{of(after.number, 'known finding')} in {display_path(after.file)}: {came} new, {gone} gone"
