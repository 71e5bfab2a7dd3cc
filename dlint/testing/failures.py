"""What is wrong with a loader, in words that read like dlint's findings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dlint.finding import Effect, Finding, Level
from dlint.project.paths import display_path
from dlint.reports.closing import of
from dlint.reports.line import one_line, place
from dlint.reports.pages import address
from dlint.reports.signs import visible
from dlint.trial.judging import Shown, Verdict
from dlint.trial.probe.places import is_own
from dlint.trial.trials import Trial


@dataclass(frozen=True)
class Failure:
    """One thing that is wrong: ``code`` is the rule, None where none is about it; ``path`` and ``line`` say
    where, None where that is not known. ``what`` says what was seen and what to do, ``ways`` which ways of
    reading the loader show it, ``finding`` is what ``dlint check`` says of it."""

    code: str | None
    level: Level
    path: str | None
    line: int | None
    what: str
    ways: tuple[str, ...]
    finding: Finding | None = None


class LoaderError(AssertionError):
    """Something is wrong with a loader. ``failures`` is what, ``verdict`` all that is known of it."""

    def __init__(self, failures: Sequence[Failure], verdict: Verdict) -> None:
        super().__init__("\n".join(_lines(failures, verdict)))
        self.failures = tuple(failures)
        self.verdict = verdict


LoaderError.__module__ = "dlint.testing"  # as users know it


def of_shown(shown: Shown, verdict: Verdict) -> Failure:
    """Something that a run has shown."""
    wrong, finding = shown.wrong, shown.finding
    path, line = _where(shown, verdict)
    return Failure(
        wrong.code, _level(wrong.effect), path, line, f"{wrong.what}; {wrong.cure}", shown.ways, finding
    )


def of_confirmed(finding: Finding, how: str, verdict: Verdict) -> Failure:
    """A finding of the program around the loader that the runs have shown to be right."""
    ways = tuple(trial.name for trial in verdict.trials)
    return Failure(finding.code, _level(finding.effect), finding.path, finding.line, how, ways, finding)


def _level(effect: Effect) -> Level:
    """What has happened is under no condition any more."""
    return "note" if effect == "cost" else "error"


def _where(shown: Shown, verdict: Verdict) -> tuple[str | None, int | None]:
    wrong, finding = shown.wrong, shown.finding
    if wrong.place is not None:
        return display_path(wrong.place[0]), wrong.place[1]
    if finding is not None and finding.cell is None:
        return finding.path, finding.line
    loader = _loader(verdict.trials)
    for name in ("dataset_at", "made"):
        at = loader.get(name)
        if at is not None and is_own(str(at[0])):
            return display_path(at[0]), int(at[1])
    return None, None


def _loader(trials: Sequence[Trial]) -> Mapping[str, Any]:
    """What is known of the loader."""
    return next((trial.records.loader for trial in trials if trial.records.loader), {})


def _lines(failures: Sequence[Failure], verdict: Verdict) -> Iterator[str]:
    loader = _loader(verdict.trials)
    name = f"the {loader['cls']} of {loader['dataset']}" if loader else "the loader"
    ways = "; ".join(dict.fromkeys(trial.name for trial in verdict.trials))
    yield visible(f"{of(len(failures), 'finding')} in {name} (tried: {ways})")
    for failure in failures:
        yield from _paragraph(failure, several=len(verdict.trials) > 1)


def _paragraph(failure: Failure, *, several: bool) -> Iterator[str]:
    from dlint.rules import all_names

    where = "" if failure.path is None else f"{failure.path}:{failure.line}: "
    name = all_names().get(failure.code or "", "")
    code = "" if failure.code is None else f"{failure.code} {name}: "
    yield visible(f"{where}{failure.level}: {code}{failure.what}")
    if several and failure.ways:
        yield visible(f"  seen   {'; '.join(failure.ways)}")
    if failure.finding is not None:
        yield visible(f"  check  {place(failure.finding)}: {one_line(failure.finding)}")
    if failure.code is not None:
        yield f"  more   dlint rule {failure.code}, {address(failure.code, name)}"
