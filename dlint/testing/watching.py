"""A thread that looks at the workers of a loader, and ends them where they stand still.

Only Linux tells what processes do; elsewhere nothing is seen, and nothing is ended.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import sys
import threading
import time
from collections.abc import Iterable
from pathlib import Path
from types import FrameType

from dlint.running import processes, stacks
from dlint.running.stacks import Frame, Process, Thread
from dlint.running.stillness import Stillness

_INTERVAL = 0.5  # seconds between two looks
# What Python and torch start once for a process, and use again: it ends with the process.
_KEPT = ("multiprocessing.resource_tracker", "multiprocessing.forkserver", "torch_shm_manager")


class Watch:
    """Watches the processes that this one starts while the context lasts.

    They stand still when they, and the thread that has entered the context, have used no processor for
    ``still`` seconds. Then ``stands_still`` is true, ``stacks`` has what all of them were at, and they are
    ended: torch raises in the thread that waits for them. ``dump`` is the file that workers write their
    stacks to; ``notes`` is the folder of their notes, which tell them from other processes.

    What they have started themselves is ended with the context, and where that is left by an exception, all
    that was started in it.
    """

    def __init__(self, still: float, dump: Path, notes: Path) -> None:
        self.stands_still = False
        self.stacks: tuple[Process, ...] = ()
        self._still = still
        self._dump = dump
        self._notes = notes
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name="dlint watches the workers", daemon=True)
        # What workers have started, and when: an orphan is nobody's child that could be asked for.
        self._below: dict[int, str | None] = {}
        self._before: frozenset[int] = frozenset()
        self._watched = threading.get_ident()
        self._task = (0, 0)

    def __enter__(self) -> Watch:
        self._before = frozenset(processes.descendants(os.getpid()))
        self._watched, self._task = threading.get_ident(), (os.getpid(), threading.get_native_id())
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, *rest: object) -> None:
        self._ended.set()
        self._thread.join()
        self._look_below(self._since())
        if kind is not None:
            _kill(self._since())
        _kill(pid for pid, begun in self._below.items() if begun and processes.started(pid) == begun)
        multiprocessing.active_children()  # takes notice of those that have ended

    def _run(self) -> None:
        stillness = Stillness(self._still)
        while not self._ended.wait(_INTERVAL):
            pids = self._since()
            self._look_below(pids)
            # Without workers nobody could be ended. Those that are dead are torch's to notice.
            alive = [pid for pid in pids if processes.is_alive(pid) and _is_worker(pid)]
            if not alive:
                stillness = Stillness(self._still)
                continue
            if stillness.look(alive, None, [self._task]):
                self._end(alive)
                return

    def _end(self, pids: list[int]) -> None:
        mine = self._of_this_process()
        theirs = stacks.collect(os.getpid(), pids, self._dump)
        if self._ended.is_set():
            return  # it went on meanwhile
        self.stacks = (mine, *theirs)
        self.stands_still = True
        _kill(self._since())

    def _since(self) -> list[int]:
        """The processes below this one that were not there before, parents before children."""
        return [pid for pid in processes.descendants(os.getpid()) if pid not in self._before]

    def _look_below(self, pids: list[int]) -> None:
        """See what workers, which take notes, have started."""
        noted = {int(file.stem) for file in self._notes.glob("*.jsonl") if file.stem.isdecimal()}
        above = noted - {os.getpid()} | self._below.keys()
        for pid in pids:
            if pid not in self._below and processes.parent(pid) in above:
                self._below[pid] = processes.started(pid)
                above.add(pid)

    def _of_this_process(self) -> Process:
        """The stacks of this process, but for the thread that asks."""
        names = {thread.ident: thread.name for thread in threading.enumerate()}
        names[self._watched] = "MainThread"
        threads = [
            Thread(names.get(ident, f"Thread {ident}"), tuple(_frames(frame)))
            for ident, frame in sys._current_frames().items()
            if ident != threading.get_ident()
        ]
        threads.sort(key=lambda thread: thread.title != "MainThread")
        pid = os.getpid()
        return Process(pid, "main", processes.command_line(pid), tuple(threads), os.getppid())


def _frames(frame: FrameType | None) -> Iterable[Frame]:
    while frame is not None:
        yield Frame(frame.f_code.co_filename, frame.f_lineno or 0, frame.f_code.co_name)
        frame = frame.f_back


def _is_worker(pid: int) -> bool:
    """Whether it is none of the processes that are used again; a fork server's children bear its command."""
    command = processes.command_line(pid)
    if "multiprocessing.forkserver" in command:
        return "multiprocessing.forkserver" in processes.command_line(processes.parent(pid))
    return not any(each in command for each in _KEPT)


def _kill(pids: Iterable[int]) -> None:
    """End processes, and wait for a moment until they have."""
    # Who ends is asked first: a fork server's children are told by their parent's command line.
    ended = [pid for pid in pids if _is_worker(pid)]
    for pid in ended:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, signal.SIGKILL)
    deadline = time.monotonic() + 3.0
    while any(processes.is_alive(pid) for pid in ended) and time.monotonic() < deadline:
        time.sleep(0.01)
