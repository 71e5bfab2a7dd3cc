"""Open files that a worker has from its parent: both move one position in them."""

from __future__ import annotations

import contextlib
import os
import stat
from pathlib import Path

from dlint.trial.probe.holds.walk import held, module_globals

# A file: its descriptor, device, inode and name.
Handle = tuple[int, int, int, str]


def open_files() -> list[Handle]:
    """The regular files that this process has open for reading, but for its standard streams: also under
    other numbers, as pytest has the files that it keeps a test's output in."""
    found: list[Handle] = []
    try:
        numbers = [int(name) for name in os.listdir("/proc/self/fd")]  # noqa: PTH208
    except OSError:
        return []
    streams = set()
    for number in (0, 1, 2):
        with contextlib.suppress(OSError):
            told = os.fstat(number)
            streams.add((told.st_dev, told.st_ino))
    for number in sorted(numbers):
        try:
            told = os.fstat(number)
            if (told.st_dev, told.st_ino) in streams:
                continue
            flags = _told(number)["flags"]
            if number > 2 and stat.S_ISREG(told.st_mode) and not int(flags, 8) & (os.O_WRONLY | os.O_APPEND):
                name = os.readlink(f"/proc/self/fd/{number}")  # noqa: PTH115
                found.append((number, told.st_dev, told.st_ino, name))
        except (OSError, KeyError, ValueError):
            continue
    return found


def positions(handles: list[Handle], pid: int | None = None) -> dict[int, int]:
    """Where this process, or another one, stands in the files that are still the same ones in it."""
    found: dict[int, int] = {}
    for number, device, inode, _ in handles:
        try:
            told = os.stat(f"/proc/{pid or 'self'}/fd/{number}")  # noqa: PTH116
            if (told.st_dev, told.st_ino) == (device, inode):
                found[number] = int(_told(number, pid)["pos"])
        except (OSError, KeyError, ValueError):
            continue
    return found


def _told(number: int, pid: int | None = None) -> dict[str, str]:
    text = Path(f"/proc/{pid or 'self'}/fdinfo/{number}").read_text()
    return {key: value.strip() for key, _, value in (line.partition(":") for line in text.splitlines())}


def holders(roots: list[tuple[str, object]], numbers: set[int]) -> dict[int, str]:
    """The paths by which objects, or the user's modules, hold open files."""
    found: dict[int, str] = {}
    for name, root in (*roots, *module_globals()):
        for path, each in held(root, name):
            number = _number(each)
            if number is not None and number in numbers:
                found.setdefault(number, path)
    return found


def _number(found: object) -> int | None:
    import io

    if not isinstance(found, io.IOBase) or type(found).__module__ not in ("_io", "io"):
        return None
    try:
        return found.fileno()
    except (OSError, ValueError):
        return None
