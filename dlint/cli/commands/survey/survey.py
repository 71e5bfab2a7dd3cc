"""``dlint survey``: many repositories, on this machine or on a cluster."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from dlint.cli import CLEAN
from dlint.cli.commands.survey.survey_report import NEEDED, report
from dlint.cli.options import CannotDo, choice_options
from dlint.cli.output import say
from dlint.cli.progress import progress
from dlint.cli.verbosity import Verbosity, verbosity_options

if TYPE_CHECKING:
    from dlint.survey.store import Plan, Store

_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "ki": 2**10, "mi": 2**20, "gi": 2**30}


def _bytes(_context: click.Context, _parameter: click.Parameter, value: str) -> int:
    """How many bytes ``500MB``, ``4GB`` and ``2GiB`` are."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([kmg]i?|)b?", value.strip().lower())
    number = int(float(found[1]) * _UNITS[found[2]]) if found else 0
    if number <= 0:
        raise click.BadParameter(f"{value!r} is no size such as 500MB or 4GB")
    return number


class _Survey(click.Group):
    """``dlint survey report`` is a command; whatever else comes first is a source."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not args or args[0] != "report":
            args = ["sources", *args]
        return super().parse_args(ctx, args)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name, command, rest = super().resolve_command(ctx, args)
        return (None if name == "sources" else name), command, rest


@click.group(cls=_Survey, add_help_option=False)
def survey() -> None:
    """Read many repositories, and sum up what is found in them."""


survey.add_command(report)


@survey.command("sources", context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("sources", nargs=-1, metavar="SOURCES...")
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    required=True,
    metavar="DIR",
    help="The folder that gets the survey: Parquet, one row a finding and one a version.",
)
@click.option(
    "--history",
    type=click.IntRange(min=1),
    metavar="N",
    help="N versions of each repository: in even steps from the branch's first commit to its last.",
)
@click.option(
    "--jobs",
    "-j",
    type=click.IntRange(min=1),
    help="Workers on this machine. Default: as many as it has processors.",
)
@click.option(
    "--scheduler",
    metavar="ADDRESS",
    help="Work on this Dask cluster, by its scheduler's address or file, not on this machine alone.",
)
@click.option(
    "--timeout",
    type=click.FloatRange(min=1),
    default=600.0,
    show_default=True,
    metavar="SECONDS",
    help="How long a version may take: one that takes longer is a row that says so.",
)
@click.option(
    "--memory",
    default="4GB",
    show_default=True,
    callback=_bytes,
    metavar="SIZE",
    help="How much memory reading a version may take.",
)
@click.option(
    "--resume",
    is_flag=True,
    help="Go on where the survey in DIR was interrupted; what it is about is known, and not asked again.",
)
@choice_options
@verbosity_options
def sources(
    sources: tuple[str, ...],
    out: Path,
    history: int | None,
    jobs: int | None,
    scheduler: str | None,
    timeout: float,
    memory: int,
    resume: bool,
    choices: dict[str, Any],
    verbosity: Verbosity,
) -> int:
    """Read many repositories, and keep what is found.

    SOURCES are folders, git repositories (bare ones, or PATH@REVISION, are read through git, without a
    checkout), and files that list such, one a line. What is in them is read, never run.

    `dlint survey report DIR` sums up; `dlint survey report --compare OLD NEW` tells what two surveys of the
    same versions found differently.

    Exit code: 0 the survey is complete, whatever was found (what could not be read is a row that says why);
    2 it could not be made or finished: --resume goes on with it.
    """
    try:
        from dlint.survey.spread import SpreadError, cluster, spread
        from dlint.survey.store import Store, StoreError
    except ImportError as error:
        raise CannotDo(NEEDED) from error
    store = Store(Path(os.path.abspath(out)))  # noqa: PTH100 - links keep their names
    try:
        plan = (
            _resumed(store, sources)
            if resume
            else _begun(store, sources, scheduler is None, history, timeout, memory, _said(choices))
        )
        with (
            store.alone(),
            cluster(scheduler, jobs or os.cpu_count() or 1) as client,
            _progress(verbosity) as show,
        ):
            spread(client, plan, store, show)
        for row in store.repositories("repository", "version", "outcome", "reason"):
            if row["outcome"] != "read":
                version = f" {row['version'][:10]}" if row["version"] else ""
                verbosity.add(f"{row['repository']}{version}: {row['outcome']}: {row['reason']}")
        if verbosity.sums_up:
            say(_summary(store, out))
    except (SpreadError, StoreError) as error:
        raise CannotDo(str(error)) from error
    except OSError as error:
        raise CannotDo(f"--out: {error}") from error
    return CLEAN


def _progress(verbosity: Verbosity) -> Any:
    from contextlib import contextmanager

    @contextmanager
    def telling() -> Any:
        with progress(wanted=verbosity.sums_up) as show:
            yield lambda done, total: show and show(done, total, "reading versions")

    return telling()


def _said(choices: dict[str, Any]) -> dict[str, Any]:
    """The choices that were made, as JSON has them, with paths that count anywhere."""
    said = {name: value for name, value in choices.items() if value not in (None, (), False)}
    if "config" in said:
        said["config"] = os.path.abspath(said["config"])  # noqa: PTH100
    return {name: list(value) if isinstance(value, tuple) else value for name, value in said.items()}


def _begun(
    store: Store,
    given: Sequence[str],
    are_here: bool,
    history: int | None,
    timeout: float,
    memory: int,
    choices: dict[str, Any],
) -> Plan:
    """A new survey. Raises CannotDo, StoreError."""
    from dlint import __version__
    from dlint.rules import all_codes
    from dlint.settings import settings
    from dlint.source.reading import SourceError
    from dlint.survey.limited import Limits
    from dlint.survey.sources import sources
    from dlint.survey.store import Plan

    if not given:
        raise CannotDo("no SOURCES are given: folders, repositories, or files that list them")
    try:
        said = {name: tuple(value) if isinstance(value, list) else value for name, value in choices.items()}
        # Whoever has written a code that no rule has is told now, and not by every row.
        settings.check_names(all_codes(), settings.for_run([Path(os.devnull)], {**said, "isolated": True}))
        found = sources(given, are_here=are_here)
    except (SourceError, settings.SettingsError) as error:
        raise CannotDo(str(error)) from error
    plan = Plan(tuple(found), history, choices, Limits(timeout, memory), __version__)
    store.begin(plan)
    return plan


def _resumed(store: Store, given: Sequence[str]) -> Plan:
    """The survey that was interrupted. Raises CannotDo, StoreError."""
    from dlint import __version__

    if given:
        raise CannotDo("--resume goes on with the SOURCES that the survey was begun with: leave them out")
    plan = store.plan()
    if plan.dlint != __version__:
        raise CannotDo(
            f"this survey was begun with dlint {plan.dlint}, and this is {__version__}: two must not mix"
        )
    return plan


def _summary(store: Store, out: Path) -> list[str]:
    from dlint.reports.closing import of

    rows = store.repositories("repository", "outcome", "findings")
    outcomes = Counter(row["outcome"] for row in rows)
    repositories = len({row["repository"] for row in rows})
    findings = sum(row["findings"] for row in rows)
    said = f"{of(len(rows), 'version')} of {repositories} " + (
        "repository" if repositories == 1 else "repositories"
    )
    not_read = ", ".join(f"{count} {what}" for what, count in sorted(outcomes.items()) if what != "read")
    return [
        f"{said}: {of(findings, 'finding')}{'; ' + not_read if not_read else ''}. dlint survey report {out}"
    ]
