"""Which files, and their text: the project's root, ignore files, decoding, limits."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from dlint.finding import Trouble

if TYPE_CHECKING:
    from pathspec.pattern import Pattern

# Nobody writes ten megabytes of Python by hand: such a file is data, and parsing it takes gigabytes.
MAX_BYTES = 10_000_000

PROJECT_MARKERS = (
    ".git",
    "pyproject.toml",
    "setup.py",
    "setup.cfg",
    "requirements.txt",
    "environment.yml",
)
_PACKAGE_MARKERS = ("pyproject.toml", "setup.py", "setup.cfg")
_NEVER_ENTERED = frozenset(
    (".git", ".hg", ".svn", "__pycache__", ".venv", ".tox", ".nox", ".eggs", "node_modules", "site-packages")
)
_CODING = re.compile(rb"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")
_BLANK_OR_COMMENT = re.compile(rb"^[ \t\f]*(?:#[^\r\n]*)?$")
_UTF8_BOM = b"\xef\xbb\xbf"


class SourceError(Exception):
    """Why a file cannot be checked, in one line for the user; ``line`` counts from 1 where it is known."""

    def __init__(self, message: str, line: int | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.line = line

    def trouble(self, path: Path) -> Trouble:
        """The same as data, for the report."""
        return Trouble(display_path(path), self.message, self.line)


# Paths -----------------------------------------------------------------------------------------------


def absolute(path: Path | str) -> Path:
    """The absolute path without ``..``; links are kept, so that users see the names they know."""
    return Path(os.path.abspath(path))  # noqa: PTH100


def is_folder(path: Path) -> bool:
    """Whether there is a folder; no where nobody can tell, which `Path.is_dir` raises for."""
    return os.path.isdir(path)  # noqa: PTH112


def display_path(path: Path | str) -> str:
    """The path as reports show it: relative to the working directory, with forward slashes."""
    text, here = str(path), os.path.join(os.getcwd(), "")  # noqa: PTH109, PTH118
    try:
        # Most paths are absolute and below the working directory: cutting them is far cheaper.
        shown = os.path.normpath(text[len(here) :]) if text.startswith(here) else os.path.relpath(text)
    except ValueError:  # another drive on Windows
        shown = text
    return shown.replace(os.sep, "/")


def project_root(path: Path) -> Path:
    """The folder of the program that a file or folder belongs to.

    The working directory when it holds the path and looks like a project; else the nearest folder
    upwards with ``.git``; else the working directory when it holds the path; else the nearest folder
    with a package's declaration; else the folder itself.
    """
    path = absolute(path)
    folder = path if is_folder(path) else path.parent
    cwd = Path.cwd()
    inside = folder == cwd or cwd in folder.parents
    if inside and _has_any(cwd, PROJECT_MARKERS):
        return cwd
    upwards = (folder, *folder.parents)
    repository = next((each for each in upwards if _has_any(each, (".git",))), None)
    if repository is not None:
        return repository
    if inside:
        return cwd
    return next((each for each in upwards if _has_any(each, _PACKAGE_MARKERS)), folder)


def _has_any(folder: Path, names: Iterable[str]) -> bool:
    return any(os.path.exists(os.path.join(folder, name)) for name in names)  # noqa: PTH110, PTH118


# Listing ---------------------------------------------------------------------------------------------


def python_files(root: Path, exclude: Sequence[str] = ()) -> list[Path]:
    """The .py files under ``root`` that no ignore file and no pattern of ``exclude`` takes out, sorted."""
    found: list[str] = []
    _walk(absolute(root), absolute(root), exclude, found, lambda _path, _error: None)
    found.sort()
    return [Path(each) for each in found]


def expand(
    paths: Iterable[Path], exclude: Sequence[str] = (), *, present: Container[Path] = ()
) -> tuple[list[Path], list[Trouble]]:
    """The files that the user named, as absolute paths, sorted, each once.

    A file named explicitly is always taken. A folder gives its .py files, less what is ignored;
    ``exclude`` counts from the project's root. What does not exist or cannot be read is a trouble.
    ``present`` are absolute paths of files whose text is at hand, on disk or not.
    """
    found: list[str] = []
    troubles: list[Trouble] = []

    def failed(path: str, error: OSError) -> None:
        troubles.append(Trouble(display_path(path), _os_error_message(error, path)))

    for each in paths:
        path = absolute(each)
        if path in present:
            found.append(str(path))
            continue
        try:
            mode = os.stat(path).st_mode  # noqa: PTH116
        except (OSError, ValueError) as error:
            failed(str(path), error if isinstance(error, OSError) else OSError(str(error)))
            continue
        if stat.S_ISDIR(mode):
            _walk(path, project_root(path), exclude, found, failed)
        else:
            found.append(str(path))
    return [Path(each) for each in sorted(set(found))], sorted(troubles, key=lambda trouble: trouble.path)


class _Ignore:
    """The patterns of one ignore file, seen from its folder."""

    def __init__(self, folder: str, lines: Iterable[str]) -> None:
        self._start = len(folder.rstrip(os.sep)) + 1
        self._patterns: list[tuple[Callable[[str], re.Match[str] | None], bool]] = []
        sources: list[str] = []
        for pattern in _patterns(lines):
            regex = getattr(pattern, "regex", None)
            if regex is not None and pattern.include is not None:
                self._patterns.append((regex.match, pattern.include))
                sources.append(re.sub(r"\(\?P<\w+>", "(?:", regex.pattern))
        # One regular expression that says "no pattern matches" at once: that is the answer for most files.
        self._any = re.compile("|".join(f"(?:{source})" for source in sources)) if sources else None

    def says(self, path: str, *, is_folder: bool) -> bool | None:
        """True: ignored; False: taken back by a ``!`` pattern; None: not mentioned."""
        relative = path[self._start :]
        if os.sep != "/":
            relative = relative.replace(os.sep, "/")
        if is_folder:
            relative += "/"
        if self._any is None or not self._any.match(relative):
            return None
        said = None
        for matched, include in self._patterns:
            match = matched(relative)
            if match is not None and _means_itself(match, relative):
                said = include
        return said


def _patterns(lines: Iterable[str]) -> Iterator[Pattern]:
    """The patterns of the lines; a line that is none matches nothing, as in git."""
    from pathspec import GitIgnoreSpec

    for line in lines:
        try:
            yield from GitIgnoreSpec.from_lines([line]).patterns
        except ValueError:
            continue


def _means_itself(match: re.Match[str], relative: str) -> bool:
    """Whether the pattern names the path and not a folder it is in: folders have been asked before."""
    marked = match.groupdict().get("ps_d")  # pathspec's name for the slash behind a folder's name
    return marked is None or match.end("ps_d") == len(relative)


def _ignored(ignores: list[_Ignore], path: str, *, is_folder: bool) -> bool:
    for ignore in reversed(ignores):  # the nearest ignore file decides
        said = ignore.says(path, is_folder=is_folder)
        if said is not None:
            return said
    return False


def _ignore_file(folder: str, name: str = ".gitignore") -> list[_Ignore]:
    try:
        with open(os.path.join(folder, name), encoding="utf-8", errors="replace") as file:  # noqa: PTH118, PTH123
            return [_Ignore(folder, file.read().splitlines())]
    except (OSError, ValueError):
        return []


def _ignores_above(folder: Path) -> list[_Ignore]:
    """The ignore files of the repository's folders above ``folder``, the outermost first."""
    repository = next((each for each in (folder, *folder.parents) if _has_any(each, (".git",))), None)
    if repository is None:
        return []
    ignores = _ignore_file(str(repository), os.path.join(".git", "info", "exclude"))  # noqa: PTH118
    between = [each for each in folder.parents if each == repository or repository in each.parents]
    for each in reversed(between):
        ignores += _ignore_file(str(each))
    # Who names an ignored folder means it: what is above it says nothing about what is in it.
    return [] if folder != repository and _ignored(ignores, str(folder), is_folder=True) else ignores


