"""``dlint fix``: find, repair, check again, and only then write."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from dlint.cli import CLEAN, FAILED, FINDINGS
from dlint.cli.options import choice_options, is_left_out, paths_argument, settings_for
from dlint.cli.output import complain_of
from dlint.cli.progress import progress
from dlint.files import display_path
from dlint.finding import Trouble
from dlint.reports.closing import nothing_checked
from dlint.reports.signs import visible_lines


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
            _show(as_diff(file))
        if dry:
            continue
        try:
            replace(file.path, file.old, file.new)
        except CannotWrite as error:
            troubles.append(Trouble(display_path(file.path), f"not repaired: {error}"))
            left += [Left(finding, str(error)) for finding in file.findings]
        else:
            written.append(file)
    failed = len({trouble.path for trouble in repairs.troubles})
    if repairs.checked or left:
        closing = lines(repairs.files if dry else written, left, dry=dry, failed=failed)
    else:
        closing = iter([nothing_checked(failed, excluded=is_left_out(paths, settings))])
    for line in closing:
        print(line, file=sys.stderr if diff else sys.stdout)
    complain_of(troubles)
    if troubles:
        return FAILED
    return FINDINGS if (repairs.files if dry else left) else CLEAN


def _show(difference: bytes) -> None:
    """The diff as it is, for ``patch``; on a terminal without what would command that."""
    if sys.stdout.isatty():
        print(visible_lines(difference.decode("utf-8", "backslashreplace")), end="")
        return
    sys.stdout.flush()
    sys.stdout.buffer.write(difference)
