"""Known findings: those of an old repository that nobody wants to hear of again, in a file beside the code.

An entry names a finding by its fingerprint, which survives moved lines, and by its file and what is around
it. A finding is known where an entry of its file has its fingerprint; where the file has been renamed (the
old one is gone, or does not have it any more); where its line was edited, and an entry of its rule in the
same file and function is left over, or in one of that name which is gone, as the file is in another folder
now; and for rules that report once a file, where the file has one of them.
"""

from __future__ import annotations

import json
import os
from collections import Counter, defaultdict
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from dlint.finding import Finding
from dlint.fingerprint import SourceLines, fingerprint
from dlint.project.paths import absolute, display_path
from dlint.source.reading import MAX_BYTES, NotThere, SourceError, read_bytes

_VERSION = 1
NAME = "dlint-baseline.json"


class BaselineError(Exception):
    """A file of known findings that cannot be used: one line that names it."""


class Entry(NamedTuple):
    """Findings of a rule that are alike: ``path`` counts from the folder of the file of known findings."""

    path: str
    code: str
    scope: str
    fingerprint: str
    number: int


class Compared(NamedTuple):
    """What is new, how many findings are known, and the entries whose findings are gone, with how many."""

    new: tuple[Finding, ...]
    known: int
    gone: tuple[Entry, ...]


class Baseline(NamedTuple):
    """A file of known findings and what it has."""

    file: Path
    entries: tuple[Entry, ...] = ()

    def compare(
        self,
        findings: Sequence[Finding],
        source: SourceLines,
        asked: Callable[[Path], bool],
        once_per_file: Container[str],
    ) -> Compared:
        """What of ``findings`` is new. ``asked`` tells which files were looked at, ``once_per_file`` are the
        codes of rules that report once a file; ``source`` gives the lines of a file."""
        left = [_Left(entry, entry.number) for entry in self.entries]

        def lost(entry: Entry) -> bool:
            path = absolute(self.file.parent / entry.path)
            return asked(path) or not path.exists()

        def same_place(finding: Finding, mark: str) -> Iterator[_Left]:
            yield from by_place[self._path(finding), finding.code, mark]

        def renamed(finding: Finding, mark: str) -> Iterator[_Left]:
            yield from (each for each in by_mark[finding.code, mark] if lost(each.entry))

        def edited(finding: Finding, mark: str) -> Iterator[_Left]:
            for each in by_file[self._path(finding), finding.code]:
                if each.entry.scope == finding.scope or finding.code in once_per_file:
                    yield from [each] if lost(each.entry) else []

        def renamed_and_edited(finding: Finding, mark: str) -> Iterator[_Left]:
            for each in by_name[finding.path.rpartition("/")[2], finding.code]:
                gone = not absolute(self.file.parent / each.entry.path).exists()
                if gone and (each.entry.scope == finding.scope or finding.code in once_per_file):
                    yield each

        by_place: dict[tuple[str, str, str], list[_Left]] = defaultdict(list)
        by_mark: dict[tuple[str, str], list[_Left]] = defaultdict(list)
        by_file: dict[tuple[str, str], list[_Left]] = defaultdict(list)
        by_name: dict[tuple[str, str], list[_Left]] = defaultdict(list)
        for each in left:
            by_name[each.entry.path.rpartition("/")[2], each.entry.code].append(each)
            by_place[each.entry.path, each.entry.code, each.entry.fingerprint].append(each)
            by_mark[each.entry.code, each.entry.fingerprint].append(each)
            by_file[each.entry.path, each.entry.code].append(each)
        unknown = [(finding, fingerprint(finding, source)) for finding in findings]
        for alike in (same_place, renamed, edited, renamed_and_edited):
            unknown = [(finding, mark) for finding, mark in unknown if not _taken(alike(finding, mark))]
        gone = [each.entry._replace(number=each.count) for each in left if each.count and lost(each.entry)]
        return Compared(tuple(finding for finding, _ in unknown), len(findings) - len(unknown), tuple(gone))

    def updated(
        self, findings: Iterable[Finding], source: SourceLines, asked: Callable[[Path], bool]
    ) -> Baseline:
        """The same with the findings of today for the files that were looked at."""
        kept: Counter[tuple[str, str, str, str]] = Counter()
        for entry in self.entries:
            path = absolute(self.file.parent / entry.path)
            if not asked(path) and path.exists():
                kept[entry[:4]] += entry.number
        for finding in findings:
            mark = fingerprint(finding, source)
            kept[self._path(finding), finding.code, finding.scope, mark] += 1
        return self._replace(entries=tuple(Entry(*key, count) for key, count in sorted(kept.items())))

    def text(self) -> str:
        """What the file holds: JSON with an entry a line, so that merges go well."""
        lines = ",\n".join(json.dumps(entry._asdict(), ensure_ascii=False) for entry in self.entries)
        return f'{{"version": {_VERSION}, "findings": [\n{lines}\n]}}\n'

    @property
    def number(self) -> int:
        """How many findings it knows."""
        return sum(entry.number for entry in self.entries)

    def _path(self, finding: Finding) -> str:
        return Path(os.path.relpath(absolute(finding.path), self.file.parent)).as_posix()


def read(file: Path) -> Baseline:
    """The known findings that a file has. Raises BaselineError."""
    where = display_path(file)
    try:
        data = json.loads(read_bytes(file, MAX_BYTES))
        if not isinstance(data, dict) or data.get("version") != _VERSION:
            raise ValueError
        return Baseline(absolute(file), tuple(map(_entry, data["findings"])))
    except NotThere as error:
        raise BaselineError(f"{where}: {error.message}; `dlint baseline` writes it") from error
    except SourceError as error:
        raise BaselineError(f"{where}: {error.message}") from error
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise BaselineError(f"{where}: not a file that `dlint baseline` has written") from error


def under(paths: Iterable[Path]) -> Callable[[Path], bool]:
    """Whether a file is one of some paths or lies below one."""
    asked = [absolute(path) for path in paths]
    return lambda path: any(path == each or path.is_relative_to(each) for each in asked)


def _entry(data: Any) -> Entry:
    path, code, scope, mark = (_text(data[name]) for name in ("path", "code", "scope", "fingerprint"))
    number = data["number"]
    if type(number) is not int or number < 1:
        raise ValueError
    return Entry(path, code, scope, mark, number)


def _text(value: Any) -> str:
    if not isinstance(value, str) or "\0" in value:
        raise ValueError
    return value


@dataclass
class _Left:
    """An entry, and how many findings of it have not been seen."""

    entry: Entry
    count: int


def _taken(alike: Iterator[_Left]) -> bool:
    """Whether one of the entries has findings left; then it has one less."""
    for each in alike:
        if each.count:
            each.count -= 1
            return True
    return False