def _walk(
    top: Path,
    root: Path,
    exclude: Sequence[str],
    found: list[str],
    failed: Callable[[str, OSError], None],
) -> None:
    """Add the .py files under ``top`` to ``found``; links to folders are not followed, so nothing loops."""
    excluded = _Ignore(str(root), exclude) if exclude else None
    pending: list[tuple[str, list[_Ignore]]] = [(str(top), _ignores_above(top))]
    while pending:
        folder, ignores = pending.pop()
        try:
            with os.scandir(folder) as listing:
                entries = list(listing)
        except OSError as error:
            failed(folder, error)
            continue
        names = {entry.name for entry in entries}
        if "pyvenv.cfg" in names and folder != str(top):
            continue
        if ".gitignore" in names:
            ignores = [*ignores, *_ignore_file(folder)]
        for entry in entries:
            is_folder = entry.is_dir(follow_symlinks=False)
            if is_folder:
                if entry.name in _NEVER_ENTERED:
                    continue
            elif not entry.name.endswith(".py") or not _may_be_file(entry):
                continue
            path = entry.path
            if excluded is not None and excluded.says(path, is_folder=is_folder):
                continue
            if ignores and _ignored(ignores, path, is_folder=is_folder):
                continue
            if is_folder:
                pending.append((path, ignores))
            else:
                found.append(path)


def _may_be_file(entry: os.DirEntry[str]) -> bool:
    """Whether reading the entry makes sense; a broken link does, because its reader can say so."""
    if entry.is_file(follow_symlinks=False):
        return True
    if not entry.is_symlink():
        return False  # a socket, a pipe
    try:
        return stat.S_ISREG(entry.stat().st_mode)
    except OSError:
        return True


# Reading ---------------------------------------------------------------------------------------------


def read_bytes(path: Path) -> bytes:
    """The file's bytes; SourceError when there are none to be had or far too many."""
    try:
        with open(path, "rb") as file:  # noqa: PTH123
            data = file.read(MAX_BYTES + 1)
            if len(data) > MAX_BYTES:
                size = os.fstat(file.fileno()).st_size
                raise SourceError(
                    f"too large to be checked: {size / 1e6:.1f} MB, the limit is {MAX_BYTES / 1e6:.0f} MB"
                )
    except OSError as error:
        raise SourceError(_os_error_message(error, path)) from error
    return data


def read_text(path: Path) -> str:
    """The file's text as Python would decode it; SourceError when it cannot be."""
    return decode(read_bytes(path))


def decode(data: bytes) -> str:
    """The text of Python source: byte order mark and PEP 263 coding line count, UTF-8 is the default.

    Line endings stay as they are; a byte order mark is dropped.
    """
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise SourceError("not valid UTF-8: the file looks like UTF-16, which Python does not read", 1)
    if len(data) > MAX_BYTES:
        raise SourceError(
            f"too large to be checked: {len(data) / 1e6:.1f} MB, the limit is {MAX_BYTES / 1e6:.0f} MB"
        )
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


def _os_error_message(error: OSError, path: Path | str) -> str:
    if isinstance(error, FileNotFoundError):
        if os.path.islink(path):  # noqa: PTH114
            return "cannot be read: the link points to nothing"
        return "no such file or folder"
    if isinstance(error, IsADirectoryError):
        return "is a folder, not a file"
    return f"cannot be read: {(error.strerror or str(error)).lower()}"
