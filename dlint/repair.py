"""The way of a repair: find, edit, check again, and only then write."""

from __future__ import annotations

import ast
import importlib
import io
import os
import tokenize
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from functools import cached_property
from pathlib import Path

from dlint import engine
from dlint.files import absolute
from dlint.finding import Finding, Trouble
from dlint.reading import SourceError, read_bytes
from dlint.rewriting.edits import CannotRepair, Edits
from dlint.rewriting.files import obstacle, true_roots
from dlint.rewriting.source import Source
from dlint.settings import Settings

_MOST_ROUNDS = 20

Check = Callable[[Sequence[Path], Mapping[Path, bytes]], engine.Report]


@dataclass(frozen=True)
class Left:
    """A finding that stays, and why: no remedy, an unsafe one, or a remedy that does not fit the code."""

    finding: Finding
    reason: str


@dataclass(frozen=True)
class Repaired:
    """One file's old and new bytes, and the findings that are gone from it."""

    path: Path
    old: bytes
    new: bytes
    findings: tuple[Finding, ...]


@dataclass(frozen=True)
class Repairs:
    """What a run would change and what it leaves; nothing is written yet."""

    files: tuple[Repaired, ...]
    left: tuple[Left, ...]
    troubles: tuple[Trouble, ...]
    checked: int


