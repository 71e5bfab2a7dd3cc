"""What the trials of a loader show, put together with what static analysis says of it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from dlint.finding import Finding
from dlint.project.files import project_root
from dlint.project.paths import absolute
from dlint.trial.checks import checks
from dlint.trial.checks.growth import is_contradicted
from dlint.trial.confirming import confirmed
from dlint.trial.probe.places import Place, is_own
from dlint.trial.trials import Trial
from dlint.trial.wrong import Wrong

# The findings in the project at a folder.
Look = Callable[[Path], Sequence[Finding]]

_ELSEWHERE = 4
_OTHERS = 2  # what else goes back to one line, by name


@dataclass(frozen=True)
class Shown:
    """Something that went wrong, the names of the trials that show it, and the finding that says it of the
    code."""

    wrong: Wrong
    ways: tuple[str, ...]
    finding: Finding | None = None


@dataclass(frozen=True)
class Verdict:
    """All that there is to say of a loader.

    ``shown`` is what went wrong; ``elsewhere`` what went wrong only where the program does not read
    the loader so (it has no workers, or a start method of its own); ``confirmed`` are findings about
    the program around the loader, with how the trials show that they are right; ``unseen`` are findings about
    this loader that no trial shows.
    """

    trials: tuple[Trial, ...]
    shown: tuple[Shown, ...]
    elsewhere: tuple[Shown, ...] = ()
    confirmed: tuple[tuple[Finding, str], ...] = ()
    unseen: tuple[Finding, ...] = ()

    @property
    def is_wrong(self) -> bool:
        """Whether something is wrong."""
        return bool(self.shown or self.confirmed)


def judge(trials: Sequence[Trial], look: Look) -> Verdict:
    """Ask all checks, and static analysis by ``look``, which gives the findings of a project."""
    merged = _merged(trials)
    named = [file for trial in trials for file in _files(trial)]
    files = _existing((*named, *(each.wrong.place[0] for each in merged if each.wrong.place is not None)))
    modules = _existing(file for trial in trials for file in _modules(trial, "modules"))
    loaded = _existing(file for trial in trials for file in _modules(trial, "loaded"))
    findings = _findings(files | modules, look)
    names = {str(each) for trial in trials for name in _NAMES if (each := trial.records.loader.get(name))}
    shown: list[Shown] = []
    for each in merged:
        shown.append(_with_finding(each, findings, names, [before.finding for before in shown]))
    shown = list(_one_each(shown))
    left = [finding for finding in findings if not _is_told(finding, shown)]
    told = [(finding, how) for finding in left if (how := confirmed(finding, trials)) is not None]
    unseen = [
        finding
        for finding in left
        # What stands in a file that was not even loaded is about another loader of the same dataset.
        if files & _paths(finding)
        and absolute(Path(finding.path)) in files | loaded
        and not any(finding is each for each, _ in told)
    ]
    used = {trial.name for trial in trials if trial.is_as_used}
    mine = tuple(each for each in shown if used.intersection(each.ways) and _counts(each))
    elsewhere = tuple(each for each in shown if not (used.intersection(each.ways) and _counts(each)))
    return Verdict(tuple(trials), mine, elsewhere, tuple(told), tuple(unseen))


def _counts(shown: Shown) -> bool:
    """Whether it is wrong with the program, and not only with how it is tried."""
    found = shown.finding
    return not shown.wrong.needs_finding or (found is not None and found.code == shown.wrong.code)


def _merged(trials: Sequence[Trial]) -> list[Shown]:
    """What went wrong, each once, with all trials that show it."""
    plain = next((trial for trial in trials if not trial.way.workers), None)
    found: dict[tuple[str | None, Place | None, str], Shown] = {}
    for trial in trials:
        all_wrong = [wrong for check in checks() for wrong in check(trial, plain)]
        # What a rule explains is not told a second time as an error that no rule is about.
        explained = any(wrong.code and wrong.effect in ("error", "hang") for wrong in all_wrong)
        for wrong in all_wrong:
            if wrong.code is None and explained and wrong.effect == "error" and wrong.grows is None:
                continue
            # Of what no rule is about more than one thing may go wrong at a place.
            which = wrong.grows or ("" if wrong.place else wrong.about or wrong.what)
            mark = (wrong.code, wrong.place, which)
            before = found.get(mark)
            if before is None:
                found[mark] = Shown(wrong, (trial.name,))
            elif trial.name not in before.ways:
                # Where there are more workers, more is to be seen.
                better = before.wrong if before.wrong.sure and not wrong.sure else wrong
                found[mark] = Shown(better, (*before.ways, trial.name))
    return [each for each in found.values() if not is_contradicted(each.wrong, each.ways, trials)]


def _existing(files: Iterable[str]) -> set[Path]:
    """Those of the user's files that are there."""
    return {path for path in map(absolute, map(Path, filter(is_own, set(files)))) if path.is_file()}


