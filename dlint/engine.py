"""Runs the rules over a program and gives findings: the one way in for every door."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from dlint.files import (
    SourceError,
    decode,
    display_path,
    expand,
    parse,
    project_root,
    python_files,
    read_bytes,
)
from dlint.finding import Finding, Trouble
from dlint.knowledge.loading import LOADER_WORDS
from dlint.program.index import Index
from dlint.settings import Settings, enabled

if TYPE_CHECKING:
    from dlint.rules.rule import Found, Rule

Progress = Callable[[int, int], None]

# The analysis follows expressions and calls by recursion, with bounds of its own.
_RECURSION = 12_000
# A tree with fewer files than this is checked sooner by one process than several would take to start.
_LARGE = 1_500
# A file that mentions none of these can hold no finding: it is read, not parsed.
_WORDS = (
    b"DataLoader",
    b"Dataset",
    b"__getitem__",
    b"worker_init",
    b"cv2",
    b"random",
    b"seed",
    b"Pool",
    b"Executor",
    b"Thread",
    b"Sampler",
    b"torch",
)
# A program that mentions none of these has neither loaders nor datasets nor functions for workers: the rules
# are not even imported for it.
_PROGRAM_WORDS = (*LOADER_WORDS, "Dataset", "worker_init", "init_fn", "seed_worker")
# A file that mentions one of these is parsed in any case, so that a user hears of one that cannot be.
_LOADING_WORDS = (b"DataLoader", b"Dataset", b"__getitem__", b"worker_init")
# Up to so many bytes a project is parsed whole, so that a file that does not parse is told of even where
# it cannot hold a finding.
_SMALL_TREE = 300_000


class Report(NamedTuple):
    """The result of one run: findings and troubles in the order of the listing."""

    findings: tuple[Finding, ...]
    troubles: tuple[Trouble, ...]
    checked: int


def may_concern(text: str | bytes) -> bool:
    """Whether a file with this text can hold a finding at all."""
    data = text.encode(errors="replace") if isinstance(text, str) else text
    return any(word in data for word in _WORDS)


def _loads(data: bytes) -> bool:
    return any(word in data for word in _LOADING_WORDS)


def check(
    paths: Sequence[Path],
    settings: Settings,
    *,
    texts: Mapping[Path, bytes] | None = None,
    jobs: int = 1,
    progress: Progress | None = None,
    suppress: bool = True,
) -> Report:
    """Check files and folders as parts of their project.

    ``texts`` replaces the contents of files (an editor's buffer, standard input). ``jobs`` is the number
    of processes, 0 for as many as the size of the tree asks for. ``progress`` is called with (done,
    total) loaders. ``suppress`` applies ``# noqa`` comments (flake8 does that itself). Findings are for
    the given paths only, whatever else is read.
    """
    # Trees and values live as long as the program does: looking for garbage among them finds none and
    # costs as much as the analysis.
    collecting = gc.isenabled()
    gc.disable()
    try:
        return _check(paths, settings, texts or {}, jobs, progress, suppress)
    finally:
        if collecting:
            gc.enable()


def _check(
    paths: Sequence[Path],
    settings: Settings,
    texts: Mapping[Path, bytes],
    jobs: int,
    progress: Progress | None,
    suppress: bool,
) -> Report:
    sys.setrecursionlimit(max(sys.getrecursionlimit(), _RECURSION))
    asked, troubles = expand(paths, settings.exclude, present=texts)
    explicit = {path.absolute() for path in paths if not path.is_dir()}
    if settings.names_rules:
        from dlint.rules import all_rules

        enabled(all_rules().values(), settings)
    findings: list[Finding] = []
    for root, files in _by_project(asked).items():
        outcome = _Job(root, tuple(files), settings, texts).run(jobs, progress)
        unreadable, kept = _read_files(files, texts, explicit, outcome.parsed, outcome.findings, suppress)
        troubles += [*unreadable, *outcome.failures]
        findings += kept
    return Report(
        tuple(sorted(findings, key=lambda finding: finding.sort_key)),
        tuple(sorted(set(troubles), key=lambda trouble: (trouble.path, trouble.line or 0))),
        len(asked),
    )


def _by_project(files: Iterable[Path]) -> dict[Path, list[Path]]:
    projects: dict[Path, list[Path]] = {}
    roots: dict[Path, Path] = {}
    for path in files:
        root = roots.get(path.parent)
        if root is None:
            root = roots[path.parent] = project_root(path)
        projects.setdefault(root, []).append(path)
    return projects


def _read_files(
    files: Sequence[Path],
    texts: Mapping[Path, bytes],
    explicit: set[Path],
    parsed: set[str],
    found: list[Finding],
    suppress: bool,
) -> tuple[list[Trouble], list[Finding]]:
    """Why some files could not be checked, and the findings that no comment silences."""
    troubles: list[Trouble] = []
    by_path: dict[str, list[Finding]] = {}
    for finding in found:
        by_path.setdefault(finding.path, []).append(finding)
    room = _SMALL_TREE
    kept: list[Finding] = []
    for path in files:
        shown = display_path(path)
        try:
            data = texts[path] if path in texts else read_bytes(path)
            text = decode(data)
            room -= len(data)
            here = by_path.get(shown, [])
            if str(path) not in parsed and (path in explicit or room > 0 or _loads(data)):
                parse(text)
        except SourceError as error:
            troubles.append(error.trouble(path))
            continue
        if here and suppress:
            from dlint.noqa import unsuppressed

            here = list(unsuppressed(text, here))
        kept += here
    return troubles, kept


class _Job(NamedTuple):
    """The check of one project."""

    root: Path
    files: tuple[Path, ...]
    settings: Settings
    texts: Mapping[Path, bytes]

    def run(self, jobs: int, progress: Progress | None) -> _Outcome:
        """What is found in the files that were asked for; several processes give the same as one."""
        listed = python_files(self.root, self.settings.exclude)
        program_files = sorted({*listed, *self.files}) if listed else list(self.files)
        if jobs == 0:
            jobs = (os.cpu_count() or 1) if len(program_files) >= _LARGE else 1
        if jobs == 1:
            shares = [self.share(program_files, (0, 1), progress)]
        else:
            from concurrent.futures import ProcessPoolExecutor

            with ProcessPoolExecutor(jobs) as pool:
                waiting = [pool.submit(self.share, program_files, (i, jobs), None) for i in range(jobs)]
                shares = [done.result() for done in waiting]
        asked = {str(path): display_path(path) for path in self.files}
        hits = [hit for share in shares for hit in share.hits]
        return _Outcome(
            _merged(hits, asked),
            set().union(*(share.parsed for share in shares)),
            {failure for share in shares for failure in share.failures},
        )

    def share(self, files: Sequence[Path], share: tuple[int, int], progress: Progress | None) -> _Share:
        """What one process finds in its share of the program."""
        gc.disable()  # in a process of its own, too
        sys.setrecursionlimit(max(sys.getrecursionlimit(), _RECURSION))
        result = _Share([], set(), [])
        index = Index(self.root, files, self.texts)
        if not any(index.mentioning(word) for word in _PROGRAM_WORDS):
            return result
        from dlint import rules
        from dlint.program.program import Program

        every = rules.all_rules()
        codes = enabled(every.values(), self.settings)
        program = Program(
            index,
            target_torch=_release(self.settings.target_torch),
            start_method=self.settings.start_method,
            share=share,
            progress=progress,
        )
        for code, rule in every.items():
            if code not in codes:
                continue
            try:
                result.hits.extend([_hit(code, rule, found) for found in rule.check(program)])
            except Exception as error:  # a fault of dlint's own must not hide what the other rules say
                if os.environ.get("DLINT_TRACEBACK"):
                    raise
                why = f"{type(error).__name__}: {error}".partition("\n")[0]
                message = f"{code} failed here, the other rules ran; please report it ({why})"
                result.failures.append(Trouble(display_path(self.root), message))
        result.parsed.update(program.modules.parsed)
        return result


class _Share(NamedTuple):
    """What one process found, the files that it parsed, and the rules that failed."""

    hits: list[_Hit]
    parsed: set[str]
    failures: list[Trouble]


class _Outcome(NamedTuple):
    """The same of all processes, as findings."""

    findings: list[Finding]
    parsed: set[str]
    failures: set[Trouble]


class _Hit(NamedTuple):
    """What a rule found, as data that crosses processes; ``path`` is absolute."""

    path: str
    finding: Finding
    kind: str


def _hit(code: str, rule: Rule, found: Found) -> _Hit:
    node = found.node
    module = found.module
    end_line = node.end_lineno or node.lineno
    end_offset = node.end_col_offset if node.end_col_offset is not None else node.col_offset
    finding = Finding(
        code=code,
        name=rule.name,
        message=found.message,
        path=module.relative,
        line=node.lineno,
        column=module.column(node.lineno, node.col_offset),
        end_line=end_line,
        end_column=module.column(end_line, end_offset),
        reach=found.reach,
        remedy=found.remedy,
        by_hand=found.by_hand,
    )
    return _Hit(str(module.path), finding, found.kind)


def _merged(hits: list[_Hit], shown: Mapping[str, str]) -> list[Finding]:
    """Findings in the asked files: each place once, by its shortest reach, in the order of the listing."""
    if not hits:
        return []
    from dlint.rules import all_rules

    rules = all_rules()
    best: dict[tuple[str, str, str, int, int], Finding] = {}
    for hit in hits:
        if hit.path not in shown:
            continue
        finding = hit.finding
        mark = (finding.code, hit.path, hit.kind, finding.line, finding.column)
        known = best.get(mark)
        if known is None or _rank(finding) < _rank(known):
            best[mark] = finding
    whole: dict[tuple[str, str, str], list[Finding]] = {}
    result: list[Finding] = []
    for (code, path, kind, _, _), finding in best.items():
        place = _shown_as(finding, shown[path])
        if rules[code].once_per_file:
            whole.setdefault((code, path, kind), []).append(place)
        else:
            result.append(place)
    for group in whole.values():
        group.sort(key=lambda finding: (finding.line, finding.column))
        first = group[0]
        more = len(group) - 1
        if more:
            calls = "call" if more == 1 else "calls"
            first = first._replace(message=f"{first.message} ({more} more {calls} in this file)")
        result.append(first)
    return sorted(result, key=lambda finding: finding.sort_key)


def _rank(finding: Finding) -> tuple[int, list[tuple[str, str, int]], str]:
    return (
        len(finding.reach),
        [(step.name, step.path, step.line) for step in finding.reach],
        finding.message,
    )


def _shown_as(finding: Finding, shown: str) -> Finding:
    """A finding with its path, and those of its reach, as the user sees them from where he stands."""
    prefix = shown[: -len(finding.path)] if shown.endswith(finding.path) else ""
    steps = tuple(step._replace(path=prefix + step.path) for step in finding.reach)
    return finding._replace(path=shown, reach=steps)


def _release(text: str | None) -> tuple[int, int] | None:
    """The major and minor number of a torch release."""
    if text is None:
        return None
    numbers = [int(part) for part in text.split(".")[:2] if part.isdigit()]
    return (numbers[0], numbers[1] if len(numbers) > 1 else 0) if numbers else None
