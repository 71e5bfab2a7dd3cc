"""Runs the rules over a program and gives findings: the one way in for every door."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from dlint.analysis.analysis import Hit, Progress, Project, analyse
from dlint.analysis.garbage import unsearched
from dlint.finding import LEVELS, Finding, Trouble
from dlint.finding import Report as Report
from dlint.in_cells import InCells, broken_cells
from dlint.knowledge.testing import is_test
from dlint.project.files import Listing, listing
from dlint.project.paths import absolute, display_path, is_folder
from dlint.settings.settings import Settings, enabled
from dlint.source.notebooks import Notebook, is_notebook, read_notebook
from dlint.source.reading import SourceError, decode, read_bytes
from dlint.source.trees.parsing import parse

if TYPE_CHECKING:
    from dlint.analysis.kept import Kept
    from dlint.rules.rule import Together

# A file that mentions one of these is parsed in any case, so that a user hears of one that cannot be.
_LOADING_WORDS = (b"DataLoader", b"WebLoader", b"Dataset", b"__getitem__", b"worker_init", b"data_collator")
# The rule that looks at comments when the others are done.
_COMMENTS = "DL001"
# How a clause of a condition ends that an option of the user's fulfils.
_GIVEN = " is given"
# Up to so many bytes a project is parsed whole, so that a file that does not parse is told of even where
# it cannot hold a finding.
_SMALL_TREE = 300_000


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
    kept: Kept | None = None,
) -> Report:
    """Check files and folders as parts of their project.

    ``texts`` replaces the contents of files (an editor's buffer, standard input). ``jobs`` is the number
    of processes, 0 for as many as the size of the tree asks for. ``progress`` is called with (done,
    total) steps: loaders, or blocks of a large program. ``suppress`` applies ``# noqa`` comments (flake8
    does that itself). ``named`` is what the user gave where ``paths`` are only files of that, for which the
    program must be the same. ``listed`` are the files, where they have been listed already. ``kept`` is
    given the program, to be asked more. Findings are for the given paths only, whatever else is read.
    """
    if kept is not None:
        kept.let_go()
    with unsearched(kept):
        if listed is None:
            exclude, force = settings.left_out, settings.force_exclude
            listed = listing(paths, exclude, force_exclude=force, present=texts or {}, named=named)
        return _check(paths, settings, texts or {}, jobs, progress, suppress, listed, kept)


def _check(
    paths: Sequence[Path],
    settings: Settings,
    texts: Mapping[Path, bytes],
    jobs: int,
    progress: Progress | None,
    suppress: bool,
    listed: Listing,
    kept: Kept | None,
) -> Report:
    troubles = [*listed.troubles, *settings.troubles]
    explicit = {absolute(path) for path in paths if not is_folder(path)}
    wanted = _Wanted(settings)
    findings: list[Finding] = []
    faults = False
    for root, files, program_files in listed.programs:
        places = InCells(root, program_files, texts)
        for alike, some in wanted.groups(files):
            outcome = analyse(Project(root, tuple(program_files), alike, texts), jobs, progress, kept)
            found = _merged(outcome.hits, {str(path): display_path(path) for path in some})
            found = [finding for finding in found if wanted.looked_for(finding)]
            unreadable, unsilenced = _read_files(
                some, texts, explicit, outcome.parsed, found, suppress, wanted
            )
            troubles += [*unreadable, *outcome.failures, *outcome.unread]
            findings += [places.shown(finding) for finding in unsilenced if wanted.shows(finding, root)]
            faults = faults or outcome.faults
    return Report(
        tuple(sorted(findings, key=lambda finding: finding.sort_key)),
        tuple(sorted(set(troubles), key=_place)),
        len(listed.asked) - _failed(listed.asked, troubles),
        faults,
    )


def _place(trouble: Trouble) -> tuple[str, int, int, str]:
    return trouble.path, trouble.cell or 0, trouble.line or 0, trouble.message


class _Wanted:
    """What the user wants to hear of, file by file: projects further down may have settings of their own."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._ran: dict[Path | None, set[str]] = {}

    def groups(self, files: Sequence[Path]) -> Iterator[tuple[Settings, Sequence[Path]]]:
        """The files by what their program is analysed for, with the settings for that: all rules that any of
        them wants. Where nobody further down has settings, these are all files, and the settings."""
        if not self._settings.nested:
            yield self._settings, files
            return
        groups: dict[tuple[object, ...], list[Path]] = {}
        for path in files:
            here = self._settings.at(path)
            alike = (here.target_torch, here.start_method, here.torch, here.python)
            groups.setdefault(alike, []).append(path)
        for some in groups.values():
            here = self._settings.at(some[0])
            yield (
                self._settings._replace(
                    target_torch=here.target_torch,
                    start_method=here.start_method,
                    torch=here.torch,
                    python=here.python,
                    select=tuple(sorted({code for path in some for code in self.ran(path)})),
                    ignore=(),
                    extend_select=(),
                ),
                some,
            )

    def ran(self, path: Path) -> set[str]:
        """The codes of the rules that are to look at a file."""
        here = self._settings.at(path)
        if here.configured_in not in self._ran:
            from dlint.rules import all_rules

            self._ran[here.configured_in] = enabled(all_rules().values(), here)
        return self._ran[here.configured_in]

    def comments(self, path: Path) -> Collection[str]:
        """The rules whose findings comments may silence, where the rule about comments is one of them."""
        if not self._settings.names_rules:
            return ()
        ran = self.ran(path)
        return ran if _COMMENTS in ran else ()

    def shows(self, finding: Finding, root: Path) -> bool:
        """Whether the user wants a finding, by its level, and of its rule in its file."""
        path = absolute(finding.path)
        if LEVELS.index(finding.level) > LEVELS.index(self._settings.at(path).level):
            return False
        return not finding.code.startswith(self._settings.ignored_in(path, root))

    def looked_for(self, finding: Finding) -> bool:
        """Whether the rule of a finding was to look at its file, and not only at others of its program."""
        return not self._settings.nested or finding.code in self.ran(absolute(finding.path))


