"""A verdict for people."""

from __future__ import annotations

from collections.abc import Iterator

from dlint.finding import Finding
from dlint.reports.closing import of
from dlint.reports.line import one_line, place
from dlint.reports.pages import address
from dlint.reports.signs import visible
from dlint.trial.checks.growth import BYTES, longest
from dlint.trial.judging import Shown, Verdict
from dlint.trial.probe.places import Place
from dlint.trial.reports.curve import curve
from dlint.trial.reports.words import became, by, compared, headline, named, path_of, remarks, ways_in_words
from dlint.trial.trials import Trial


def as_text(verdict: Verdict, *, width: int = 80) -> Iterator[str]:
    """The lines of a report; ``width`` is that of the terminal, in columns, for curves."""
    yield visible(headline(verdict))
    yield from map(visible, remarks(verdict))
    yield ""
    longest_name = max(len(trial.name) for trial in verdict.trials)
    for trial in verdict.trials:
        yield visible(f"  {trial.name:<{longest_name}}  {became(trial, verdict)}")
    yield from (f"  {visible(line)}" for line in compared(verdict))
    for shown in verdict.shown:
        yield ""
        yield from _shown(shown, verdict, width)
    if verdict.elsewhere:
        yield ""
        yield "Not as the program reads it, but if it did:"
        for shown in verdict.elsewhere:
            yield visible(f"  {ways_in_words(shown.ways, verdict)}: {named(shown.wrong)}: {shown.wrong.what}")
    if verdict.confirmed:
        yield ""
        yield "Static analysis says this of the program around the loader, and the trials show that it is so:"
        for finding, how in verdict.confirmed:
            yield visible(f"  {place(finding)}: {finding.level}: {one_line(finding)}")
            yield visible(f"    {how}")
    if verdict.unseen:
        yield ""
        yield f"Static analysis says this, too; these trials{by(verdict)} do not show it:"
        yield from (
            visible(f"  {place(finding)}: {finding.level}: {one_line(finding)}") for finding in verdict.unseen
        )
    yield ""
    yield closing(verdict)


def closing(verdict: Verdict) -> str:
    """The last line: how much is wrong."""
    tried = of(len(verdict.trials), "trial")
    count = len(verdict.shown) + len(verdict.confirmed)
    if not count:
        return f"Nothing wrong in {tried}."
    return f"{of(count, 'mistake')} in {tried}."


def _shown(shown: Shown, verdict: Verdict, width: int) -> Iterator[str]:
    wrong = shown.wrong
    yield visible(f"{named(wrong)}: {wrong.what.rstrip('.')}.")
    if wrong.place is not None:
        yield visible(f"  at     {_at(wrong.place)}")
    yield visible(f"  in     {ways_in_words(shown.ways, verdict)}")
    if wrong.code is not None:
        yield visible(f"  check  {_checked(shown.finding, wrong.code)}")
    yield visible(f"  cure   {wrong.cure}")
    if wrong.code is not None:
        from dlint.rules import all_rules

        name = all_rules()[wrong.code].name
        yield f"  more   dlint rule {wrong.code}, {address(wrong.code, name)}"
    yield from _curve(shown, verdict, width)


def _at(where: Place) -> str:
    return f"{path_of(where[0])}:{where[1]}" + (f" in {where[2]}" if where[2] else "")


def _checked(finding: Finding | None, code: str) -> str:
    if finding is None:
        return f"dlint check does not find {code} here"
    return f"{place(finding)}: {finding.level}: {one_line(finding)}"


def _curve(shown: Shown, verdict: Verdict, width: int) -> Iterator[str]:
    """How something grows, where that is what is wrong."""
    if shown.wrong.grows is None:
        return
    trial = _trial(verdict, shown.ways[0])
    series = longest(trial, shown.wrong.grows)
    unit = 1e6 if shown.wrong.grows in BYTES else 1
    title = f"{'MB' if unit > 1 else shown.wrong.grows} added, by item, {trial.name}"
    for line in curve([each / unit for each in series], title, width):
        yield f"    {line}"


def _trial(verdict: Verdict, name: str) -> Trial:
    return next(trial for trial in verdict.trials if trial.name == name)
