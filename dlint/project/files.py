"""Which files: the program that a path belongs to, what is listed, what is ignored."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Container, Iterable, Sequence
from functools import cache
from itertools import takewhile
from pathlib import Path
from typing import NamedTuple

from dlint.finding import Trouble
from dlint.project.path_patterns.excluding import NOTHING_EXCLUDED, Exclude
from dlint.project.path_patterns.ignoring import Ignore, lines_of
from dlint.project.paths import absolute, display_path, is_folder
from dlint.source.notebooks import SUFFIX
from dlint.source.reading import (
    MAX_CONFIGURATION_BYTES,
    NotThere,
    SourceError,
    cannot_read,
    kind_of,
    read_bytes,
)

PROJECT_MARKERS = (
    ".git",
    "pyproject.toml",
    "setup.py",
    "setup.cfg",
    "requirements.txt",
    "environment.yml",
)
CONFIGURATIONS = (".yaml", ".yml", ".json", ".toml")
_DECLARATION = "pyproject.toml"
PROGRAMS = (".py", SUFFIX)
_PACKAGE_MARKERS = (_DECLARATION, "setup.py", "setup.cfg")
_NEVER_ENTERED = frozenset(
    (
        *(".git", ".hg", ".svn", "__pycache__", ".dlint_cache", ".ipynb_checkpoints"),
        *(".venv", ".tox", ".nox", ".eggs", "node_modules", "site-packages"),
    )
)
# Tells why something could not be listed, and where.
Failed = Callable[[str, str], None]


# Programs --------------------------------------------------------------------------------------------


class Program(NamedTuple):
    """Files that belong together: those that were asked for, and all that there are with them."""

    root: Path
    asked: list[Path]
    files: list[Path]


def project_root(path: Path) -> Path:
    """The folder of the program that a file or folder belongs to.

    The working directory when it holds the path and looks like a project; else the nearest folder upwards
    with ``.git``, with a package's declaration, or with a list of requirements. Where there is none, a
    program is no more than the path itself shows: the folder that holds the outermost package around it, or
    the folder itself.

    The search ends below folders that are nobody's project (see ``is_shared``): a ``requirements.txt`` or a
    repository of settings in the home folder says nothing of what else lies there, and one file must not
    make dlint read a whole disk.
    """
    return _place(path)[0]


def programs(
    asked: Iterable[Path], named: Iterable[Path], exclude: Exclude = NOTHING_EXCLUDED
) -> list[Program]:
    """The files that were asked for by the programs they belong to, each with all its files.

    ``named`` are the paths that the user gave: what lies in a folder that he named is one program, whatever
    lists of requirements lie further down; only a repository in it is one of its own.
    """
    tops = dict(_place(each) for each in map(absolute, named) if is_folder(each))
    places: dict[Path, tuple[Path, bool]] = {}
    found: dict[tuple[Path, bool], list[Path]] = {}
    for path in asked:
        folder = path.parent
        if folder not in places:
            places[folder] = _place(path)
            above = [top for top in tops if top == folder or top in folder.parents]
            if above and not _has_any(places[folder][0], (".git",)):
                top = min(above, key=lambda each: len(each.parts))
                places[folder] = (top, tops[top])
        found.setdefault(places[folder], []).append(path)
    return [
        Program(root, files, sorted({*python_files(root, exclude, whole=whole), *files}))
        for (root, whole), files in found.items()
    ]


def _place(path: Path) -> tuple[Path, bool]:
    """The root of a path's program, and whether all below it belongs to the program.

    If not, only the root's own files and packages do.
    """
    path = absolute(path)
    is_named = is_folder(path)
    folder = path if is_named else path.parent
    upwards = list(takewhile(lambda each: not is_shared(each), (folder, *folder.parents)))
    cwd = Path.cwd()
    if cwd in upwards and _has_any(cwd, PROJECT_MARKERS):
        return cwd, True
    for markers in ((".git",), _PACKAGE_MARKERS, PROJECT_MARKERS):
        marked = next((each for each in upwards if _has_any(each, markers)), None)
        if marked is not None:
            return marked, True
    top = folder
    while _has_any(top, ("__init__.py",)) and not is_shared(top):
        top = top.parent
    return top, top == folder and (is_named or not is_shared(folder))


def is_shared(folder: Path) -> bool:
    """Whether a folder is nobody's project: a disk, the home folder and those above it, ``/tmp``."""
    return folder == folder.parent or str(folder) in _shared(
        *(os.environ.get(name) for name in ("HOME", "USERPROFILE", "TMPDIR"))
    )


@cache
def _shared(*_environment: str | None) -> frozenset[str]:
    home = os.path.expanduser("~")  # noqa: PTH111 - the other one raises where there is none
    homes = [Path(each) for each in {home, os.path.realpath(home)} if os.path.isabs(each)]  # noqa: PTH117
    temporary = ("/tmp", "/var/tmp", os.environ.get("TMPDIR") or "/tmp")
    return frozenset(map(str, (*temporary, *homes, *(above for each in homes for above in each.parents))))


def _has_any(folder: Path, names: Iterable[str]) -> bool:
    return any(os.path.exists(os.path.join(folder, name)) for name in names)  # noqa: PTH110, PTH118


# Listing ---------------------------------------------------------------------------------------------


