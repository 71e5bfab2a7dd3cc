"""From one repair to the next, until none is left that does good."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from dlint import engine
from dlint.analysis.kept import Kept
from dlint.finding import Finding
from dlint.in_cells import Notebooks
from dlint.project.paths import absolute
from dlint.remedies import CURE_OTHERS, may_cure, remedy
from dlint.repair.chosen import Chosen, mending_first, moves_function, under_one_name
from dlint.repair.judge import Verdict, verdict, what_is_wrong
from dlint.repair.lines import UNCHANGED, Place, place_of
from dlint.repair.results import Approve, Enough, Left, Repaired, Repairs, Step
from dlint.repair.workshop import Change, Workshop, goes_with, spread, unite
from dlint.rewriting.edits import Edits
from dlint.rewriting.refusal import CannotRepair
from dlint.rewriting.source import Source
from dlint.settings.settings import Settings

# A repair that brings a finding to light which has a remedy, too, is carried on; so many times.
_MOST_FOLLOWING = 3
_PROMISED = "the remedy is unsafe: --unsafe-fixes applies it"

Check = Callable[[Mapping[Path, bytes]], engine.Report]


def repair(
    paths: Sequence[Path],
    settings: Settings,
    *,
    unsafe: bool = False,
    jobs: int = 1,
    texts: Mapping[Path, bytes] | None = None,
    progress: Callable[[int, int], None] | None = None,
    repairing: Callable[[int, int], None] | None = None,
    approve: Approve | None = None,
    only: Wanted | None = None,
) -> Repairs:
    """Repair the findings in ``paths`` in memory: safe remedies, and with ``unsafe`` the others too.

    Every repair is judged by all rules over the whole program, also by rules that were not chosen: one that
    does not take its finding away, brings another, loses a comment or does not parse is dropped. ``texts``,
    ``jobs`` and ``progress`` are as in :func:`dlint.engine.check`; ``repairing`` is called with (findings
    done, all of them); ``approve`` is asked before each repair. Of findings that are not ``only`` (as they
    were at first; None: all are) none is repaired for its own sake.
    """
    given = {absolute(path): data for path, data in (texts or {}).items()}
    all_rules = settings.of_all_rules()
    kept = Kept()
    report = engine.check(paths, all_rules, texts=given, jobs=jobs, progress=progress, kept=kept)
    first = Notebooks(given)
    chosen = Chosen(settings, unsafe)

    def check(changed: Mapping[Path, bytes]) -> engine.Report:
        report = engine.check(paths, all_rules, texts={**given, **changed}, kept=kept)
        return _in_programs(report, Notebooks({**given, **changed}))

    report = _in_programs(report, first)
    shop = Workshop(paths, settings, given, kept)
    work = Work(check, shop, chosen, approve, under_one_name(report.findings))
    work.first = first
    work.only = only
    work.troubles = frozenset(absolute(trouble.path) for trouble in report.troubles)
    try:
        while work.one_round():
            if repairing is not None:
                repairing(len(work.gone), len(work.gone) + len(work.findings))
    except Enough:
        pass
    # What is left is asked why, of the same program: it goes only then.
    result = work.result(report)
    kept.let_go()
    return result


def _in_programs(report: engine.Report, notebooks: Notebooks) -> engine.Report:
    """The report with places of notebooks as lines of their programs, which is what is edited."""
    return report._replace(findings=tuple(map(notebooks.in_program, report.findings)))


_At = tuple[Path, Place]
Wanted = Callable[[Finding], bool]


def _at(finding: Finding) -> _At:
    return absolute(finding.path), place_of(finding)


@dataclass
class Work:
    """The state of a run: the present findings, what they were at first, and what is done and refused."""

    check: Check
    shop: Workshop
    chosen: Chosen
    approve: Approve | None
    findings: list[Finding]
    troubles: frozenset[Path] = frozenset()
    old: dict[Path, bytes] = field(default_factory=dict)
    steps: list[Step] = field(default_factory=list)
    refused: dict[_At, str] = field(default_factory=dict)
    by_itself: set[_At] = field(default_factory=set)
    declined: set[_At] = field(default_factory=set)
    first_seen: dict[_At, Finding] = field(default_factory=dict)
    changed: bool = False
    only: Wanted | None = None
    first: Notebooks = field(default_factory=lambda: Notebooks({}))
    unseen: list[Left] = field(default_factory=list)

    @property
    def gone(self) -> list[Finding]:
        """All that are gone by now."""
        return [finding for step in self.steps for finding in step.findings]

    def one_round(self) -> bool:
        """Try some repairs; whether there may be more to do."""
        todo = [finding for finding in self.findings if self.reason(finding) is None]
        if not todo:
            if not (self.changed and self.refused):
                return False
            # What could not be done in the old program may well be done in the new one.
            self.changed = False
            self.refused.clear()
            return True
        wide = [finding for finding in todo if self._cures_others(finding)]
        if wide:
            self._widest(wide)
            return True
        todo = sorted(mending_first(todo), key=moves_function)
        together = [finding for finding in todo if _at(finding) not in self.by_itself]
        if self.approve is not None or not together:
            change = self.alone(todo[0])
            if change is not None:
                self._try(change)
            return True
        change = self._together(together)
        if change is not None:
            self._try(change)
        return True

    def _cures_others(self, finding: Finding) -> bool:
        return finding.remedy is not None and finding.remedy.name in CURE_OTHERS

    def _widest(self, findings: Sequence[Finding]) -> None:
        """Repair where one place cures most of the findings of the first one's remedy."""
        assert findings[0].remedy is not None
        name = findings[0].remedy.name
        same = [each for each in findings if each.remedy is not None and each.remedy.name == name]
        widest_first = getattr(remedy(name), "widest_first", None)
        for finding in widest_first(same, self._source_of) if widest_first is not None else same:
            change = self.alone(finding)
            if change is not None and self._try(change):
                return
        reason = self.reason(finding) or "no place for it is right"
        for each in same:
            self.refused.setdefault(_at(each), reason)

    def _source_of(self, finding: Finding) -> Source:
        return self.shop.source(absolute(finding.path))

    def alone(self, finding: Finding) -> Change | None:
        """What the remedy of one finding would change; None where it refuses."""
        try:
            edits = spread(self.shop.edits_for(finding))
            return self.shop.change([(finding, tuple(edits))], edits)
        except CannotRepair as error:
            self._refuse([finding], str(error))
            return None

    def _together(self, findings: Sequence[Finding]) -> Change | None:
        """What as many remedies as go together would change."""
        all_edits: dict[Path, Edits] = {}
        performed: list[tuple[Finding, tuple[Path, ...]]] = []
        for finding in findings:
            try:
                mine = spread(self.shop.edits_for(finding))
            except CannotRepair as error:
                self._refuse([finding], str(error))
                continue
            if goes_with(all_edits, mine):
                unite(all_edits, mine)
                performed.append((finding, tuple(mine)))
        if not performed:
            return None
        try:
            return self.shop.change(performed, all_edits)
        except CannotRepair as error:
            if len(performed) == 1:
                self._refuse([performed[0][0]], str(error))
            self.by_itself.update(_at(finding) for finding, _ in performed)
            return None

    def _try(self, change: Change) -> bool:
        """Judge a change; make it where it is good, and else remember what not to try again."""
        tried = self._carried_on(change)
        if isinstance(tried, _Tried):
            return self._accept(tried)
        if len(change.findings) == 1:
            texts = self.shop.under_all_names(change.after)
            self._refuse(change.findings, what_is_wrong(tried, Notebooks(texts)))
            return False
        blamed = {_at(each) for each in tried.stayed}
        places = {absolute(each.path) for each in tried.came}
        blamed |= {_at(each) for each in change.findings if absolute(each.path) in places}
        self.by_itself.update(blamed or map(_at, change.findings))
        return False

    def _carried_on(self, change: Change) -> _Tried | Verdict:
        """The change, with what must follow where it brings findings to light that have a remedy too."""
        report = self.check(self.shop.under_all_names(change.after))
        tried = _Tried(change, report)
        for _ in range(_MOST_FOLLOWING):
            found = self._judged(tried)
            if found.stayed or not found.came or not all(map(self._may_follow, found.came)):
                break
            try:
                further = self._further(tried, found.came[0])
            except CannotRepair:
                break
            tried = _Tried(further, self.check(self.shop.under_all_names(further.after)))
        found = self._judged(tried)
        return tried if found.is_good else found

    def _may_follow(self, finding: Finding) -> bool:
        """Whether a finding that a repair brings to light may be repaired with it."""
        allowed = self.chosen.concerns(finding) and self.chosen.offers(finding)
        return allowed and self.shop.obstacle(absolute(finding.path)) is None

    def _further(self, tried: _Tried, finding: Finding) -> Change:
        """The change with the remedy of a finding that it brought. Raises CannotRepair."""
        present = dict(self.shop.texts)
        self.shop.take(self.shop.under_all_names(tried.change.after))
        try:
            edits = spread(self.shop.edits_for(finding))
            more = self.shop.change([(finding, tuple(edits))], edits)
        finally:
            self.shop.take(present)
        texts = dict(tried.change.texts)
        for path, (before, after) in more.texts.items():
            texts[path] = (texts[path][0] if path in texts else before, after)
        first, *rest = tried.change.files
        return replace(tried.change, files=((*more.files[0], *first), *rest), texts=texts)

    def _judged(self, tried: _Tried) -> Verdict:
        change, report = tried.change, tried.report
        broken = {absolute(trouble.path) for trouble in report.troubles} - self.troubles
        if broken & change.texts.keys():
            return Verdict(change.findings, ())
        return verdict(self.findings, under_one_name(report.findings), change.findings, change.lines)

    def _accept(self, tried: _Tried) -> bool:
        """Have the new texts and findings be the present ones; False where the user declines."""
        change = tried.change
        found = under_one_name(tried.report.findings)
        known: dict[int, Finding] = {}
        missing: list[Finding] = []
        for old in self.findings:
            lines = change.lines.get(absolute(old.path), UNCHANGED)
            alike = (new for new in found if new.path == old.path and lines.is_same(old, new))
            again = [*alike] if old not in change.findings else []
            known.update((id(new), self.first_seen.get(_at(old), old)) for new in again)
            missing += [] if again else [old]
        gone: list[Finding] = []
        unseen = [replace(each, finding=change.moved(each.finding)) for each in self.unseen]
        for old in missing:
            first = self.first_seen.get(_at(old), old)
            moved = None if old in change.findings else _moved_away(old, found, known)
            if moved is not None:
                known[id(moved)] = first
            elif self.chosen.concerns(old):
                if old in change.findings or any(_may_cure(each, old) for each in change.findings):
                    gone.append(first)
                else:
                    unseen.append(Left(change.moved(old), _unseen(old, change.findings[0]), first))
        present = {_at(each): each for each in self.findings}  # a remedy's data may have got a place
        wanted = [self.first_seen.get(at, present[at]) for at in map(_at, change.findings)]
        steps = _steps(change, *(list(map(self.first.in_cells, each)) for each in (wanted, gone)))
        if self.approve is not None and not all(self.approve(step, change.texts) for step in steps):
            self.declined.update(map(_at, change.findings))
            return False
        self.steps += steps
        self.unseen = unseen
        self.refused = self._moved(change, self.refused)
        self.by_itself = set(self._moved(change, dict.fromkeys(self.by_itself, "")))
        self.declined = set(self._moved(change, dict.fromkeys(self.declined, "")))
        self.first_seen = {_at(new): known[id(new)] for new in found if id(new) in known}
        for path, (before, _) in change.texts.items():
            self.old.setdefault(path, before)
        self.shop.take(self.shop.under_all_names(change.after))
        self.findings = found
        self.changed = True
        return True

    def _moved(self, change: Change, noted: Mapping[_At, str]) -> dict[_At, str]:
        """Notes on findings, by the places that those have now."""
        return {
            (path, change.lines.get(path, UNCHANGED).moved(place)): note
            for (path, place), note in noted.items()
        }

    def reason(self, finding: Finding) -> str | None:
        """Why a finding is not repaired; None when it can be."""
        if not self.chosen.concerns(finding):
            return "its rule was not chosen"
        first = self.first_seen.get(_at(finding), finding)
        if self.only is not None and not self.only(self.first.in_cells(first)):
            return "nobody asked for it"
        if finding.remedy is None:
            return (
                finding.by_hand or f"no remedy is right everywhere: dlint rule {finding.code} has the cures"
            )
        if not self.chosen.offers(finding):
            return _PROMISED
        if _at(finding) in self.declined:
            return "declined"
        return self.shop.obstacle(absolute(finding.path)) or self.refused.get(_at(finding))

    def _why_left(self, finding: Finding) -> str | None:
        """The same of a finding that stays: an unsafe remedy is promised only where it does not refuse."""
        reason = self.reason(finding)
        if reason != _PROMISED:
            return reason
        obstacle = self.shop.obstacle(absolute(finding.path))
        if obstacle is None and self.alone(finding) is None:
            return self.refused.get(_at(finding), reason)
        return obstacle or reason

    def _refuse(self, findings: Iterable[Finding], reason: str) -> None:
        self.refused.update((_at(finding), reason) for finding in findings)

    def result(self, report: engine.Report) -> Repairs:
        """What came of it."""
        order = list(dict.fromkeys(path for step in self.steps for path in step.files))
        now = Notebooks(self.shop.texts)
        left = [
            Left(
                now.in_cells(finding),
                self._why_left(finding) or "not repaired in this run: run dlint fix again",
                self.first.in_cells(self.first_seen.get(_at(finding), finding)),
            )
            for finding in self.findings
            if self.chosen.concerns(finding)
        ]
        seen = {_at(each.finding) for each in left}
        left += [
            replace(each, finding=now.in_cells(each.finding), first=self.first.in_cells(each.first))
            for each in self.unseen
            if _at(each.finding) not in seen
        ]
        files = [Repaired(path, self.old[path], self.shop.texts[path]) for path in order]
        return Repairs(tuple(files), tuple(self.steps), tuple(left), report.troubles, report.checked)


