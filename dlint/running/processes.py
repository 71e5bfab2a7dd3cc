"""A process tree as /proc shows it (Linux): who belongs to whom, and who uses a processor."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
_TICK_NS = 1_000_000_000 // os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 10_000_000


def become_subreaper() -> None:
    """Have every orphan below this process come back to it, also from other sessions."""
    ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def die_with_parent() -> None:
    """Have the kernel kill this process when its parent dies; for a child between fork and exec."""
    ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def system_text(path: str) -> str:
    """What a file of the system says, nothing where it cannot be read: the process may be gone."""
    try:
        return Path(path).read_text(errors="replace")
    except OSError:
        return ""


def _stat(pid: int, task: int | None = None) -> list[str] | None:
    """The fields of a stat file from the state on (the name before it may hold anything)."""
    path = f"/proc/{pid}/stat" if task is None else f"/proc/{pid}/task/{task}/stat"
    text = system_text(path)
    return text.rpartition(")")[2].split() if text else None


def _numbers(folder: str) -> list[int]:
    """The numbered entries of a folder of /proc, none when the process is gone."""
    try:
        return [int(entry) for entry in os.listdir(folder) if entry.isdigit()]  # noqa: PTH208
    except OSError:
        return []


def descendants(root: int) -> list[int]:
    """The processes below ``root``, parents before children, zombies too."""
    children: dict[int, list[int]] = {}
    for pid in _numbers("/proc"):
        if fields := _stat(pid):
            children.setdefault(int(fields[1]), []).append(pid)
    found: list[int] = []
    waiting = sorted(children.get(root, []))
    while waiting:
        pid = waiting.pop(0)
        found.append(pid)
        waiting.extend(sorted(children.get(pid, [])))
    return found


def parent(pid: int) -> int:
    """The parent of a process, 0 when it is gone."""
    fields = _stat(pid)
    return int(fields[1]) if fields else 0


def state(pid: int) -> str | None:
    """The state of a process as /proc has it (``S``, ``R``, ``D``, ``T``, ``Z``), None when it is gone."""
    fields = _stat(pid)
    return fields[0] if fields else None


def started(pid: int) -> str | None:
    """When a process began, as /proc has it, None when it is gone: with its number that is one process."""
    fields = _stat(pid)
    return fields[19] if fields else None


def command_line(pid: int) -> str:
    """The command line of a process, empty when it is gone or a zombie."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace").strip()
    except OSError:
        return ""


def is_alive(pid: int) -> bool:
    """Whether the process exists and is no zombie."""
    fields = _stat(pid)
    return fields is not None and fields[0] not in "ZX"


def catches(pid: int, number: signal.Signals) -> bool:
    """Whether the process has a handler for a signal, so that sending it does not end it."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False
    for line in status.splitlines():
        if line.startswith("SigCgt:"):
            return bool(int(line.split()[1], 16) >> (number - 1) & 1)
    return False


def marked(variable: str, value: str) -> list[int]:
    """The processes that were started with ``variable=value`` in their environment."""
    mark = f"{variable}={value}".encode()
    found = []
    for pid in _numbers("/proc"):
        try:
            block = Path(f"/proc/{pid}/environ").read_bytes()
        except OSError:
            continue
        if pid != os.getpid() and mark in block.split(b"\0"):
            found.append(pid)
    return found


@dataclass(frozen=True)
class Usage:
    """What a tree has used since it began, in nanoseconds: on a CPU, and waiting for one.

    ``ready`` says whether some thread is running, wants to run or waits for a disk at this moment.
    """

    running: int = 0
    waiting: int = 0
    ready: bool = False


class Meter:
    """Adds up the time of a changing set of threads; what a thread used before it ended stays counted."""

    def __init__(self) -> None:
        self._threads: dict[tuple[int, int], tuple[int, int]] = {}
        self._running = 0
        self._waiting = 0

    def read(self, pids: Iterable[int], threads: Iterable[tuple[int, int]] = ()) -> Usage:
        """Read the clocks of all threads of the processes, and of single threads of others."""
        ready = False
        all_of = ((pid, task) for pid in pids for task in _numbers(f"/proc/{pid}/task"))
        for pid, task in (*all_of, *threads):
            fields = _stat(pid, task)
            if fields is None:
                continue
            ready = ready or fields[0] in "RD"
            now = self._clock(pid, task, fields)
            before = self._threads.get((pid, task), (0, 0))
            self._running += max(0, now[0] - before[0])
            self._waiting += max(0, now[1] - before[1])
            self._threads[pid, task] = now
        return Usage(self._running, self._waiting, ready)

    @staticmethod
    def _clock(pid: int, task: int, fields: list[str]) -> tuple[int, int]:
        try:
            running, waiting = Path(f"/proc/{pid}/task/{task}/schedstat").read_text().split()[:2]
        except (OSError, ValueError):
            # A kernel without schedstat: coarser, and starving shows in the thread's state only.
            return (int(fields[11]) + int(fields[12])) * _TICK_NS, 0
        return int(running), int(waiting)


def end_tree(root: int, statuses: dict[int, int]) -> None:
    """Kill and reap everything below ``root``, which is this process; adds exit statuses to ``statuses``."""

    def left() -> list[int]:
        reap(statuses)
        return descendants(root)

    _end(left)


def end_marked(variable: str, value: str) -> None:
    """Kill the processes that carry a mark in their environment (others reap them)."""
    _end(lambda: marked(variable, value))


def _end(left: Callable[[], list[int]]) -> None:
    # multiprocessing's resource tracker gets time to end by itself once the others are gone: it is the one
    # that removes their named semaphores. On a busy machine it may only be starting.
    patience = time.monotonic() + 20.0
    deadline = time.monotonic() + 40.0
    while (pids := left()) and time.monotonic() < deadline:
        for pid in pids:
            if time.monotonic() > patience or "multiprocessing.resource_tracker" not in command_line(pid):
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, signal.SIGKILL)
        time.sleep(0.02)


def reap(statuses: dict[int, int]) -> None:
    """Collect the children that have ended, without waiting."""
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if pid == 0:
            return
        statuses[pid] = os.waitstatus_to_exitcode(status)
