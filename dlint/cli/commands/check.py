"""``dlint check``: find, and report."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from dlint.analysis.kept import Kept
from dlint.cache import Asked, Folder, Question, folder_for
from dlint.cli import CLEAN, FAILED, FINDINGS
from dlint.cli.checking.narrowing import Narrowed, narrowed
from dlint.cli.checking.reporting import Reporting, reporting, reporting_options
from dlint.cli.completing import a_file
from dlint.cli.options import CannotDo, choice_options, is_left_out, paths_argument, settings_for
from dlint.cli.output import complain_of, say
from dlint.cli.progress import progress
from dlint.cli.verbosity import Verbosity, verbosity_options
from dlint.finding import Report
from dlint.project.files import Listing, listing
from dlint.project.lines import source_lines
from dlint.project.paths import absolute, display_path
from dlint.reports.closing import of, summary
from dlint.reports.signs import visible
from dlint.settings.settings import Settings, SettingsError
from dlint.source.reading import read_stream

if TYPE_CHECKING:
    from dlint.cli.checking.fixing import Fixed

_STDIN = Path("-")


def _belongs_to_fix(_context: click.Context, _parameter: click.Parameter, given: bool) -> None:
    """Other checkers show while they check what they would change: who asks for that is told where it is."""
    if given:
        raise CannotDo("--diff: dlint check shows no changes; use `dlint fix --diff`")


@click.command()
@paths_argument
@choice_options
@reporting_options
@click.option(
    "--baseline",
    metavar="FILE",
    shell_complete=a_file,
    help="Report only what this file of known findings does not have; `dlint baseline` writes it.",
)
@click.option(
    "--diff-base",
    metavar="REV",
    help="Report only findings whose place or reach has changed since the branch left REV, by git.",
)
@click.option("--add-noqa", is_flag=True, help="Write a # noqa comment for every finding that is shown.")
@click.option("--fix", is_flag=True, help="Repair what is shown, where that is safe; report what is left.")
@click.option(
    "--unsafe-fixes", is_flag=True, help="With --fix: also where that can change what a program computes."
)
@click.option("--watch", is_flag=True, help="Check again whenever a file changes, until Ctrl-C.")
@click.option("--statistics", is_flag=True, help="Show how often each rule fired instead of the findings.")
@click.option("--exit-zero", is_flag=True, help="Exit with 0 even when there are findings.")
@click.option(
    "--jobs", "-j", type=click.IntRange(min=0), default=0, help="Processes; 0: what the tree needs."
)
@click.option("--no-cache", is_flag=True, help="Neither read nor keep what runs have found.")
@click.option(
    "--cache-dir",
    metavar="PATH",
    help="Where that is kept. Default: .dlint_cache, beside the configuration or in the working directory.",
)
@click.option("--show-files", is_flag=True, help="Show the files that would be checked, and check none.")
@click.option(
    "--show-settings",
    is_flag=True,
    help="Show the choices, the torch and Python that count, and their origin; check nothing.",
)
@click.option("--stdin-filename", metavar="PATH", help="The name of what is read from standard input (-).")
@click.option("--diff", is_flag=True, hidden=True, expose_value=False, callback=_belongs_to_fix)
@verbosity_options
def check(paths: tuple[Path, ...], watch: bool, **options: Any) -> int:
    """Check files and folders (by default the working directory), or standard input given as "-".

    Exit code: 0 nothing found; 1 findings; 2 could not do the job: a wrong option or configuration, a path
    that does not exist, or a file that could not be read or parsed (the others are checked all the same).
    """
    if not watch:
        return _run(paths, **options)
    from dlint.cli.checking import watching

    return watching.watch(paths, options, partial(_run, paths, **options))


def _run(
    paths: tuple[Path, ...],
    choices: dict[str, Any],
    output_format: str | None,
    output_file: Path | None,
    color: str,
    baseline: str | None,
    diff_base: str | None,
    add_noqa: bool,
    fix: bool,
    unsafe_fixes: bool,
    statistics: bool,
    exit_zero: bool,
    jobs: int,
    no_cache: bool,
    cache_dir: str | None,
    show_settings: bool,
    show_files: bool,
    stdin_filename: str | None,
    verbosity: Verbosity,
) -> int:
    """One check, and its exit code. Raises CannotDo."""
    paths, texts = _with_stdin(paths, stdin_filename)
    _refuse_senseless(add_noqa=add_noqa, fix=fix, unsafe_fixes=unsafe_fixes, on_stdin=texts is not None)
    settings = settings_for(paths, {**choices, "cache_dir": cache_dir, "baseline": baseline})
    shown = reporting(output_format, output_file, color)
    if show_settings:
        return _show_settings(paths, settings, shown)
    if show_files:
        return _show_files(paths, settings)
    tells = verbosity.shows_findings and not statistics and not add_noqa
    folder = _folder(settings, wanted=not no_cache) if texts is None else None

    def look(*, tried: bool) -> Narrowed:
        anew: Report | None = None
        analysed = Kept()

        def find(listed: Listing | None) -> Report:
            nonlocal anew
            if anew is None:
                anew = _found(paths, settings, jobs, verbosity, listed, texts, analysed)
            return anew

        with verbosity.timed("all of it"):
            asked = Asked(Question(paths, settings), folder) if texts is None else None
            report = asked.report(find) if asked is not None else find(None)
        kept = ", as an earlier run has found it" if anew is None else ""
        verbosity.add(f"{of(report.checked, 'file')}{kept}; {_chosen_in(settings)}")
        left = narrowed(report, paths, settings, diff_base, source_lines(texts))
        if not tried or not any(finding.remedy for finding in left.report.findings):
            return left
        from dlint.cli.checking.trying import to_be_tried, with_tried

        offering = to_be_tried(left.report.findings, shown)
        if not offering:
            return left
        with verbosity.timed("remedies tried"):
            found = with_tried(
                left.report, offering, asked, partial(find, None), paths, settings, texts or {}, analysed
            )
        return left._replace(report=found)

    repaired: Fixed | None = None
    if fix:
        from dlint.cli.checking.fixing import fix_shown

        narrow = settings.baseline is not None or diff_base is not None
        chosen = look(tried=False).report.findings if narrow else None
        repaired = fix_shown(
            paths, settings, unsafe=unsafe_fixes, jobs=jobs, shown=chosen, verbosity=verbosity
        )
    report, notes = look(tried=tells)
    if repaired is not None:
        report = report._replace(troubles=(*repaired.troubles, *report.troubles))
        notes = (*repaired.notes, *notes)
    if add_noqa:
        from dlint.cli.checking import adding_noqa

        return adding_noqa.add_noqa(report, paths)
    complain_of(report.troubles)
    if not verbosity.shows_findings:
        pass
    elif statistics:
        shown.give_out(_statistics(report, shown))
    else:
        shown.show(report, texts)
    if shown.for_people and not statistics and verbosity.sums_up:
        failed = len({trouble.path for trouble in report.troubles})
        say([summary(report.findings, report.checked, failed, excluded=is_left_out(paths, settings))])
        say(map(visible, notes))
    if report.troubles:
        return FAILED
    return FINDINGS if report.findings and not exit_zero else CLEAN


def _chosen_in(settings: Settings) -> str:
    """Where the project's choices stand."""
    if settings.configured_in is None:
        return "no [tool.dlint]"
    return f"[tool.dlint] in {display_path(settings.configured_in)}"


