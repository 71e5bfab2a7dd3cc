"""What a worker does first: it begins to take notes, and then does what the user's worker_init_fn does."""

from __future__ import annotations

import contextlib
import faulthandler
import os
import signal
from collections.abc import Callable
from typing import Any

from dlint.trial.probe.calls import PHASE, watch_calls
from dlint.trial.probe.fetching import record_fetchers, record_with
from dlint.trial.probe.holds.handles import Handle
from dlint.trial.probe.notes import Notes
from dlint.trial.probe.places import of_error
from dlint.trial.probe.recorder import Recorder


def answer_with_stacks(file: str | None) -> None:
    """Have this process write its stacks to a file when it gets SIGUSR2: whoever watches it asks so."""
    if file is None or not hasattr(faulthandler, "register"):
        return
    with contextlib.suppress(OSError, RuntimeError):
        descriptor = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
        faulthandler.register(signal.SIGUSR2, file=descriptor, all_threads=True)


class Start:
    """The worker_init_fn of a loader that is tried. ``original`` is the user's; it keeps that name for
    pickle's and the user's eyes. ``inherited`` are the files that a forked worker has from its parent,
    ``stacks`` the file that stacks go to."""

    def __init__(
        self,
        original: Callable[[int], object] | None,
        notes: Notes,
        epoch: int,
        inherited: list[Handle],
        stacks: str | None,
    ) -> None:
        self.worker_init_fn = original
        self._notes = notes
        self._epoch = epoch
        self._inherited = inherited
        self._stacks = stacks

    def __call__(self, worker: int) -> None:
        from torch.utils.data import get_worker_info

        answer_with_stacks(self._stacks)
        watch_calls(self._notes)
        record_fetchers()
        info: Any = get_worker_info()
        recorder = Recorder(self._notes, [("dataset", info.dataset)], self._epoch)
        recorder.enter_worker(worker, self._inherited)
        PHASE.name = "worker"
        if self.worker_init_fn is not None:
            try:
                with PHASE.of("worker_init_fn"):
                    self.worker_init_fn(worker)
            except BaseException as error:
                self._notes.add("init raised", worker=worker, **of_error(error))
                raise
        record_with(recorder)
