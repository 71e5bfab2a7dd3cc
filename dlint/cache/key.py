"""What an answer hangs on, as one key: two runs with the same key find the same."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING

from dlint import __version__
from dlint.knowledge.augmentation.albumentations import LIBRARY
from dlint.knowledge.words.reflection import FINDS_BY_NAME
from dlint.project.configuration import configured
from dlint.project.files import Listing, project_root
from dlint.project.releases import pinned
from dlint.project.releases.further_down import FurtherDown
from dlint.settings.settings import NO_ANSWER
from dlint.source.reading import SourceError, read_bytes

if TYPE_CHECKING:
    from dlint.cache.question import Question

# Of another shape of answers, or of another meaning of keys, nothing is found.
_SHAPE = "2"
_BY_RELEASE = LIBRARY.encode()
_BY_NAME = tuple(word.encode() for word in FINDS_BY_NAME)
_PACKAGE = Path(__file__).parents[1]
# Of dlint itself, what has no part in any answer, and may be large.
_NO_PART = frozenset(("__pycache__", "proofs"))


def key_of(question: Question, listed: Listing) -> str:
    """The key of the answer as all files are now."""
    key = _Key()
    key.add(_SHAPE, __version__, sys.version, sys.platform, *_own_state())
    key.add(os.getcwd(), *map(str, question.paths))  # noqa: PTH109
    choices = question.settings._asdict().items()
    key.add(*(f"{name} {value!r}" for name, value in choices if name not in NO_ANSWER))
    key.add(f"{question.suppress}", *(repr(trouble) for trouble in listed.troubles))
    for root, asked, files in listed.programs:
        key.add(str(root), *map(str, asked))
        by_name = by_release = False
        for path in files:
            content = _content(path)
            by_name = by_name or (isinstance(content, bytes) and any(word in content for word in _BY_NAME))
            by_release = by_release or (isinstance(content, bytes) and _BY_RELEASE in content)
            key.add(str(path), _short(content))
        # Folders further down may declare which torch and Python it is.
        key.add(*map(repr, FurtherDown(root).around(files)))
        if by_name:
            # What is found by a name may be named in the project's configuration.
            key.add(*map(_short, configured.texts(root)))
        if by_release:
            # What is found hangs on the release that the project declares.
            key.add(*map(_short, pinned.texts(root)))
    return key.text


def key_of_tried(found: str, question: Question, listed: Listing, shown: bytes) -> str:
    """The key of what the remedies of some findings (``shown``, as bytes) would change, which were ``found``
    under another key."""
    key = _Key()
    key.add(found, shown, *_of_repairs(question.paths, listed))
    return f"{key.text}.tried"


class _Key:
    def __init__(self) -> None:
        self._made = blake2b(digest_size=20)

    def add(self, *parts: str | bytes) -> None:
        """Some parts that belong together: how many, and each with its length, so that none runs into the
        next."""
        self._made.update(b"%d:" % len(parts))
        for part in parts:
            data = part.encode("utf-8", "surrogatepass") if isinstance(part, str) else part
            self._made.update(b"%d:" % len(data))
            self._made.update(data)

    @property
    def text(self) -> str:
        return self._made.hexdigest()


def _content(path: Path) -> bytes | str:
    """What a file holds, or why it cannot be read."""
    try:
        return read_bytes(path)
    except SourceError as error:
        return error.message


def _short(content: bytes | str) -> bytes | str:
    return blake2b(content, digest_size=20).digest() if isinstance(content, bytes) else content


def _own_state() -> Iterator[str]:
    """Which files dlint itself consists of: in a checkout they change without the version."""
    folders = [str(_PACKAGE)]
    for folder in folders:  # grows meanwhile
        with os.scandir(folder) as listed:
            entries = sorted(listed, key=lambda entry: entry.name)
        for entry in entries:
            if entry.is_dir():
                if entry.name not in _NO_PART:
                    folders.append(entry.path)
            else:
                yield _state(entry.path)


def _state(path: str) -> str:
    now = os.stat(path)  # noqa: PTH116
    return f"{path} {now.st_size} {now.st_mtime_ns}"


def _of_repairs(paths: tuple[Path, ...], listed: Listing) -> Iterator[str]:
    """What else decides whether a remedy can be performed: libcst, and the true places of files, for nothing
    is written through links."""
    from importlib.util import find_spec

    libcst = find_spec("libcst")
    yield _state(libcst.origin) if libcst is not None and libcst.origin else ""
    yield from (os.path.realpath(project_root(path)) for path in paths)
    for path in listed.asked:
        yield os.path.realpath(path)
        try:
            yield str(os.stat(path).st_nlink)  # noqa: PTH116
        except OSError as error:
            yield str(error)
