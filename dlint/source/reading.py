"""The one way in which dlint reads: regular files only, bounded, never waiting; and source's decoding.

A tree is not to be trusted: what looks like a file may be a pipe that nobody writes to, a device or a link to
one, or a file without an end. All that dlint reads comes through here.
"""

from __future__ import annotations

import codecs
import os
import re
import stat
import warnings
from pathlib import Path
from typing import BinaryIO

from dlint.finding import Trouble
from dlint.regex import regex

# Nobody writes ten megabytes of Python by hand: such a file is data, and parsing it takes gigabytes.
MAX_BYTES = 10_000_000
# What people write to configure tools has a few kilobytes; a hundred times the largest known is enough.
MAX_CONFIGURATION_BYTES = 1_000_000

# Opening waits for nobody, makes no terminal ours, and is not handed on to other programs.
_FLAGS = os.O_RDONLY
for _name in ("O_NONBLOCK", "O_CLOEXEC", "O_NOCTTY", "O_BINARY"):
    _FLAGS |= getattr(os, _name, 0)
_CHUNK = 1 << 14

_KINDS = (
    (stat.S_ISDIR, "folder"),
    (stat.S_ISFIFO, "pipe"),
    (stat.S_ISSOCK, "socket"),
    (stat.S_ISCHR, "device"),
    (stat.S_ISBLK, "device"),
)

_CODING = regex(rb"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")
_BLANK_OR_COMMENT = regex(rb"^[ \t\f]*(?:#[^\r\n]*)?$")
# Text encodings that nobody writes programs in, and whose decoders take quadratic time.
_NO_SOURCE = ("punycode", "idna")
_UTF8_BOM = b"\xef\xbb\xbf"


