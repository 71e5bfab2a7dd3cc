"""The present texts of a program that is being repaired, and remedies performed on them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from dlint.analysis.kept import Kept
from dlint.finding import Finding
from dlint.own_process.fault import described, wants_traceback
from dlint.project.files import Program, expand, programs
from dlint.project.paths import absolute
from dlint.remedies import remedy
from dlint.repair.apart import check_apart
from dlint.repair.lines import UNCHANGED, Lines, place_of
from dlint.repair.optional import OptionalLibraries
from dlint.repair.text import check_text
from dlint.rewriting.cells import with_program
from dlint.rewriting.edits import Edits
from dlint.rewriting.files import obstacle, true_roots
from dlint.rewriting.refusal import CannotRepair
from dlint.rewriting.source import Source
from dlint.rewriting.surroundings import Surroundings
from dlint.settings.settings import Settings
from dlint.source.notebooks import is_notebook, program_of
from dlint.source.reading import SourceError, read_bytes

FAULT = "the remedy failed here"


@dataclass(frozen=True)
class Change:
    """Some files' bytes before and after remedies for ``findings``; ``files`` has, for each of these, the
    files that its remedy edits, its own last."""

    findings: tuple[Finding, ...]
    files: tuple[tuple[Path, ...], ...]
    texts: Mapping[Path, tuple[bytes, bytes]]

    @cached_property
    def lines(self) -> dict[Path, Lines]:
        """Which line of the one is which of the other, of programs where the files are notebooks."""
        return {
            path: Lines(program_of(path, before), program_of(path, after))
            for path, (before, after) in self.texts.items()
        }

    def moved(self, finding: Finding) -> Finding:
        """A finding with the lines where it stands now."""
        _, line, _ = self.lines.get(absolute(finding.path), UNCHANGED).moved(place_of(finding))
        return finding._replace(line=line, end_line=finding.end_line + line - finding.line)

    @property
    def after(self) -> dict[Path, bytes]:
        """The new texts."""
        return {path: after for path, (_, after) in self.texts.items()}


class Workshop:
    """The files that ``paths`` ask for, with the texts that they have now.

    ``texts`` are those of the files that are not what the disk has. ``kept`` may have their program.
    """

    def __init__(
        self,
        paths: Sequence[Path],
        settings: Settings,
        texts: Mapping[Path, bytes],
        kept: Kept | None = None,
    ) -> None:
        self.texts = dict(texts)
        self._kept = kept
        self._roots = true_roots(paths)
        self._kept_out: dict[Path, str | None] = {}
        asked, _ = expand(paths, settings.left_out, present=texts, force_exclude=settings.force_exclude)
        self._asked = frozenset(asked)
        self._programs: dict[Path, Program] = {}
        for each in programs(asked, paths, settings.left_out):
            self._programs.update(dict.fromkeys(each.asked, each))
        self._optional = OptionalLibraries(self._programs)
        self._names: dict[str, list[Path]] = {}
        for path in asked:
            self._names.setdefault(os.path.realpath(path), []).append(path)
        self._sources: dict[Path, Source] = {}
        self._surroundings: dict[Path, Surroundings] = {}

    def obstacle(self, path: Path) -> str | None:
        """Why a file must be left as it is; None where it may be edited."""
        if path not in self._kept_out:
            self._kept_out[path] = obstacle(path, self._roots)
        return self._kept_out[path]

    def take(self, texts: Mapping[Path, bytes]) -> None:
        """Has other texts be the present ones."""
        self.texts = dict(texts)
        self._sources.clear()
        self._surroundings.clear()

    def under_all_names(self, texts: Mapping[Path, bytes]) -> dict[Path, bytes]:
        """The present texts with others in their place, which also stand where a link shows the same file."""
        names = ((os.path.realpath(path), text) for path, text in texts.items())
        return {
            **self.texts,
            **{other: text for name, text in names for other in self._names.get(name, ())},
            **texts,
        }

    def source(self, path: Path) -> Source:
        """A file to be edited. Raises CannotRepair where it cannot be."""
        source = self._sources.get(path)
        if source is None:
            try:
                program = program_of(path, self._bytes(path))
            except SourceError as error:
                raise CannotRepair(error.message) from error
            source = self._sources[path] = Source(path, program, self._around(path))
        return source

    def edits_for(self, finding: Finding) -> Edits:
        """What the remedy of a finding would change. Raises CannotRepair, also for a fault of the remedy: the
        others must not wait for it."""
        assert finding.remedy is not None
        source = self.source(absolute(finding.path))
        edits = Edits(source)
        performer = remedy(finding.remedy.name)
        with _refusing():
            performer.repair(source, finding, edits)
        if not edits:
            raise CannotRepair("the remedy finds nothing to change here")
        hindrance = self._optional.hinders(spread(edits).values())
        if hindrance is not None:
            raise CannotRepair(hindrance)
        return edits

    def change(self, made: Iterable[tuple[Finding, tuple[Path, ...]]], edits: Mapping[Path, Edits]) -> Change:
        """What edits come to, of remedies for some findings in some files. Raises CannotRepair where a text
        would not be one that may be written."""
        findings, files = zip(*made, strict=True)
        edited: dict[Path, tuple[bytes, bytes]] = {}
        for path, each in edits.items():
            if each:
                before = each.source.data
                with _refusing():
                    after = each.source.encode(each.apply())
                if after == before:
                    continue
                check_text(before, after, each.dropped)
                edited[path] = (before, after)
        if not edited:
            raise CannotRepair("the remedy finds nothing to change here")
        check_apart(edited)
        texts = {
            path: (self._bytes(path), with_program(self._bytes(path), after.decode()))
            if is_notebook(path)
            else (before, after)
            for path, (before, after) in edited.items()
        }
        return Change(findings, tuple(tuple(filter(texts.__contains__, each)) for each in files), texts)

    def _bytes(self, path: Path) -> bytes:
        if path in self.texts:
            return self.texts[path]
        try:
            return read_bytes(path)
        except SourceError as error:
            raise CannotRepair(error.message) from error

    def _around(self, path: Path) -> Surroundings:
        program = self._programs.get(path)
        if program is None:
            raise CannotRepair("the file is not among those that were named")
        around = self._surroundings.get(program.root)
        if around is None:
            around = Surroundings(program.root, program.files, self.texts, self._open, self._kept)
            self._surroundings[program.root] = around
        return around

    def _open(self, path: Path) -> Source:
        """Another file than the finding's, for a remedy that must edit it as well."""
        if path not in self._asked:
            raise CannotRepair(f"{path.name} would have to change as well, and is not among the files named")
        why = self.obstacle(path)
        if why is not None:
            raise CannotRepair(f"{path.name} would have to change as well: {why}")
        return self.source(path)


def spread(edits: Edits) -> dict[Path, Edits]:
    """The edits by the file they are made to, the file of the finding last."""
    return {**edits.others, edits.source.path: edits}


def goes_with(edits: Mapping[Path, Edits], others: Mapping[Path, Edits]) -> bool:
    """Whether the changes of the two do not spoil each other in any file."""
    if any(each.are_built_on(other) for each in edits.values() for other in others.values()):
        return False
    return not any(path in others and each.is_at_odds_with(others[path]) for path, each in edits.items())


def unite(edits: dict[Path, Edits], others: Mapping[Path, Edits]) -> None:
    """Adds changes that go with those that are there."""
    for path, each in others.items():
        edits.setdefault(path, Edits(each.source)).merge(each)


@contextmanager
def _refusing() -> Iterator[None]:
    """A fault of a remedy is a reason to refuse it, and none to end for the others."""
    try:
        yield
    except CannotRepair:
        raise
    except Exception as error:
        if wants_traceback():
            raise
        raise CannotRepair(f"{FAULT}: {described(error)}") from error
