"""The files of a commit that dlint reads, written to a folder: straight from git's objects.

It is no checkout: no filter, no hook and no configuration of the repository has a say, nothing of the
repository is locked or written to, and what dlint does not read is not written. A tree's names are not to be
trusted: git's own checks do not hold for objects that somebody else has made.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO, NamedTuple

from dlint.finding import Trouble
from dlint.project.files import CONFIGURATIONS, PROGRAMS
from dlint.running.git import GitError, command, environment, git
from dlint.source.reading import MAX_BYTES

_SUFFIXES = (*PROGRAMS, *CONFIGURATIONS, ".txt", ".cfg", ".ini", ".lock")
_BEGINNINGS = ("Pipfile", "Dockerfile", "requirements", "environment")
_NAMES = (".gitignore", ".flake8")
_MARK = ".git"
_LINK = b"120000"
_FILE = b"100"


class _Entry(NamedTuple):
    """A file of a tree."""

    path: bytes
    object: bytes
    is_link: bool


def lay_out(repository: Path, commit: str, folder: Path) -> list[Trouble]:
    """Write what dlint reads of a commit, and an empty ``.git`` that tells where the project begins. What
    cannot be written is a trouble. Raises GitError."""
    listed = git(
        *("ls-tree", "-r", "-z", "--full-tree", commit), folder=repository, variables=environment(repository)
    )
    wanted = [entry for entry in _entries(listed) if is_read(entry.path)]
    (folder / _MARK).mkdir()
    troubles: list[Trouble] = []
    files = [entry for entry in wanted if not entry.is_link]
    sizes = [size for size, _ in _answers(repository, "--batch-check", [entry.object for entry in files])]
    small = [
        entry for entry, size in zip(files, sizes, strict=True) if size is not None and size <= MAX_BYTES
    ]
    contents = (content for _, content in _answers(repository, "--batch", [entry.object for entry in small]))
    for entry, content in zip(small, contents, strict=True):
        troubles += _written(folder, entry.path, content)
    for entry, size in zip(files, sizes, strict=True):
        if size is None:
            troubles.append(
                Trouble(os.fsdecode(entry.path), "cannot be read: the repository lacks its content")
            )
        elif size > MAX_BYTES:
            troubles += _written(folder, entry.path, size)
    links = [entry for entry in wanted if entry.is_link and b"\n" not in entry.path]
    followed = [commit.encode() + b":" + entry.path for entry in links]
    for entry, (_, content) in zip(
        links, _answers(repository, "--batch", followed, "--follow-symlinks"), strict=True
    ):
        troubles += _written(folder, entry.path, content)
    return troubles


def is_read(path: bytes) -> bool:
    """Whether dlint looks into a file of this name."""
    name = os.fsdecode(path.rpartition(b"/")[2])
    return name.endswith(_SUFFIXES) or name.startswith(_BEGINNINGS) or name in _NAMES or name == "pyvenv.cfg"


def _entries(listed: bytes) -> Iterator[_Entry]:
    for line in listed.split(b"\0"):
        head, _, path = line.partition(b"\t")
        fields = head.split()
        if len(fields) == 3 and fields[0].startswith((_FILE, _LINK)) and _is_sound(path):
            yield _Entry(path, fields[2], fields[0] == _LINK)


def _is_sound(path: bytes) -> bool:
    """Whether a name leads to a place in the folder, and none that dlint makes there itself."""
    parts = path.replace(b"\\", b"/").split(b"/")
    return not any(part in (b"", b".", b"..") or part.lower() == _MARK.encode() for part in parts)


def _answers(
    repository: Path, batch: str, asked: list[bytes], *options: str
) -> Iterator[tuple[int | None, bytes | None]]:
    """The sizes of objects and, where they are asked for, their contents, in order; None for what the
    repository lacks, and the content of a link that leads to no file of the tree."""
    if not asked:
        return
    with tempfile.TemporaryFile() as questions:
        questions.write(b"".join(each + b"\n" for each in asked))
        questions.seek(0)
        with subprocess.Popen(
            command("cat-file", batch, *options),
            cwd=repository,
            env=environment(repository),
            stdin=questions,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        ) as process:
            assert process.stdout is not None
            try:
                for _ in asked:
                    yield _answer(process.stdout, with_content=batch == "--batch")
            finally:
                process.kill()


def _answer(answers: IO[bytes], *, with_content: bool) -> tuple[int | None, bytes | None]:
    """The next object: ``<name> <kind> <size>``, and so many bytes."""
    head = answers.readline().rstrip(b"\n")
    if not head:
        raise GitError("git cat-file gave no answer")
    *name, kind, size = head.split(b" ")
    if not size.isdigit():  # missing, ambiguous
        return None, None
    if not with_content:
        return int(size), None
    content = answers.read(int(size))
    answers.read(1)
    # The others are what following a link may come to: dangling, loop, notdir, symlink; a folder.
    return int(size), content if name and kind == b"blob" else None


def _written(folder: Path, path: bytes, content: bytes | int | None) -> list[Trouble]:
    """Write a file: of no more than a size where it is too large to be read, and of a link to nothing, a link
    to nothing; the one who reads says so."""
    name = os.fsdecode(path)
    place = folder / name
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        if content is None:
            place.symlink_to("nothing")
        elif isinstance(content, int):
            with place.open("xb") as file:
                file.truncate(content)
        else:
            with place.open("xb") as file:
                file.write(content)
    except OSError as error:
        return [Trouble(name, f"cannot be written to be read: {(error.strerror or str(error)).lower()}")]
    return []