class SourceError(Exception):
    """Why a file cannot be read or checked, in one line; ``line`` counts from 1 where it is known."""

    def __init__(self, message: str, line: int | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.line = line

    def trouble(self, shown: str) -> Trouble:
        """The same as data, for the report; ``shown`` is the path as the user sees it."""
        return Trouble(shown, self.message, self.line)


class NotThere(SourceError):
    """There is no file of this name, nor a link; or it is in a folder that nobody may look into."""


def read_bytes(path: Path | str, limit: int = MAX_BYTES) -> bytes:
    """The bytes of a regular file; SourceError when there are none to be had or more than ``limit``."""
    try:
        try:
            mode = os.stat(path).st_mode  # noqa: PTH116
        except PermissionError as error:  # the folder's, not the file's
            raise NotThere(cannot_read(path, error).message) from error
        # What is no file is not even opened: that alone may wake a writer, or wind a tape.
        _refuse_what_is_no_file(mode)
        handle = os.open(path, _FLAGS)
        try:
            now = os.fstat(handle)  # it may have been replaced meanwhile
            _refuse_what_is_no_file(now.st_mode)
            if now.st_size > limit:
                raise SourceError(_too_large(now.st_size, limit))
            return _read(handle, now.st_size, limit)
        finally:
            os.close(handle)
    except OSError as error:
        raise cannot_read(path, error) from error
    except ValueError as error:  # a NUL character in the name
        raise SourceError(f"cannot be read: {error}") from error


def _read(handle: int, size: int, limit: int) -> bytes:
    """All that there is: a file may say that it is empty, or grow while it is read."""
    parts = []
    total = 0
    while part := os.read(handle, min(max(size + 1 - total, _CHUNK), limit + 1 - total)):
        parts.append(part)
        total += len(part)
        if total > limit:
            raise SourceError(_too_large(None, limit))
    return parts[0] if len(parts) == 1 else b"".join(parts)


def read_stream(stream: BinaryIO) -> bytes:
    """What standard input holds; one byte more than the limit stands for all that is too much."""
    return stream.read(MAX_BYTES + 1)


def kind_of(mode: int) -> str | None:
    """What a thing is that is no regular file; None for a file."""
    if stat.S_ISREG(mode):
        return None
    return next((kind for is_that, kind in _KINDS if is_that(mode)), "something else")


def _refuse_what_is_no_file(mode: int) -> None:
    if not stat.S_ISREG(mode):
        raise SourceError(f"is a {kind_of(mode)}, not a file")


def cannot_read(path: Path | str, error: OSError) -> SourceError:
    """What the system's refusal means, for the user."""
    if isinstance(error, FileNotFoundError):
        if os.path.islink(path):  # noqa: PTH114
            return SourceError("cannot be read: the link points to nothing")
        return NotThere("no such file or folder")
    if isinstance(error, NotADirectoryError):
        return NotThere("cannot be read: not a directory")
    return SourceError(f"cannot be read: {(error.strerror or str(error)).lower()}")


def _too_large(size: int | None, limit: int) -> str:
    what = "too large to be checked" if limit == MAX_BYTES else "too large"
    known = "" if size is None else f"{size / 1e6:.1f} MB, "
    return f"{what}: {known}the limit is {limit / 1e6:.0f} MB"


def read_text(path: Path) -> str:
    """The file's text as Python would decode it; SourceError when it cannot be."""
    return decode(read_bytes(path))


def configuration_text(path: Path) -> str:
    """What a configuration file says, and nothing where it cannot be read."""
    try:
        return read_bytes(path, MAX_CONFIGURATION_BYTES).decode("utf-8", "replace")
    except SourceError:
        return ""


def decode(data: bytes) -> str:
    """The text of Python source: byte order mark and PEP 263 coding line count, UTF-8 is the default.

    Line endings stay as they are; a byte order mark is dropped.
    """
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise SourceError("not valid UTF-8: the file looks like UTF-16, which Python does not read", 1)
    if len(data) > MAX_BYTES:
        raise SourceError(_too_large(len(data) if len(data) > MAX_BYTES + 1 else None, MAX_BYTES))
    if b"\0" in data:
        raise SourceError("contains NUL bytes, so it is no Python source", _line_of(data, data.index(b"\0")))
    marked = data.startswith(_UTF8_BOM)
    if marked:
        data = data[len(_UTF8_BOM) :]
    coding, line = _declared_coding(data)
    if coding is None or coding.lower().replace("_", "-") in ("utf-8", "utf8"):
        coding = "utf-8"
    elif marked:
        raise SourceError(f"the coding line says {coding!r}, the byte order mark says UTF-8", line)
    try:
        if codecs.lookup(coding).name in _NO_SOURCE:
            raise LookupError(coding)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what Python says of escapes is no trouble of ours
            return data.decode(coding)
    except UnicodeDecodeError as error:
        name = "UTF-8" if coding == "utf-8" else coding
        byte = data[error.start]
        raise SourceError(f"not valid {name}: byte 0x{byte:02x}", _line_of(data, error.start)) from None
    except (LookupError, UnicodeError, ValueError):
        raise SourceError(f"unknown encoding {coding!r} in the coding line", line) from None


def encoding_of(data: bytes) -> str:
    """The codec that reads and writes these bytes unchanged, for who writes the file back.

    ``utf-8-sig`` where the file starts with a byte order mark. Only for data that ``decode`` accepts.
    """
    if data.startswith(_UTF8_BOM):
        return "utf-8-sig"
    return _declared_coding(data)[0] or "utf-8"


def _declared_coding(data: bytes) -> tuple[str | None, int | None]:
    """The codec that a PEP 263 line in the first two lines names, and that line's number."""
    if b"coding" not in data[:2000]:
        return None, None
    for number, line in enumerate(re.split(rb"\r\n?|\n", data[:2000], maxsplit=2)[:2], start=1):
        declared = _CODING.match(line)
        if declared:
            return declared.group(1).decode("ascii", "replace"), number
        if not _BLANK_OR_COMMENT.match(line):
            break
    return None, None


def _line_of(data: bytes, offset: int) -> int:
    return len(re.findall(rb"\r\n?|\n", data[:offset])) + 1