def _findings(files: set[Path], look: Look) -> list[Finding]:
    """The findings in files, or that begin there."""
    found: list[Finding] = []
    for root in sorted({project_root(file) for file in files}):
        found += [finding for finding in look(root) if files & _paths(finding) and finding not in found]
    return found


def _paths(finding: Finding) -> set[Path]:
    return {absolute(Path(path)) for path in (finding.path, *(step.path for step in finding.reach))}


def _modules(trial: Trial, kind: str) -> Iterable[str]:
    """The user's modules that were loaded: ``modules``, by a program; ``loaded``, in any case."""
    for note in trial.records.of(kind):
        yield from map(str, note["files"])


def _files(trial: Trial) -> Iterable[str]:
    """The user's files by which a loader was made, and in which its worker code is."""
    yield from trial.records.files
    for kind in ("seed", "pool", "set_num_threads", "many tasks"):
        yield from (str(note["place"][0]) for note in trial.records.of(kind))
    if trial.records.raised is not None:
        yield from (frame[0] for frame in trial.records.raised.frames)


def _one_each(shown: Sequence[Shown]) -> Iterator[Shown]:
    """What is known by what it is about, and goes back to one line of the code, is one mistake."""
    of_finding: dict[tuple[str | None, int], list[Shown]] = {}
    for each in shown:
        if each.finding is not None and each.wrong.place is None and each.wrong.about:
            of_finding.setdefault((each.wrong.code, id(each.finding)), []).append(each)
    for each in shown:
        alike = of_finding.get((each.wrong.code, id(each.finding)), [each])
        if not any(each is other for other in alike):
            yield each
        elif each is alike[0]:
            yield _together(alike)


def _together(alike: Sequence[Shown]) -> Shown:
    first, *others = alike
    if not others:
        return first
    ways = dict.fromkeys(way for each in alike for way in each.ways)
    names = ", ".join(each.wrong.about for each in others[:_OTHERS])
    more = f" and {len(others) - _OTHERS} more" if len(others) > _OTHERS else ""
    what = f"{first.wrong.what}; the same of {names}{more}"
    return replace(first, wrong=replace(first.wrong, what=what), ways=tuple(ways))


def _is_told(finding: Finding, shown: Sequence[Shown]) -> bool:
    """Whether a finding is that of something shown, or only points to another one of its rule."""
    if any(finding is each.finding for each in shown):
        return True
    return finding.level == "note" and any(finding.code == each.wrong.code for each in shown)


# What a loader is known by: its class of datasets and its functions.
_NAMES = ("dataset", "collate_fn", "worker_init_fn")


def _with_finding(
    shown: Shown, findings: Sequence[Finding], names: Collection[str], told: Sequence[Finding | None]
) -> Shown:
    """The finding that says it, one that is not ``told`` yet before others, and the rule that this one is of
    where it may be of several."""
    wrong = shown.wrong
    if wrong.code is None and not wrong.or_rules:
        return shown
    for code in (wrong.code, *wrong.or_rules):
        mine = [finding for finding in findings if finding.code == code]
        # A file may have several classes of datasets with the same mistake.
        best = min(
            mine,
            key=lambda each: (_distance(each, wrong), not _mentions(each, names), each in told),
            default=None,
        )
        # What is said of another file is not about a line that is known.
        if best is not None and (wrong.place is None or _distance(best, wrong) < _ELSEWHERE):
            return replace(shown, wrong=replace(wrong, code=code), finding=best)
    return shown


def _mentions(finding: Finding, names: Collection[str]) -> bool:
    """Whether a finding is about something of these names: in it, or reached by it."""
    places = (finding.scope, *(step.name for step in finding.reach))
    return any(place == name or place.startswith(f"{name}.") for place in places for name in names)


def _distance(finding: Finding, wrong: Wrong) -> int:
    """How far a finding is from the place: at it, reached by it, in its file, in one near it, elsewhere."""
    path = absolute(Path(finding.path))
    if wrong.place is not None:
        file, line = absolute(Path(wrong.place[0])), wrong.place[1]
        if path == file and finding.line <= line <= finding.end_line:
            return 0
        if any(absolute(Path(step.path)) == file and step.line == line for step in finding.reach):
            return 1
        if path == file:
            return 2
    return 3 if any(path == absolute(Path(file)) for file in wrong.near) else _ELSEWHERE