def _refuse_senseless(*, add_noqa: bool, fix: bool, unsafe_fixes: bool, on_stdin: bool) -> None:
    if unsafe_fixes and not fix:
        raise CannotDo("--unsafe-fixes goes with --fix")
    if add_noqa and fix:
        raise CannotDo("--fix and --add-noqa exclude each other: repair first, then silence what is left")
    if (add_noqa or fix) and on_stdin:
        raise CannotDo(f"{'--fix' if fix else '--add-noqa'} writes to files, and standard input (-) is none")


def _show_settings(paths: tuple[Path, ...], settings: Settings, shown: Reporting) -> int:
    from dlint.cli.checking import shown_settings

    complain_of(settings.troubles)
    as_lines = shown_settings.as_json if shown.is_json else shown_settings.as_text
    shown.give_out(as_lines(paths, settings))
    return FAILED if settings.troubles else CLEAN


def _show_files(paths: tuple[Path, ...], settings: Settings) -> int:
    """Print the files that would be checked, one a line."""
    listed = listing(paths, settings.left_out, force_exclude=settings.force_exclude)
    complain_of(listed.troubles)
    say(visible(display_path(path)) for path in listed.asked)
    return FAILED if listed.troubles else CLEAN


def _folder(settings: Settings, *, wanted: bool) -> Folder | None:
    try:
        return folder_for(settings, wanted=wanted)
    except SettingsError as error:
        raise CannotDo(str(error)) from error


def _found(
    paths: tuple[Path, ...],
    settings: Settings,
    jobs: int,
    verbosity: Verbosity,
    listed: Listing | None,
    texts: Mapping[Path, bytes] | None,
    kept: Kept,
) -> Report:
    """What the engine finds."""
    from dlint import engine

    with progress(wanted=verbosity.sums_up) as show, verbosity.timed("analysed"):
        return engine.check(paths, settings, texts=texts, jobs=jobs, progress=show, listed=listed, kept=kept)


def _with_stdin(
    paths: tuple[Path, ...], stdin_filename: str | None
) -> tuple[tuple[Path, ...], Mapping[Path, bytes] | None]:
    """The paths with standard input under its name, and its bytes."""
    if _STDIN not in paths:
        if stdin_filename is not None:
            raise CannotDo("--stdin-filename needs the path '-'")
        return paths, None
    if len(paths) > 1:
        raise CannotDo("'-' (standard input) cannot be combined with other paths")
    path = absolute(stdin_filename or "stdin.py")
    return (path,), {path: read_stream(sys.stdin.buffer)}


def _statistics(report: Report, shown: Reporting) -> Iterator[str]:
    from dlint.reports.statistics import statistics, statistics_json

    return (statistics_json if shown.is_json else statistics)(report.findings)
