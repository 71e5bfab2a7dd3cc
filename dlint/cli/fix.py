"""``dlint fix``: find, repair, check again, and only then write."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click

from dlint.cli import CLEAN, FAILED, FINDINGS
from dlint.cli.options import choice_options, paths_argument, settings_for
from dlint.cli.progress import progress
from dlint.files import display_path
from dlint.finding import Trouble


@click.command()
@paths_argument
@choice_options
@click.option(
    "--unsafe-fixes",
    is_flag=True,
    help="Apply the remedies too that can change what a program computes: read the diff.",
)
@click.option("--diff", is_flag=True, help="Print what would change as a unified diff; write nothing.")
@click.option(
    "--check", "check_only", is_flag=True, help="Exit with 1 if something would change; write nothing."
)
@click.option(
    "--jobs", "-j", type=click.IntRange(min=0), default=0, help="Processes; 0: what the tree needs."
)
def fix(
    paths: tuple[Path, ...],
    choices: dict[str, Any],
    unsafe_fixes: bool,
    diff: bool,
    check_only: bool,
    jobs: int,
) -> int:
    """Repair files and folders (by default the working directory) in place.

    A file is written only if the new text parses, keeps every comment and no longer has the finding. Exit
    code: 0 nothing is left; 1 findings are left; 2 could not do the job. With --diff or --check: 0 nothing
    would change, 1 something would.
    """
    from dlint.repair import Left, repair
    from dlint.reports.repairs import as_diff, lines
    from dlint.rewriting.files import CannotWrite, replace

    settings = settings_for(paths, choices)
    with progress() as show:
        repairs = repair(paths, settings, unsafe=unsafe_fixes, jobs=jobs, progress=show)
    troubles = list(repairs.troubles)
    left = list(repairs.left)
    dry = diff or check_only
    written = []
    for file in repairs.files:
        if diff:
            sys.stdout.flush()
            sys.stdout.buffer.write(as_diff(file))
        if dry:
            continue
        try:
            replace(file.path, file.old, file.new)
        except CannotWrite as error:
            troubles.append(Trouble(display_path(file.path), f"not repaired: {error}"))
            left += [Left(finding, str(error)) for finding in file.findings]
        else:
            written.append(file)
    for line in lines(repairs.files if dry else written, left, dry=dry):
        click.echo(line, err=diff)
    _complain(troubles)
    if troubles:
        return FAILED
    return FINDINGS if (repairs.files if dry else left) else CLEAN


def _complain(troubles: Iterable[Trouble]) -> None:
    for trouble in troubles:
        line = "" if trouble.line is None else f":{trouble.line}"
        click.echo(f"dlint: {trouble.path}{line}: {trouble.message}", err=True)
