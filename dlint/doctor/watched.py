"""A command run under watch: where nothing of it moves for a while, somebody is told."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable, Sequence
from types import FrameType

from dlint.running import processes

# The command stood still and was ended; the command could not be started, as a shell says it.
ENDED = 3
NOT_FOUND, NOT_EXECUTABLE = 127, 126
_INTERVAL = 1.0  # seconds between two looks
# What all processes together use of one processor while they stand still: polling takes a thousandth each.
_STILL_SHARE = 0.03


def run(command: Sequence[str], *, stall: float, kill: bool, stood_still: Callable[[int], None]) -> int:
    """Run a command with this process's streams, folder and environment, and give its exit code (128 and its
    number for a signal, as a shell does).

    ``stood_still`` is called with its process number when nothing has moved for ``stall`` seconds, and again
    only when something has moved since. With ``kill`` the command and all below it are ended then, and the
    code is :data:`ENDED`. SIGTERM and SIGHUP go on to the command; SIGINT reaches it from the terminal.
    """
    processes.become_subreaper()
    try:
        child = subprocess.Popen(list(command))
    except FileNotFoundError:
        return NOT_FOUND
    except OSError:
        return NOT_EXECUTABLE

    def pass_on(number: int, _frame: FrameType | None) -> None:
        child.send_signal(number)

    before = {number: signal.signal(number, pass_on) for number in (signal.SIGTERM, signal.SIGHUP)}
    before[signal.SIGINT] = signal.signal(signal.SIGINT, lambda _number, _frame: None)
    statuses: dict[int, int] = {}
    try:
        ended = _watch(child, stall, kill, stood_still)
        if ended:
            child.returncode = -signal.SIGKILL
            processes.end_tree(os.getpid(), statuses)
            return ENDED
        code = child.returncode
        return 128 - code if code < 0 else code
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _watch(
    child: subprocess.Popen[bytes], stall: float, kill: bool, stood_still: Callable[[int], None]
) -> bool:
    """Until the command ends (False), or has stood still and is to be ended (True)."""
    stillness = Stillness(stall)
    told = False
    while True:
        try:
            child.wait(_INTERVAL)
        except subprocess.TimeoutExpired:
            pass
        else:
            return False
        pids = [pid for pid in processes.descendants(os.getpid()) if processes.is_alive(pid)]
        if not stillness.look(pids, time.monotonic()):
            told = told and not stillness.moved
            continue
        if not told:
            told = True
            stood_still(child.pid)
            if kill:
                return True


class Stillness:
    """Whether a changing set of processes has used no processor for so many seconds."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._meter = processes.Meter()
        self._since: tuple[float, int, frozenset[int]] | None = None
        self.moved = False

    def look(self, pids: Sequence[int], now: float) -> bool:
        """Take a look at the processes, at a time in seconds."""
        usage = self._meter.read(pids)
        mine = frozenset(pids)
        if self._since is None:
            self._since = (now, usage.running, mine)
        begin, running, then = self._since
        passed = now - begin
        allowed = _STILL_SHARE * max(passed, _INTERVAL) * 1e9
        self.moved = usage.running - running > allowed or mine != then
        if self.moved:
            self._since = (now, usage.running, mine)
            return False
        return passed >= self._seconds
