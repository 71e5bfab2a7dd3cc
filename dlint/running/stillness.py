"""Does anything move? The clocks of processes, over a window."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterable, Sequence

from dlint.running import processes

# Over the window a tree that stands still has used, or waited for, less than these shares of one CPU.
# A hung DataLoader's polling takes a thousandth; a starved program waits nearly all the time.
_RUNNING_SHARE = 0.02
_WAITING_SHARE = 0.05
_READY_SHARE = 0.2


class Stillness:
    """Decides from a sliding window whether the tree stands still, and how long it really could run."""

    def __init__(self, window: float) -> None:
        self._window = window
        self._meter = processes.Meter()
        self._samples: deque[tuple[float, processes.Usage]] = deque()
        self._seen: object = None
        self.fair_seconds = 0.0

    def look(self, pids: Sequence[int], mark: object, threads: Iterable[tuple[int, int]] = ()) -> bool:
        """Take a look at the processes, and at single ``threads`` of others (process and thread number).

        ``mark`` is something else that changes while something moves, as the size of what was written.
        """
        now = time.monotonic()
        usage = self._meter.read(pids, threads)
        if self._samples:
            then, before = self._samples[-1]
            ran, waited = usage.running - before.running, usage.waiting - before.waiting
            # Time in which the program wanted a CPU and did not get one does not count against it.
            self.fair_seconds += (now - then) * (ran / (ran + waited) if waited > 1_000_000 else 1.0)
        if self._seen != (tuple(pids), mark):
            self._seen = (tuple(pids), mark)
            self._samples.clear()
        self._samples.append((now, usage))
        while len(self._samples) > 1 and now - self._samples[1][0] >= self._window:
            self._samples.popleft()
        begin, first = self._samples[0]
        passed = now - begin
        if passed < self._window:
            return False
        nanoseconds = passed * 1e9
        ready = sum(sample.ready for _, sample in self._samples) / len(self._samples)
        return (
            usage.running - first.running < _RUNNING_SHARE * nanoseconds
            and usage.waiting - first.waiting < _WAITING_SHARE * nanoseconds
            and ready < _READY_SHARE
        )
