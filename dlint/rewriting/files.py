"""Puts new bytes in the place of a file's old ones: all of them or none."""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from collections.abc import Iterable
from pathlib import Path

from dlint.own_process.ending import whole
from dlint.project.files import project_root
from dlint.project.paths import display_path, lies_in
from dlint.source.reading import SourceError, read_bytes


class CannotWrite(Exception):
    """The file stays as it was; the message says why."""


def obstacle(path: Path, roots: Iterable[str]) -> str | None:
    """Why nothing is written to a file although it could be: its true place, its other names, its kind.

    ``roots`` are the true places of the folders that may be written to (:func:`true_roots`). A tree that
    somebody else made may hold links to any file of the user's: nobody who repairs the tree means those.
    """
    target = os.path.realpath(path)
    if not any(lies_in(target, root) for root in roots):
        what = "is a link to" if os.path.islink(path) else "lies behind a link, at"  # noqa: PTH114
        return f"the file {what} {target}, outside the tree: name that file to have it repaired"
    try:
        others = os.stat(target).st_nlink - 1  # noqa: PTH116
    except OSError:
        return None  # who reads it says why
    if others > 0:
        names = "another name" if others == 1 else f"{others} other names"
        return f"the file has {names} (hard links), which the repair would part from it"
    return None


def true_roots(paths: Iterable[Path]) -> set[str]:
    """Where the projects of these paths truly lie."""
    return {os.path.realpath(project_root(path)) for path in paths}


def replace(path: Path, old: bytes, new: bytes) -> None:
    """Replace the contents ``old`` of ``path`` by ``new`` in one step.

    A link stays a link to the file that is replaced. Mode, owner and extended attributes stay. Raises
    :class:`CannotWrite`, with the old file whole and nothing left beside it, when the file no longer
    holds ``old`` or the file system refuses.
    """
    try:
        target = path.resolve(strict=True)
        _check(target, old)
        _replace(target, new, old)
    except OSError as error:
        raise CannotWrite(error.strerror or str(error)) from error
    except SourceError as error:
        raise CannotWrite(error.message) from error


def create(path: Path, data: bytes) -> None:
    """Make a file that is not there, whole and in one step, with the folders that it needs. Raises
    :class:`CannotWrite`."""
    temporary: Path | None = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with whole() as not_to_outlast:
            handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".dlint", dir=path.parent)
            temporary = Path(name)
            not_to_outlast(temporary)
            with os.fdopen(handle, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            temporary.chmod(0o666 & ~umask())
            if os.path.lexists(path):
                raise CannotWrite("it was made while dlint was at work")
            temporary.replace(path)
    except OSError as error:
        raise CannotWrite(error.strerror or str(error)) from error
    finally:
        if temporary is not None:
            temporary.unlink(missing_ok=True)
    _sync_folder(path.parent)


def umask() -> int:
    """What this process takes from the mode of new files."""
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _check(target: Path, old: bytes) -> None:
    if read_bytes(target) != old:
        raise CannotWrite("it changed on disk while dlint was at work")
    if not os.access(target, os.W_OK) or not target.stat().st_mode & 0o222:  # root may write all the same
        raise CannotWrite("it is read-only")


def _replace(target: Path, new: bytes, old: bytes) -> None:
    before = target.stat()
    with whole() as not_to_outlast:
        try:
            handle, name = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".dlint", dir=target.parent)
        except PermissionError as error:
            where = display_path(target.parent)
            raise CannotWrite(f"permission denied: its folder {where} cannot be written to") from error
        temporary = Path(name)
        not_to_outlast(temporary)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(new)
                file.flush()
                os.fsync(file.fileno())
            shutil.copystat(target, temporary)  # mode, flags, extended attributes; the times are of today:
            os.utime(temporary)
            _keep_owner(temporary, before)
            _check(target, old)
            temporary.replace(target)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
    _sync_folder(target.parent)


def _keep_owner(temporary: Path, before: os.stat_result) -> None:
    now = temporary.stat()
    if not hasattr(os, "chown") or (now.st_uid, now.st_gid) == (before.st_uid, before.st_gid):
        return
    try:
        os.chown(temporary, before.st_uid, before.st_gid)
        temporary.chmod(stat.S_IMODE(before.st_mode))  # a change of owner clears set-id bits
    except PermissionError as error:
        raise CannotWrite("it belongs to another user, and would not any more") from error


def _sync_folder(folder: Path) -> None:
    """Have the new name on disk as well; file systems that cannot do that do not matter here."""
    try:
        handle = os.open(folder, os.O_RDONLY)
    except OSError:
        return
    try:
        os.fsync(handle)
    except OSError:
        pass
    finally:
        os.close(handle)
