"""What has changed since a commit, line by line: git's objects are read, and compared here."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Mapping
from difflib import SequenceMatcher
from pathlib import Path
from typing import NamedTuple

from dlint.finding import Finding
from dlint.fingerprint import SourceLines
from dlint.project.paths import absolute
from dlint.running.git import GitError, git
from dlint.source.notebooks import is_notebook


class _Lines(NamedTuple):
    """The lines of a file that are new, and those behind which lines are gone."""

    new: frozenset[int]
    gaps: frozenset[int]

    def touch(self, first: int, last: int) -> bool:
        """Whether something has changed from one line to another."""
        return any(first <= line <= last for line in self.new) or any(
            first <= gap < last for gap in self.gaps
        )


class Revision:
    """The state of a repository at the point where the present one left ``base``: a commit, a branch, a tag.

    ``source`` gives the lines of a file as they are now. Raises GitError.
    """

    def __init__(self, base: str, source: SourceLines) -> None:
        self._source = source
        self._top = Path(os.fsdecode(git("rev-parse", "--show-toplevel").removesuffix(b"\n")))
        commit = git(
            "rev-parse",
            "--verify",
            "--quiet",
            "--end-of-options",
            f"{base}^{{commit}}",
            unknown=f"git knows no commit {base!r}",
        )
        self._commit = os.fsdecode(commit.strip())
        # With no common past, or one that a shallow clone does not have, it is the commit itself.
        with contextlib.suppress(GitError):
            self._commit = os.fsdecode(git("merge-base", self._commit, "HEAD").strip())
        self._renamed = self._renames()
        self._lines: dict[str, _Lines | None] = {}

    def touched(self, findings: Iterable[Finding]) -> tuple[Finding, ...]:
        """The findings whose place or reach has changed since."""
        return tuple(finding for finding in findings if self._touches(finding))

    def _touches(self, finding: Finding) -> bool:
        places = [(finding.path, finding.line, finding.end_line)]
        places += [(step.path, step.line, step.line) for step in finding.reach]
        return any(self._has_changed(*place) for place in places)

    def _has_changed(self, path: str, first: int, last: int) -> bool:
        if path not in self._lines:
            self._lines[path] = self._compared(path)
        lines = self._lines[path]
        return lines is None or lines.touch(first, last)

    def _compared(self, path: str) -> _Lines | None:
        """What has changed in a file; None where it was not there."""
        whole = Path(os.path.realpath(absolute(path)))
        if not whole.is_relative_to(self._top):
            return None
        name = whole.relative_to(self._top).as_posix()
        try:
            old = git("cat-file", "blob", f"{self._commit}:{self._renamed.get(name, name)}", folder=self._top)
        except GitError:
            return None
        if is_notebook(path):
            # Its lines are those of the JSON; findings count lines in cells.
            same = old.decode("utf-8", "replace").splitlines() == "\n".join(self._source(path)).splitlines()
            return _Lines(frozenset(), frozenset()) if same else None
        before = [line.removesuffix("\r") for line in old.decode("utf-8", "replace").split("\n")]
        new: set[int] = set()
        gaps: set[int] = set()
        matcher = SequenceMatcher(None, before, list(self._source(path)), autojunk=False)
        for tag, _, _, first, last in matcher.get_opcodes():
            if tag == "delete":
                gaps.add(first)
            elif tag != "equal":
                new.update(range(first + 1, last + 1))
        return _Lines(frozenset(new), frozenset(gaps))

    def _renames(self) -> Mapping[str, str]:
        """The old names of files that were renamed, by the new ones."""
        told = git("diff-tree", "-r", "-z", "-M", "--name-status", "--diff-filter=R", self._commit, "HEAD")
        parts = [os.fsdecode(part) for part in told.split(b"\0")]
        return {new: old for _, old, new in zip(parts[::3], parts[1::3], parts[2::3], strict=False)}
