"""Which files: how paths are shown, the program that a path belongs to, what is listed, what is ignored."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Container, Iterable, Sequence
from pathlib import Path

from dlint.finding import Trouble
from dlint.ignoring import MAX_WILD, Ignore, lines_in, lines_of
from dlint.reading import MAX_CONFIGURATION_BYTES, NotThere, SourceError, cannot_read, kind_of, read_bytes

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
# Tells why something could not be listed, and where.
Failed = Callable[[str, str], None]


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

    def failed(path: str, message: str) -> None:
        troubles.append(Trouble(display_path(path), message))

    for path in dict.fromkeys(absolute(each) for each in paths):
        if path.suffix == ".ipynb":
            failed(str(path), "a notebook, which dlint does not check yet")
            continue
        if path in present:
            found.append(str(path))
            continue
        try:
            mode = os.stat(path).st_mode  # noqa: PTH116
        except (OSError, ValueError) as error:
            refused = error if isinstance(error, OSError) else OSError(str(error))
            failed(str(path), cannot_read(path, refused).message)
            continue
        if stat.S_ISDIR(mode):
            _walk(path, project_root(path), exclude, found, failed)
        elif stat.S_ISREG(mode):
            found.append(str(path))
        else:
            hint = ": use `-` to check standard input" if stat.S_ISFIFO(mode) else ""
            failed(str(path), f"is a {kind_of(mode)}, not a file{hint}")
    return [Path(each) for each in sorted(set(found))], sorted(troubles, key=lambda trouble: trouble.path)


def _ignored(ignores: list[Ignore], path: str, *, is_folder: bool) -> bool:
    for ignore in reversed(ignores):  # the nearest ignore file decides
        said = ignore.says(path, is_folder=is_folder)
        if said is not None:
            return said
    return False


def _ignore_file(folder: str, failed: Failed, name: str = ".gitignore") -> list[Ignore]:
    """The ignore file of a folder where there is one; what cannot be honoured is told to ``failed``."""
    path = os.path.join(folder, name)  # noqa: PTH118
    try:
        ignore = Ignore(folder, lines_of(read_bytes(path, MAX_CONFIGURATION_BYTES)))
    except NotThere:
        return []
    except SourceError as error:
        failed(path, f"{error.message}; what it ignores is not left out")
        return []
    if ignore.cut is not None:
        failed(
            path,
            f"more than {MAX_WILD:,} patterns with wildcards: not taken from line {ignore.cut} on",
        )
    return [ignore]


def _ignores_above(folder: Path, failed: Failed) -> list[Ignore]:
    """The ignore files of the repository's folders above ``folder``, the outermost first."""
    repository = next((each for each in (folder, *folder.parents) if _has_any(each, (".git",))), None)
    if repository is None:
        return []
    exclude = os.path.join(".git", "info", "exclude")  # noqa: PTH118
    ignores = _ignore_file(str(repository), failed, exclude)
    between = [each for each in folder.parents if each == repository or repository in each.parents]
    for each in reversed(between):
        ignores += _ignore_file(str(each), failed)
    # Who names an ignored folder means it: what is above it says nothing about what is in it.
    return [] if folder != repository and _ignored(ignores, str(folder), is_folder=True) else ignores


def _walk(top: Path, root: Path, exclude: Sequence[str], found: list[str], failed: Failed) -> None:
    """Add the .py files under ``top`` to ``found``; links to folders are not followed, so nothing loops."""
    excluded = Ignore(str(root), lines_in(exclude)) if exclude else None
    pending: list[tuple[str, list[Ignore]]] = [(str(top), _ignores_above(top, failed))]
    while pending:
        folder, ignores = pending.pop()
        try:
            with os.scandir(folder) as listing:
                entries = list(listing)
        except OSError as error:
            failed(folder, cannot_read(folder, error).message)
            continue
        names = {entry.name for entry in entries}
        if "pyvenv.cfg" in names and folder != str(top):
            continue
        if ".gitignore" in names:
            ignores = [*ignores, *_ignore_file(folder, failed)]
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