def repair(
    paths: Sequence[Path],
    settings: Settings,
    *,
    unsafe: bool = False,
    jobs: int = 1,
    texts: Mapping[Path, bytes] | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Repairs:
    """Repair the findings in ``paths`` in memory: safe remedies, and with ``unsafe`` the others too.

    Every edit is checked again with the engine; one that does not take its finding away, loses a comment,
    does not parse or brings a new finding is dropped. ``texts``, ``jobs`` and ``progress`` are as in
    :func:`dlint.engine.check`.
    """
    report = engine.check(paths, settings, texts=texts, jobs=jobs, progress=progress)

    def check(some: Sequence[Path], changed: Mapping[Path, bytes]) -> engine.Report:
        return engine.check(some, settings, texts={**(texts or {}), **changed}, named=paths)

    given = {absolute(path): data for path, data in (texts or {}).items()}
    findings = _under_one_name(report.findings)
    work = _Work(check, given, unsafe, {absolute(f.path): [] for f in findings})
    for finding in findings:
        work.findings[absolute(finding.path)].append(finding)
    roots = true_roots(paths)
    for path in work.findings:
        work.kept_out[path] = obstacle(path, roots)
    for _ in range(_MOST_ROUNDS):
        if not work.one_round():
            break
    return work.result(report)


def _under_one_name(findings: Iterable[Finding]) -> list[Finding]:
    """The findings without those that a link to a file shows again: its text can be replaced only once."""

    def is_link(finding: Finding) -> tuple[bool, bool]:
        path = os.path.abspath(finding.path)  # noqa: PTH100
        return os.path.islink(path), os.path.realpath(path) != path  # noqa: PTH114

    seen: dict[tuple[str, _Place], Finding] = {}
    for finding in sorted(findings, key=is_link):  # a file's own name before its links, and linked folders
        seen.setdefault((os.path.realpath(finding.path), _place(finding)), finding)
    return sorted(seen.values(), key=lambda finding: finding.sort_key)


@dataclass
class _Work:
    """The state of a repair: the present bytes and findings of every file that had findings."""

    check: Check
    texts: Mapping[Path, bytes]
    unsafe: bool
    findings: dict[Path, list[Finding]]
    old: dict[Path, bytes] = field(default_factory=dict)
    new: dict[Path, bytes] = field(default_factory=dict)
    repaired: dict[Path, list[Finding]] = field(default_factory=dict)
    refused: dict[Path, dict[_Place, str]] = field(default_factory=dict)
    kept_out: dict[Path, str | None] = field(default_factory=dict)
    first_seen: dict[tuple[Path, _Place], Finding] = field(default_factory=dict)

    def one_round(self) -> bool:
        """Edit every file once; whether any has changed."""
        edited = [self._edit(path) for path in list(self.findings)]
        done = [each for each in edited if each is not None]
        if not done:
            return False
        kept = self._keep_good(done)
        together = [each for each in done if each not in kept and len(each.findings) > 1]
        return bool(kept + self._one_by_one(together))

    def _edit(self, path: Path, only: Finding | None = None) -> _Edit | None:
        """The file with as many remedies performed as go together."""
        candidates = [f for f in self.findings[path] if self._reason(f) is None and only in (None, f)]
        if not candidates:
            return None
        before = self._bytes(path, candidates)
        if before is None:
            return None
        try:
            source = Source(path, before)
        except CannotRepair as error:
            self._refuse(candidates, str(error))
            return None
        edits = Edits(source)
        performed = []
        for finding in candidates:
            try:
                mine = Edits(source)
                _perform(source, finding, mine)
                if not mine:
                    raise CannotRepair("the remedy finds nothing to change here")
            except CannotRepair as error:
                self._refuse([finding], str(error))
                continue
            if edits.merge(mine):
                performed.append(finding)
        if not performed:
            return None
        try:
            after = source.encode(edits.apply())
            check_text(before, after)
        except CannotRepair as error:
            if len(performed) == 1:
                self._refuse(performed, str(error))
                return None
            return self._first_that_works(path, performed)
        return _Edit(path, before, after, tuple(performed))

    def _first_that_works(self, path: Path, candidates: Iterable[Finding]) -> _Edit | None:
        singles = (self._edit(path, only=finding) for finding in candidates)
        return next((each for each in singles if each is not None), None)

    def _keep_good(self, edits: Sequence[_Edit]) -> list[_Edit]:
        """Check the edited files again, together, and keep those whose findings are gone."""
        changed = {each.path: each.after for each in edits}
        report = self.check(list(self.findings), {**self.new, **changed})
        now: dict[Path, list[Finding]] = {path: [] for path in self.findings}
        for finding in report.findings:
            now.setdefault(absolute(finding.path), []).append(finding)
        troubled = {absolute(trouble.path) for trouble in report.troubles}
        kept = []
        for each in edits:
            wrong = self._what_is_wrong(each, now.get(each.path, []), each.path in troubled)
            if wrong is None:
                kept.append(each)
            elif len(each.findings) == 1:
                self._refuse(each.findings, wrong)
        if len(kept) < len(edits):
            # The others were checked beside edits that are now dropped: check what is left by itself.
            return self._keep_good(kept) if kept else []
        moved = {each.path: each.lines for each in kept}
        seen: dict[tuple[Path, _Place], Finding] = {}
        for path, findings in self.findings.items():
            lines = moved.get(path) or _Lines(b"", b"")
            for old in findings:
                again = [new for new in now[path] if lines.same_place(old, new)]
                first = self.first_seen.get((path, _place(old)), old)
                if not again:
                    self.repaired.setdefault(path, []).append(first)
                for new in again:
                    seen[path, _place(new)] = first
            refused = self.refused.get(path, {})
            self.refused[path] = {lines.moved(place): reason for place, reason in refused.items()}
            if path in moved:
                # What could not be done in the old text may well be done in the new one.
                self.refused[path].clear()
        self.first_seen = seen
        for each in kept:
            self.old.setdefault(each.path, each.before)
            self.new[each.path] = each.after
        self.findings = now
        return kept

    def _one_by_one(self, edits: Iterable[_Edit]) -> list[_Edit]:
        """Where several remedies together failed, take those that work alone."""
        kept = []
        for each in edits:
            for finding in each.findings:
                alone = self._edit(each.path, only=finding)
                good = self._keep_good([alone]) if alone is not None else []
                kept += good
                if good:
                    break  # the other findings have moved: they come in the next round
        return kept

    def _what_is_wrong(self, edit: _Edit, now: Sequence[Finding], troubled: bool) -> str | None:
        if troubled:
            return "the edited file could not be checked"
        if any(
            edit.lines.same_place(old, new) or (old.code == new.code and edit.lines.is_new(new.line))
            for old in edit.findings
            for new in now
        ):
            return "the remedy does not take the finding away here: see the rule's page"
        more = Counter(f.code for f in now) - Counter(f.code for f in self.findings[edit.path])
        if any(f.code in more and not self._is_offered(f) for f in now):
            return "the remedy would bring another finding"
        return None

    def _is_offered(self, finding: Finding) -> bool:
        remedy = finding.remedy
        return remedy is not None and (self.unsafe or remedy.applicability == "safe")

    def _reason(self, finding: Finding) -> str | None:
        """Why a finding is not repaired; None when it can be."""
        if finding.remedy is None:
            return finding.by_hand or "there is no remedy that is right everywhere: see the rule's page"
        if not self._is_offered(finding):
            return "the remedy is unsafe: --unsafe-fixes applies it"
        kept_out = self.kept_out.get(absolute(finding.path))
        if kept_out is not None:
            return kept_out
        return self.refused.get(absolute(finding.path), {}).get(_place(finding))

    def _refuse(self, findings: Iterable[Finding], reason: str) -> None:
        for finding in findings:
            self.refused.setdefault(absolute(finding.path), {})[_place(finding)] = reason

    def _known(self, path: Path) -> bytes:
        return self.new.get(path) or self.texts.get(path) or b""

    def _bytes(self, path: Path, candidates: Iterable[Finding]) -> bytes | None:
        if path in self.new or path in self.texts:
            return self._known(path)
        try:
            return read_bytes(path)
        except SourceError as error:
            self._refuse(candidates, error.message)
            return None

    def result(self, report: engine.Report) -> Repairs:
        files = [
            Repaired(path, self.old[path], new, tuple(sorted(self.repaired[path], key=lambda f: f.sort_key)))
            for path, new in sorted(self.new.items())
        ]
        left = [
            Left(finding, self._reason(finding) or "not repaired in this run: run dlint fix again")
            for path in sorted(self.findings)
            for finding in self.findings[path]
        ]
        return Repairs(tuple(files), tuple(left), report.troubles, report.checked)


@dataclass(frozen=True)
class _Edit:
    """One file's bytes before and after the remedies for ``findings``."""

    path: Path
    before: bytes
    after: bytes
    findings: tuple[Finding, ...]

    @cached_property
    def lines(self) -> _Lines:
        """Which line of the one is which of the other."""
        return _Lines(self.before, self.after)


_Place = tuple[str, int, int]  # code, line, column


def _place(finding: Finding) -> _Place:
    return (finding.code, finding.line, finding.column)


class _Lines:
    """Which lines of a file an edit left, and where they stand now."""

    def __init__(self, before: bytes, after: bytes) -> None:
        matcher = SequenceMatcher(None, before.splitlines(), after.splitlines(), autojunk=False)
        self._blocks = matcher.get_opcodes() if before != after else []

    def moved(self, place: _Place) -> _Place:
        """The place after the edit; a line that was edited itself counts as the first of its successors."""
        code, line, column = place
        for tag, i1, i2, j1, _ in self._blocks:
            if i1 < line <= i2:
                return (code, j1 + line - i1 if tag == "equal" else j1 + 1, column)
        return place

    def is_new(self, line: int) -> bool:
        """Whether the edit wrote this line."""
        return any(tag != "equal" and j1 < line <= j2 for tag, _, _, j1, j2 in self._blocks)

    def same_place(self, old: Finding, new: Finding) -> bool:
        """Whether ``new`` is ``old`` again: same code, same line, or in what the edit made of that line."""
        if old.code != new.code:
            return False
        for tag, i1, i2, j1, j2 in self._blocks:
            if i1 < old.line <= i2:
                if tag == "equal":
                    return (new.line - j1, new.column) == (old.line - i1, old.column)
                return j1 < new.line <= j2
        return (old.line, old.column) == (new.line, new.column)


def check_text(before: bytes, after: bytes) -> None:
    """Raise CannotRepair unless ``after`` parses and has every comment of ``before``."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(after)
        lost = _comments(before) - _comments(after)
    except (SyntaxError, ValueError, RecursionError, tokenize.TokenError) as error:
        raise CannotRepair(f"the edited file would not parse: {error}") from error
    if lost:
        raise CannotRepair(f"the edit would lose a comment: {next(iter(lost))}")


def _comments(data: bytes) -> Counter[str]:
    tokens = tokenize.tokenize(io.BytesIO(data).readline)
    return Counter(token.string for token in tokens if token.type == tokenize.COMMENT)


def _perform(source: Source, finding: Finding, edits: Edits) -> None:
    assert finding.remedy is not None
    remedy = importlib.import_module(f"dlint.remedies.{finding.remedy.name}")
    remedy.repair(source, finding, edits)