def _failed(asked: Iterable[Path], troubles: Iterable[Trouble]) -> int:
    """How many of the files could not be checked: the count of those that were must not hold them."""
    paths = {trouble.path for trouble in troubles if trouble.cell is None}
    return sum(display_path(path) in paths for path in asked) if paths else 0


def _read_files(
    files: Sequence[Path],
    texts: Mapping[Path, bytes],
    explicit: set[Path],
    parsed: set[str],
    found: list[Finding],
    suppress: bool,
    wanted: _Wanted,
) -> tuple[list[Trouble], list[Finding]]:
    """Why some files could not be checked, and the findings that no comment silences; with those about
    comments that silence nothing, where somebody wants these."""
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
            told = path in explicit or room - len(data) > 0 or _loads(data)
            if is_notebook(path):
                notebook = _notebook(data, told=path in explicit or _loads(data))
                if notebook is None:
                    continue
                troubles += broken_cells(notebook, shown) if told else []
                data = notebook.text.encode()
            text = decode(data)
            room -= len(data)
            here = by_path.get(shown, [])
            if str(path) not in parsed and told:
                parse(text)
        except SourceError as error:
            troubles.append(error.trouble(shown))
            continue
        if suppress:
            here = _with_comments(text, shown, here, wanted.comments(path))
        kept += here
    return troubles, kept


def _notebook(data: bytes, *, told: bool) -> Notebook | None:
    """The program of a notebook. One that nobody named and that loads nothing is silent where it is none."""
    try:
        return read_notebook(data)
    except SourceError:
        if told:
            raise
        return None


def _with_comments(text: str, path: str, findings: list[Finding], ran: Collection[str]) -> list[Finding]:
    """The findings in a file that no comment silences, and what the comments themselves have."""
    idle: list[Finding] = []
    if ran and "noqa" in text:
        from dlint.rules import all_codes
        from dlint.rules.dl001_unused_noqa import unused

        idle = list(unused(text, path, findings, ran, all_codes()))
    if not findings:
        return idle
    from dlint.source.noqa.noqa import unsuppressed

    return [*unsuppressed(text, findings), *idle]


def _merged(hits: list[Hit], shown: Mapping[str, str]) -> list[Finding]:
    """Findings in the asked files, of which ``shown`` has the names by which the user knows them: each place
    once, in the order of the listing."""
    if not hits:
        return []
    from dlint.rules import all_rules

    rules = all_rules()
    best: dict[tuple[str, str, str, int, int], Finding] = {}
    ways: dict[tuple[str, str, str, int, int], list[Finding]] = {}
    files = _Files()
    for hit in hits:
        finding = hit.finding
        files.join(finding.code, hit.together)
        mark = (finding.code, hit.path, hit.kind, finding.line, finding.column)
        known = best.get(mark)
        if finding.condition is not None:
            ways.setdefault(mark, []).append(finding)
        if known is None or _rank(finding) < _rank(known):
            best[mark] = finding
    whole: dict[tuple[object, ...], list[Finding]] = {}
    for mark, finding in best.items():
        finding = _under_any(finding, ways.get(mark, []))
        group: tuple[object, ...] = mark[:3] if rules[finding.code].once_per_file else mark
        whole.setdefault(group, []).append(finding)
    alike: dict[tuple[object, ...], list[tuple[Finding, str, int]]] = {}
    for group, found in whole.items():
        found.sort(key=lambda finding: (*_severity(finding), finding.line, finding.column))
        first, path = found[0], str(group[1])
        cure = (first.code, files.first(first.code, first.path)) if rules[first.code].together else group
        alike.setdefault((*cure, group[2]), []).append((first, path, len(found) - 1))
    result: list[Finding] = []
    for places in alike.values():
        # What is said of a file is the same whichever files are asked for.
        if any(path in shown for _, path, _ in places):
            result += _together(rules[places[0][0].code].together, places, shown)
    return sorted(result, key=lambda finding: finding.sort_key)


