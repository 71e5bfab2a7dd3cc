"""Runs the rules over a program and gives findings: the one way in for every door."""

from __future__ import annotations

import gc
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from dlint.analysis import Hit, Progress, Project, analyse
from dlint.finding import LEVELS, Finding, Trouble
from dlint.finding import Report as Report
from dlint.project.files import Listing, absolute, display_path, is_folder, listing
from dlint.settings import Settings, enabled
from dlint.source.parsing import parse
from dlint.source.reading import SourceError, decode, read_bytes

# A file that mentions one of these is parsed in any case, so that a user hears of one that cannot be.
_LOADING_WORDS = (b"DataLoader", b"Dataset", b"__getitem__", b"worker_init")
# Up to so many bytes a project is parsed whole, so that a file that does not parse is told of even where
# it cannot hold a finding.
_SMALL_TREE = 300_000


class _State:
    """What this process has done."""

    checked = False


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
    named: Sequence[Path] | None = None,
    listed: Listing | None = None,
) -> Report:
    """Check files and folders as parts of their project.

    ``texts`` replaces the contents of files (an editor's buffer, standard input). ``jobs`` is the number
    of processes, 0 for as many as the size of the tree asks for. ``progress`` is called with (done,
    total) steps: loaders, or blocks of a large program. ``suppress`` applies ``# noqa`` comments (flake8
    does that itself). ``named`` is what the user gave where ``paths`` are only files of that, for which the
    program must be the same. ``listed`` are the files, where they have been listed already. Findings
    are for the given paths only, whatever else is read.
    """
    if _State.checked:
        # What the check before has left is old by now, and Python would not look for it.
        gc.collect()
    _State.checked = True
    # Trees and values live as long as the program does: looking for garbage among them finds none and
    # costs as much as the analysis.
    collecting = gc.isenabled()
    gc.disable()
    try:
        if listed is None:
            exclude, force = settings.exclude, settings.force_exclude
            listed = listing(paths, exclude, force_exclude=force, present=texts or {}, named=named)
        return _check(paths, settings, texts or {}, jobs, progress, suppress, listed)
    finally:
        if collecting:
            # What is young is looked through at once: the whole program. Old, it waits for its turn.
            gc.freeze()
            gc.unfreeze()
            gc.enable()


def _check(
    paths: Sequence[Path],
    settings: Settings,
    texts: Mapping[Path, bytes],
    jobs: int,
    progress: Progress | None,
    suppress: bool,
    listed: Listing,
) -> Report:
    troubles = [*listed.troubles, *settings.troubles]
    explicit = {absolute(path) for path in paths if not is_folder(path)}
    if settings.names_rules:
        from dlint.rules import all_rules

        enabled(all_rules().values(), settings)
    findings: list[Finding] = []
    faults = False
    for root, files, program_files in listed.programs:
        outcome = analyse(Project(root, tuple(program_files), settings, texts), jobs, progress)
        found = _merged(outcome.hits, {str(path): display_path(path) for path in files})
        unreadable, kept = _read_files(files, texts, explicit, outcome.parsed, found, suppress)
        troubles += [*unreadable, *outcome.failures]
        shown = LEVELS[: LEVELS.index(settings.level) + 1]
        findings += [finding for finding in kept if finding.level in shown]
        faults = faults or outcome.faults
    return Report(
        tuple(sorted(findings, key=lambda finding: finding.sort_key)),
        tuple(sorted(set(troubles), key=lambda trouble: (trouble.path, trouble.line or 0))),
        len(listed.asked) - _failed(listed.asked, troubles),
        faults,
    )


def _failed(asked: Iterable[Path], troubles: Iterable[Trouble]) -> int:
    """How many of the files could not be checked: the count of those that were must not hold them."""
    paths = {trouble.path for trouble in troubles}
    return sum(display_path(path) in paths for path in asked) if paths else 0


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
            troubles.append(error.trouble(shown))
            continue
        if here and suppress:
            from dlint.source.noqa import unsuppressed

            here = list(unsuppressed(text, here))
        kept += here
    return troubles, kept


def _merged(hits: list[Hit], shown: Mapping[str, str]) -> list[Finding]:
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
        group.sort(key=lambda finding: (LEVELS.index(finding.level), finding.line, finding.column))
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