def _may_cure(repaired: Finding, other: Finding) -> bool:
    return repaired.remedy is None or may_cure(repaired.remedy.name, other.code)


def _unseen(finding: Finding, by: Finding) -> str:
    """Why a finding is left that is found no longer."""
    cure = f"; {finding.by_hand}" if finding.by_hand else ""
    return f"only no longer seen after the repair of {by.code}, which does nothing for it{cure}"


def _moved_away(old: Finding, found: Iterable[Finding], known: Mapping[int, Finding]) -> Finding | None:
    """The finding that one is now whose line a repair has moved or written anew: another of its kind that was
    not there before. No repair brings one."""
    alike = [new for new in found if (new.path, new.code) == (old.path, old.code) and id(new) not in known]
    same = [new for new in alike if new.message == old.message]
    return next(iter(same or alike), None)


@dataclass(frozen=True)
class _Tried:
    """A change, and what the engine says of the program with it."""

    change: Change
    report: engine.Report


def _steps(change: Change, wanted: Sequence[Finding], gone: Iterable[Finding]) -> list[Step]:
    """A step for each finding that a change was made for, ``wanted`` as they were first seen; what else is
    gone belongs to the one in its file, or to the first."""
    others = [each for each in gone if each not in wanted]
    also: list[list[Finding]] = [[] for _ in wanted]
    for other in others:
        mine = [i for i, each in enumerate(wanted) if each.path == other.path]
        also[mine[0] if mine else 0].append(other)
    return [
        Step(each, tuple(more), tuple(dict.fromkeys(files)), now.remedy.summary if now.remedy else "")
        for each, more, files, now in zip(wanted, also, change.files, change.findings, strict=True)
    ]
