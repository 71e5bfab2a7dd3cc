"""The folder that answers are kept in: where it is, and what may be written there.

It lies in a tree that nobody trusts. So only files of its own names are written or taken away, in a folder
that dlint has made or that was empty, and through no link that leads out of the project. What cannot be
written is not kept.
"""

from __future__ import annotations

import os
import stat
import time
from contextlib import suppress
from pathlib import Path

from dlint.own_process.ending import whole
from dlint.project.files import is_shared
from dlint.regex import regex
from dlint.settings.settings import Settings, SettingsError
from dlint.source.reading import SourceError, read_bytes

NAME = ".dlint_cache"

_SIGNATURE = b"Signature: 8a477f597d28d172789f06886806bc55"  # https://bford.info/cachedir
_TAG = _SIGNATURE + b"\n# What dlint has found. It may be deleted at any time.\n"
_TAG_FILE = "CACHEDIR.TAG"
_HEAD = b"dlint "  # then the digest of what follows the line
_ANSWER = regex(r"[0-9a-f]{40}((\.tried)?\.json|\.[0-9a-f]{16}\.tmp)")
_LARGEST = 4_000_000
# So many answers are kept, and so many bytes of them; the oldest go first.
_MOST = 64
_MOST_BYTES = 32_000_000
_HALF_WRITTEN = 3600.0  # seconds after which nobody is still at it


def folder_for(settings: Settings, *, wanted: bool = True) -> Folder | None:
    """The folder for a run: the user's choice, else beside the project's configuration or in the working
    directory. None where nothing is to be kept. Raises SettingsError for a choice that cannot be meant."""
    if not wanted or os.environ.get("DLINT_NO_CACHE", "").lower() not in ("", "0", "false", "no", "off"):
        return None
    if settings.cache_dir is not None:
        folder = Folder(Path(settings.cache_dir), chosen=True)
        if folder.is_of_others():
            where = dict(settings.places).get("cache_dir", "cache-dir")
            raise SettingsError(f"{where}: {settings.cache_dir} holds other things; name a folder of its own")
        return folder
    home = settings.configured_in or Path.cwd()
    return None if is_shared(home) else Folder(home / NAME)


class Folder:
    """Answers by their keys; ``chosen``: whether the user has named the folder, who may mean a link."""

    def __init__(self, path: Path, *, chosen: bool = False) -> None:
        self._path = path
        self._chosen = chosen

    def is_of_others(self) -> bool:
        """Whether there is something of the name that dlint has not made: a file, a link, a folder in use."""
        try:
            mode = (os.stat if self._chosen else os.lstat)(self._path).st_mode
            if not stat.S_ISDIR(mode):
                return True
            return not self._is_marked() and not all(map(_is_our_name, os.listdir(self._path)))  # noqa: PTH208
        except OSError:
            return False  # nothing there, or nothing to be seen: then nothing is written either

    def read(self, key: str) -> bytes | None:
        """The answer, None where there is none that was written whole."""
        if self.is_of_others():
            return None
        try:
            head, _, body = read_bytes(self._path / f"{key}.json", _LARGEST).partition(b"\n")
        except SourceError:
            return None
        return body if head == _HEAD + _digest(body) else None

    def write(self, key: str, body: bytes) -> None:
        """Keep an answer, if that can be done; others that read or write at the same time see all or none."""
        data = _HEAD + _digest(body) + b"\n" + body
        if len(data) > _LARGEST or self.is_of_others():
            return
        with suppress(OSError):
            if not self._is_marked():
                self._make()
            self._put(f"{key}.json", data)
            self._prune()

    def _is_marked(self) -> bool:
        try:
            return read_bytes(self._path / _TAG_FILE, 2 * len(_TAG)) == _TAG
        except SourceError:
            return False

    def _make(self) -> None:
        """The folder with its marks; the tag comes last, and whole."""
        self._path.mkdir(parents=True, exist_ok=True)
        with suppress(FileExistsError):
            _write_new(self._path / ".gitignore", b"# Made by dlint.\n*\n")
        self._put(_TAG_FILE, _TAG)

    def _put(self, name: str, data: bytes) -> None:
        """A file in one step, in the place of one that may be there."""
        with whole() as not_to_outlast:
            temporary = self._path / f"{_digest(name.encode()).decode()}.{os.urandom(8).hex()}.tmp"
            not_to_outlast(temporary)
            try:
                _write_new(temporary, data)
                temporary.replace(self._path / name)
            except OSError:
                temporary.unlink(missing_ok=True)
                raise

    def _prune(self) -> None:
        """Takes away what is too much or was left half-written, and nothing that has another name."""
        kept = size = 0
        now = time.time()
        with os.scandir(self._path) as entries:
            ours = [(entry.stat(follow_symlinks=False), entry) for entry in entries if _is_ours(entry)]
        for state, entry in sorted(ours, key=lambda each: (-each[0].st_mtime_ns, each[1].name)):
            if entry.name.endswith(".tmp"):
                wanted = now - state.st_mtime < _HALF_WRITTEN
            else:
                kept, size = kept + 1, size + state.st_size
                wanted = kept <= _MOST and size <= _MOST_BYTES
            if not wanted:
                with suppress(FileNotFoundError):
                    os.unlink(entry.path)  # noqa: PTH108


def _is_our_name(name: str) -> bool:
    return name in (_TAG_FILE, ".gitignore") or _ANSWER.fullmatch(name) is not None


def _is_ours(entry: os.DirEntry[str]) -> bool:
    return _ANSWER.fullmatch(entry.name) is not None and not entry.is_dir(follow_symlinks=False)


def _digest(data: bytes) -> bytes:
    from hashlib import blake2b

    return blake2b(data, digest_size=20).hexdigest().encode("ascii")


def _write_new(path: Path, data: bytes) -> None:
    """Write a file that is not there yet, whatever link has its name."""
    with path.open("xb") as file:
        file.write(data)