def python_files(root: Path, exclude: Exclude = NOTHING_EXCLUDED, *, whole: bool = True) -> list[Path]:
    """The .py files and notebooks under ``root``, sorted, less what ignore files and ``exclude`` take out.

    Without ``whole`` only the packages among the folders of ``root`` are entered.
    """
    return _below(root, exclude, whole, PROGRAMS)


def configurations(root: Path) -> list[Path]:
    """The files of a program that may name its classes: YAML, JSON and TOML, sorted."""
    return _below(root, NOTHING_EXCLUDED, _place(root)[1], CONFIGURATIONS)


def declarations_around(paths: Iterable[Path], exclude: Exclude) -> list[Path]:
    """The pyproject.toml files that may tell of some paths: of their programs, and where they lie, sorted."""
    found: list[str] = []
    places: set[tuple[Path, bool]] = set()
    for path in map(absolute, paths):
        root, whole = _place(path)
        places.add((root, whole))
        if is_folder(path) and path != root:  # who names it means it, also where it is excluded
            _walk(path, root, exclude, found, _do_not_tell, True, (_DECLARATION,))
        found += [str(each / _DECLARATION) for each in path.parents if root in each.parents]
    for root, whole in places:
        _walk(root, root, exclude, found, _do_not_tell, whole, (_DECLARATION,))
    return [file for file in map(Path, sorted(set(found))) if file.name == _DECLARATION]


def _do_not_tell(_path: str, _message: str) -> None:
    """Somebody else goes there as well, and tells."""


def _below(root: Path, exclude: Exclude, whole: bool, suffixes: tuple[str, ...]) -> list[Path]:
    found: list[str] = []
    _walk(absolute(root), absolute(root), exclude, found, _do_not_tell, whole, suffixes)
    found.sort()
    return [Path(each) for each in found]


def expand(
    paths: Iterable[Path],
    exclude: Exclude = NOTHING_EXCLUDED,
    *,
    present: Container[Path] = (),
    force_exclude: bool = False,
) -> tuple[list[Path], list[Trouble]]:
    """The files that the user named, as absolute paths, sorted, each once.

    A file named explicitly is always taken, unless ``force_exclude`` says that what is excluded is not. A
    folder gives its .py files and notebooks, less what is ignored; ``exclude`` counts from the project's
    root. What does not exist or cannot be read is a trouble.
    ``present`` are absolute paths of files whose text is at hand, on disk or not.
    """
    found: list[str] = []
    troubles: list[Trouble] = []

    def failed(path: str, message: str) -> None:
        shown = display_path(path)
        troubles.append(Trouble(path if shown == "." else shown, message))

    for path in dict.fromkeys(absolute(each) for each in paths):
        if force_exclude and is_excluded(path, exclude):
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


class Listing(NamedTuple):
    """The files that were asked for, what is wrong with the paths that were given, and the programs."""

    asked: list[Path]
    troubles: list[Trouble]
    programs: list[Program]


def listing(
    paths: Sequence[Path],
    exclude: Exclude = NOTHING_EXCLUDED,
    *,
    force_exclude: bool = False,
    present: Container[Path] = (),
    named: Sequence[Path] | None = None,
) -> Listing:
    """All the files that a run is about; see :func:`expand` and :func:`programs`."""
    asked, troubles = expand(paths, exclude, present=present, force_exclude=force_exclude)
    return Listing(asked, troubles, programs(asked, named or paths, exclude))


def is_excluded(path: Path, exclude: Exclude) -> bool:
    """Whether a walk from the project's root would leave the path out for one of the patterns, or lies in a
    folder that is never entered. Ignore files are not asked: who names an ignored file means it."""
    root = project_root(path)
    folders = [each for each in reversed(path.parents) if each != root and root in each.parents]
    if is_folder(path) and path != root:
        folders.append(path)
    elif exclude.says(str(path), root, is_folder=False):
        return True
    return any(
        folder.name in _NEVER_ENTERED
        or exclude.says(str(folder), root, is_folder=True)
        or _has_any(folder, ("pyvenv.cfg",))
        for folder in folders
    )


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
            f"too many wildcards: those from line {ignore.cut} on do not count",
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


def _walk(
    top: Path,
    root: Path,
    exclude: Exclude,
    found: list[str],
    failed: Failed,
    whole: bool = True,
    suffixes: tuple[str, ...] = PROGRAMS,
) -> None:
    """Add the files under ``top`` with these suffixes to ``found``; links to folders are not followed, so
    nothing loops."""
    excluded = exclude.ignores(top, root)
    nested = {str(each) for each, _ in exclude.nested}
    pending: list[tuple[str, list[Ignore], list[Ignore]]] = [
        (str(top), _ignores_above(top, failed), excluded)
    ]
    while pending:
        folder, ignores, excluded = pending.pop()
        if folder in nested:
            excluded = exclude.ignores(Path(folder), root)
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
                if not whole and folder == str(top) and not _has_any(Path(entry.path), ("__init__.py",)):
                    continue
            elif not entry.name.endswith(suffixes) or not _may_be_file(entry):
                continue
            path = entry.path
            if excluded and any(each.says(path, is_folder=is_folder) for each in excluded):
                continue
            if ignores and _ignored(ignores, path, is_folder=is_folder):
                continue
            if is_folder:
                pending.append((path, ignores, excluded))
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
