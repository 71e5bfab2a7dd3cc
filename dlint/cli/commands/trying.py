"""``dlint try``: does my own loader do what it should?"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from dlint.cli import CLEAN, FINDINGS
from dlint.cli.options import CannotDo
from dlint.cli.output import complain_of, say, say_json

if TYPE_CHECKING:
    from dlint.trial.judging import Verdict
    from dlint.trial.probe.conduct import Way
    from dlint.trial.target import Target
    from dlint.trial.trials import Limits, Trial

_METHODS = ("fork", "forkserver", "spawn")
_MOST_OFFERS = 40


def _numbers(_context: click.Context, _parameter: click.Parameter, value: str) -> list[int]:
    try:
        found = sorted({int(each) for each in value.split(",")})
    except ValueError:
        raise click.BadParameter(f"{value!r} is not numbers between commas") from None
    if not found or found[0] < 0 or found[-1] > 64:
        raise click.BadParameter("from 0 to 64 workers")
    return found


@click.command(name="try")
@click.argument("target", required=False, metavar="[FILE.py | FILE_OR_MODULE:NAME]")
@click.argument("arguments", nargs=-1, metavar="[ARG=VALUE]...", type=click.UNPROCESSED)
@click.option(
    "--items", type=click.IntRange(min=1), default=32, show_default=True, help="How many items an epoch has."
)
@click.option(
    "--workers",
    default="0,1,2",
    show_default=True,
    metavar="NUMBERS",
    callback=_numbers,
    help="With how many workers, between commas.",
)
@click.option(
    "--start-method",
    "methods",
    type=click.Choice(_METHODS),
    multiple=True,
    help="Only this start method. Repeatable. Default: all that this Python has.",
)
@click.option(
    "--time-limit",
    type=click.FloatRange(min=1),
    default=300.0,
    show_default=True,
    metavar="SECONDS",
    help="How long one trial may take.",
)
@click.option(
    "--stall",
    type=click.FloatRange(min=2),
    default=15.0,
    show_default=True,
    metavar="SECONDS",
    help="How long nothing may move until a trial counts as hung.",
)
@click.option(
    "--jobs",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    help="Trials that run at the same time. More make the items a second say less.",
)
@click.option(
    "--output-format",
    type=click.Choice(["text", "json", "markdown"]),
    default="text",
    show_default=True,
    help="How to print what was seen.",
)
def trying(
    target: str | None,
    arguments: tuple[str, ...],
    items: int,
    workers: list[int],
    methods: tuple[str, ...],
    time_limit: float,
    stall: float,
    jobs: int,
    output_format: str,
) -> int:
    """Run your own loader under a watchdog, and say what goes wrong: THIS RUNS THE PROJECT'S CODE.

    NAME is a function that returns a DataLoader or a Dataset (called with ARG=VALUE), or one of them
    itself; NAME[0] and NAME[train] take one of several, Class.method makes the object first. FILE.py
    alone is run as a program, with what stands behind -- as its arguments, up to its first loop over a
    loader, which is tried in place. Without a target: what could be tried here, read from the code;
    nothing is run.

    Two epochs are read without workers, with 1 and with 2, under every start method. Exit code: 0
    nothing is wrong; 1 something is; 2 there is nothing that could be tried.
    """
    if target is None:
        return _offer()
    from dlint.trial.target import BadTarget, parse
    from dlint.trial.trials import Limits, ways

    if not sys.platform.startswith("linux"):
        raise CannotDo(
            f"try: the watchdog needs Linux; this is {sys.platform}. dlint.testing needs it for hangs alone"
        )
    try:
        wanted = parse(target, arguments)
    except BadTarget as error:
        raise CannotDo(f"try: {error}") from error
    _need_torch()
    found = _run(wanted, ways(workers, methods, items, keep=True), Limits(time_limit, stall), jobs)
    verdict = _judged(found)
    if output_format == "json":
        from dlint.trial.reports.as_data import as_data

        say_json([json.dumps(as_data(verdict), indent=2)])
    elif output_format == "markdown":
        from dlint.trial.reports.as_markdown import as_markdown

        say(as_markdown(verdict))
    else:
        from shutil import get_terminal_size

        from dlint.trial.reports.as_text import as_text

        say(as_text(verdict, width=get_terminal_size().columns))
    return FINDINGS if verdict.is_wrong else CLEAN


def _need_torch() -> None:
    from importlib.util import find_spec

    if find_spec("torch") is None:
        raise CannotDo(
            f"try: your loader needs torch, and the environment of {sys.executable} has none: "
            "install dlint where your project is installed"
        )


def _run(target: Target, wanted: Sequence[Way], limits: Limits, jobs: int) -> list[Trial]:
    """Run the trials behind a progress display. Raises CannotDo where there is nothing to be tried."""
    from rich.console import Console

    from dlint.trial.trials import trials

    found: list[Trial] = []
    console = Console(stderr=True)
    # The first tells whether there is a loader at all.
    for some in (wanted[:1], wanted[1:]):
        with console.status("") as status, trials(target, some, limits, jobs) as running:
            status.update(f"Trying {target.text}: {len(found)} of {len(wanted)}")
            for trial in running:
                found.append(trial)
                status.update(f"Trying {target.text}: {len(found)} of {len(wanted)}")
        if found and not found[0].records.loader:
            _see_why_there_is_none(target, found[0])
            break  # it is the same in every way
        if found and found[0].is_blind:
            told = found[0].records.loader
            raise CannotDo(
                f"try: {target.text}: {told['cls']} reads {told['dataset']} in a way of its own: "
                "no item could be watched"
            )
    order = {way: number for number, way in enumerate(wanted)}
    return sorted(found, key=lambda trial: order[trial.way])


def _see_why_there_is_none(target: Target, trial: Trial) -> None:
    """Raises CannotDo unless a rule is about it, or it stands still."""
    from dlint.trial.records import raised

    for note in trial.records.of("not there"):
        raise CannotDo(f"try: {target.text}: {note['message']}")
    for note in trial.records.of("left"):
        told = _last_line(trial.result.stderr)
        place = raised(note).place
        where = f" at {place[0]}:{place[1]}" if place is not None else ""
        raise CannotDo(f"try: {target.text} left with exit code {note['code']}{where}{told}")
    if trial.records.of("no loop"):
        raise CannotDo(f"try: {target.text} ran to its end and never read a DataLoader")
    error = trial.records.raised
    if error is not None and not _is_error_of_a_loader(trial):
        at = f" at {error.place[0]}:{error.place[1]}" if error.place else ""
        raise CannotDo(f"try: {target.text} raised {error.text}{at}")
    if trial.outcome == "died":
        status = trial.result.status or 0
        how = f"signal {-status}" if status < 0 else f"exit code {status}"
        raise CannotDo(f"try: {target.text} ended with {how}{_last_line(trial.result.stderr)}")


def _is_error_of_a_loader(trial: Trial) -> bool:
    """Whether what was raised before there was a loader is what a rule is about."""
    from dlint.trial.checks import raised

    return any(wrong.code is not None for wrong in raised.check(trial, None))


def _last_line(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return f": {lines[-1]}" if lines else ""


def _judged(found: Sequence[Trial]) -> Verdict:
    from dlint.trial.expected import findings_of
    from dlint.trial.judging import judge

    return judge(found, findings_of)


def _offer() -> int:
    from dlint.cli.options import settings_for
    from dlint.trial.offers import offers

    found, troubles = offers([Path()], settings_for([Path()], {}))
    complain_of(troubles)
    if not found:
        raise CannotDo("try: static analysis sees no loader here that comes out of a name; give FILE.py:NAME")
    say(["What could be tried here:"])
    for offer in found[:_MOST_OFFERS]:
        needs = "".join(f" {name}=..." for name in offer.needs)
        note = "  (the program, up to its first loop)" if offer.is_program else ""
        say([f"  dlint try {offer.target}{needs}{note}"])
    if len(found) > _MOST_OFFERS:
        say([f"  and {len(found) - _MOST_OFFERS} more"])
    return CLEAN
