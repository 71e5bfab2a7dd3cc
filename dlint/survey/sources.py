"""What a survey is about: folders, repositories, and versions of them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from dlint.running.git import GitError, environment, git
from dlint.source.reading import SourceError, read_bytes

# A list of a million repositories.
_MOST_BYTES = 200_000_000
_BARE = ("HEAD", "objects", "refs")


class Source(NamedTuple):
    """A folder or a repository, as the user named it: ``name`` is what its rows say, ``path`` absolute,
    ``revision`` a commit, a branch or a tag of it."""

    name: str
    path: str
    revision: str | None = None


class Version(NamedTuple):
    """One state of a source: a commit, and when it was made (seconds since 1970); neither of a folder that is
    read as it lies."""

    source: Source
    commit: str | None = None
    committed: int | None = None


def sources(given: Iterable[str], *, are_here: bool = True) -> list[Source]:
    """What the user named: folders, repositories (``PATH@REVISION`` for one version of it), and files that
    list such, one a line, from their own folder on. Each once. ``are_here``: whether this machine is to have
    them. Raises SourceError."""
    found: dict[tuple[str, str | None], Source] = {}
    for text in given:
        is_list = os.path.isfile(text)  # noqa: PTH113 - pathlib's raises for what no path can be
        for source in _listed(Path(text), are_here) if is_list else [_source(text, Path())]:
            found.setdefault((source.path, source.revision), source)
    return list(found.values())


def _listed(file: Path, are_here: bool) -> list[Source]:
    """The sources that a file lists; lines that begin with ``#`` and empty ones say nothing."""
    try:
        lines = read_bytes(file, _MOST_BYTES).decode("utf-8", "surrogateescape").splitlines()
    except SourceError as error:
        raise SourceError(f"{file}: {error.message}") from error
    named = [line for line in map(str.strip, lines) if line and not line.startswith("#")]
    found = [_source(line, file.parent) for line in named]
    if are_here and not any(os.path.isdir(source.path) for source in found):  # noqa: PTH112
        raise SourceError(f"{file}: lists no folder that there is")
    return found


def _source(text: str, folder: Path) -> Source:
    path = os.path.abspath(folder / text)  # noqa: PTH100 - links keep their names
    if "@" in text and not os.path.exists(path):  # noqa: PTH110
        place, _, revision = text.rpartition("@")
        if place and revision:
            return Source(_name(place), os.path.abspath(folder / place), revision)  # noqa: PTH100
    return Source(_name(text), path)


def _name(text: str) -> str:
    return os.path.normpath(text).replace(os.sep, "/")


def versions(source: Source, history: int | None) -> list[Version]:
    """The versions of a source that are to be read: with ``history`` so many of the branch, from the first to
    the newest in even steps; else the one that is named; else the folder as it lies. Raises GitError."""
    folder = Path(source.path)
    if not folder.is_dir():
        raise GitError("no such folder")
    if source.revision is None and history is None and not _is_bare(folder):
        return [Version(source)]
    variables = environment(folder)
    named = source.revision or "HEAD"
    commit = git(
        *("rev-parse", "--verify", "--quiet", "--end-of-options", f"{named}^{{commit}}"),
        folder=folder,
        variables=variables,
        unknown=f"git knows no commit {named!r}",
    )
    one = ("--max-count=1",) if history is None else ()
    # `git log` would be told by the repository to check signatures, by a program that it names.
    said = git(
        *("rev-list", "--first-parent", "--timestamp", *one, os.fsdecode(commit.strip()), "--"),
        folder=folder,
        variables=variables,
    )
    every = [line.split() for line in said.decode("ascii").splitlines()]
    return [Version(source, commit, int(when)) for when, commit in _spread(every, history or 1)]


def _spread(every: Sequence[list[str]], count: int) -> list[list[str]]:
    """So many of a list, its first and its last among them, in even steps."""
    if count >= len(every):
        return list(every)
    if count == 1:
        return [every[0]]
    return [every[index * (len(every) - 1) // (count - 1)] for index in range(count)]


def _is_bare(folder: Path) -> bool:
    return all((folder / name).exists() for name in _BARE)
