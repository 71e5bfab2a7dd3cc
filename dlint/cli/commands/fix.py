"""``dlint fix``: find, repair, judge again, and only then write."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from dlint.cli import CLEAN, FAILED, FINDINGS
from dlint.cli.options import CannotDo, choice_options, is_left_out, paths_argument, settings_for
from dlint.cli.output import complain_of, in_colour
from dlint.cli.progress import progress
from dlint.cli.repairing import written
from dlint.cli.verbosity import Verbosity, verbosity_options
from dlint.reports.closing import nothing_checked
from dlint.reports.signs import visible_lines

if TYPE_CHECKING:
    from dlint.repair import Repairs


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
@click.option("--interactive", "-i", is_flag=True, help="Ask before each repair: yes, no, all, quit.")
@verbosity_options
@click.option(
    "--jobs", "-j", type=click.IntRange(min=0), default=0, help="Processes; 0: what the tree needs."
)
def fix(
    paths: tuple[Path, ...],
    choices: dict[str, Any],
    unsafe_fixes: bool,
    diff: bool,
    check_only: bool,
    interactive: bool,
    jobs: int,
    verbosity: Verbosity,
) -> int:
    """Repair files and folders (by default the working directory) in place.

    A file is written only if the new text parses, keeps every comment that is still true, and the whole
    program, judged again by all rules, has lost the finding and got no other. Exit code: 0 nothing is left;
    1 findings are left; 2 could not do the job. With --diff or --check: 0 nothing would change, 1 something
    would.
    """
    from dlint.repair import repair

    approve = None
    if interactive:
        if diff or check_only:
            raise CannotDo("--interactive writes what you agree to: it does not go with --diff or --check")
        if not (sys.stdin.isatty() and sys.stdout.isatty()):
            raise CannotDo("--interactive needs a terminal")
        from dlint.cli.approval import Approval

        approve = Approval(colour=in_colour())
    settings = settings_for(paths, choices)
    shows = approve is None and verbosity.sums_up
    with progress(wanted=shows) as show, verbosity.timed("repaired"):
        repairs = repair(
            paths,
            settings,
            unsafe=unsafe_fixes,
            jobs=jobs,
            progress=show,
            repairing=show and partial(show, doing="repairing findings"),
            approve=approve,
        )
    if diff:
        _show_diff(repairs)
    dry = diff or check_only
    kept = repairs if dry else written(repairs)
    if verbosity.sums_up:
        _report(kept, dry=dry, to_stderr=diff, excluded=is_left_out(paths, settings))
    complain_of(kept.troubles)
    if kept.troubles:
        return FAILED
    return FINDINGS if (kept.files if dry else kept.left) else CLEAN


def _report(repairs: Repairs, *, dry: bool, to_stderr: bool, excluded: bool) -> None:
    from dlint.reports.repairs import by_rule, lines

    stream = sys.stderr if to_stderr else sys.stdout
    failed = len({trouble.path for trouble in repairs.troubles if "not repaired" not in trouble.message})
    if not (repairs.checked or repairs.left):
        print(nothing_checked(failed, excluded=excluded), file=stream)
        return
    *details, closing = lines(repairs.steps, repairs.left, len(repairs.files), dry=dry, failed=failed)
    for line in details:
        print(line, file=stream)
    if details and stream.isatty():
        print(file=stream)
        for line in by_rule(repairs.steps, repairs.left, dry=dry):
            print(line, file=stream)
    print(closing, file=stream)


def _show_diff(repairs: Repairs) -> None:
    """The diff as it is, for ``patch``; on a terminal in colour, and without what would command that."""
    from dlint.reports.repairs import as_diff, painted

    for file in repairs.files:
        difference = as_diff(file)
        if sys.stdout.isatty():
            shown = visible_lines(difference.decode("utf-8", "backslashreplace"))
            print(painted(shown) if in_colour() else shown, end="")
        else:
            sys.stdout.flush()
            sys.stdout.buffer.write(difference)