def _under_any(told: Finding, ways: Sequence[Finding]) -> Finding:
    """What is told of a place, under each option that alone leads to it where the rest is the same
    (``if args.train: ... elif args.test: ...``)."""
    if told.condition is None or _GIVEN not in told.condition or len(ways) < 2:
        return told
    clauses = told.condition.split(" and ")
    at: int | None = None
    each: set[str] = set()
    for other in sorted(ways, key=lambda way: way.condition or ""):
        theirs = (other.condition or "").split(" and ")
        if len(theirs) != len(clauses) or _without_condition(other) != _without_condition(told):
            continue
        apart = [i for i, (one, two) in enumerate(zip(clauses, theirs, strict=True)) if one != two]
        if len(apart) != 1 or at not in (None, apart[0]):
            continue
        options = {*clauses[apart[0]].split(" or "), *theirs[apart[0]].split(" or ")}
        if all(option.endswith(_GIVEN) for option in options):
            at, each = apart[0], each | options
    if at is None:
        return told
    any_of = " or ".join(sorted(each))
    clauses[at] = any_of if len(clauses) == 1 else f"either {any_of}"
    condition = " and ".join(clauses)
    message = told.message.replace(f", if {told.condition}", f", if {condition}", 1)
    return told._replace(condition=condition, message=message)


def _without_condition(finding: Finding) -> str:
    return finding.message.replace(f", if {finding.condition}", "", 1)


class _Files:
    """The files whose findings of a rule one cure ends."""

    def __init__(self) -> None:
        self._first: dict[tuple[str, str], str] = {}

    def join(self, code: str, files: Sequence[str]) -> None:
        """One cure ends the findings of a rule in these files."""
        firsts = sorted({self.first(code, file) for file in files})
        for first in firsts:
            self._first[code, first] = firsts[0]

    def first(self, code: str, file: str) -> str:
        """The file that stands for all that hang together with a file."""
        while self._first.get((code, file), file) != file:
            file = self._first[code, file]
        return file


def _together(
    rule: Together | None, places: list[tuple[Finding, str, int]], shown: Mapping[str, str]
) -> Iterator[Finding]:
    """The findings that one cure ends, as the rule tells of them, each with the count of those beside it."""
    if rule is not None:
        places.sort(key=lambda each: (*_severity(each[0]), each[0].sort_key))
    findings: Iterable[Finding] = [
        _shown_as(finding, shown.get(path) or display_path(path)) for finding, path, _ in places
    ]
    if rule is not None:
        findings = rule(tuple(findings))
    for finding, (_, path, more) in zip(findings, places, strict=True):
        if path not in shown:
            continue
        calls = "call" if more == 1 else "calls"
        count = f" ({more} more {calls} in this file)" if more else ""
        yield finding._replace(message=finding.message + count)


def _severity(finding: Finding) -> tuple[int, int]:
    """The level of a finding, the worst first, and how many conditions it hangs on."""
    return LEVELS.index(finding.level), finding.condition.count(" and ") + 1 if finding.condition else 0


def _rank(finding: Finding) -> tuple[int, bool, int, int, list[tuple[str, str, int]], str]:
    """What is told of a place that several ways lead to: what happens as things stand, else under the fewest
    conditions, by the shortest way that does not begin in a test."""
    level, conditions = _severity(finding)
    return (
        level,
        any(is_test(step.path) for step in finding.reach),
        conditions,
        len(finding.reach),
        [(step.name, step.path, step.line) for step in finding.reach],
        finding.message,
    )


def _shown_as(finding: Finding, shown: str) -> Finding:
    """A finding with its path, and those of its reach, as the user sees them from where he stands."""
    prefix = shown[: -len(finding.path)] if shown.endswith(finding.path) else ""
    steps = tuple(step._replace(path=prefix + step.path) for step in finding.reach)
    return finding._replace(path=shown, reach=steps)
