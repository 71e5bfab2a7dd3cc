"""Runs commands under their watchdogs, several at a time, and leaves nothing behind however it ends."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import selectors
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

from dlint.own_process.safe_path import LEAVE_OUT
from dlint.running import processes
from dlint.running.stacks import Process, processes_from_data
from dlint.running.watchdog import MARK, Job

_PACKAGES = Path(__file__).resolve().parents[2]  # where dlint is imported from


class Task(Protocol):
    """What the runner asks of a thing to run."""

    @property
    def alone(self) -> bool:
        """Whether nothing else may run at the same time."""

    @property
    def will_stand_still(self) -> bool:
        """Whether the program is expected to stand still: it then costs no CPU and much time."""

    def job(self, folder: Path, token: str) -> Job:
        """What the watchdog is told. ``folder`` is for the job, and does not exist yet. The job's environment
        must have ``token`` as :data:`MARK`: by it the processes are found when the watchdog was killed."""


T = TypeVar("T", bound=Task)


@dataclass(frozen=True)
class Result:
    """What the watchdog saw.

    ``end`` is "exit", "still" (it stood still), "limit" (it went on and on), "starved" (the machine gave it
    next to nothing) or "lost" (the watchdog itself was ended, or could not start the command). ``status`` is
    the exit code, negative for a signal; None where the program had to be ended. It ran for ``seconds``.
    ``stdout`` and ``stderr`` are the ends of what it wrote. Of a program that did not end, ``stacks`` has the
    processes, and ``where`` names the innermost frame.
    """

    end: str
    status: int | None = None
    seconds: float = 0.0
    stdout: str = ""
    stderr: str = ""
    stacks: tuple[Process, ...] = field(default=())
    where: str | None = None


@dataclass
class _Watched(Generic[T]):
    task: T
    watchdog: subprocess.Popen[bytes]
    folder: Path
    token: str
    told: bytes = b""


class Runner(Generic[T]):
    """Runs tasks, ``jobs`` at a time; a context manager, so that an interrupt in between ends what is still
    running."""

    def __init__(self, jobs: int) -> None:
        self._jobs = jobs
        self._token = secrets.token_hex(6)
        self._count = 0
        self._watched: list[_Watched[T]] = []
        self._selector = selectors.DefaultSelector()

    def __enter__(self) -> Runner[T]:
        return self

    def __exit__(self, *exception: object) -> None:
        # A second Ctrl-C must not cut the cleaning short.
        previous = None
        with contextlib.suppress(ValueError):  # not in the main thread
            previous = signal.signal(signal.SIGINT, signal.SIG_IGN)
        try:
            for watched in self._watched:
                assert watched.watchdog.stdin is not None
                watched.watchdog.stdin.close()
            for watched in list(self._watched):
                self._end(watched)  # what one may have told just now nobody has read, nor wants
        finally:
            self._selector.close()
            if previous is not None:
                signal.signal(signal.SIGINT, previous)

    def run(self, tasks: Sequence[T]) -> Iterator[tuple[T, Result]]:
        """Run the tasks and give each result as it comes. Tasks to be alone come last.

        Raises what a task's ``job`` raises, and OSError where no watchdog can be started.
        """
        yield from self._run([task for task in tasks if not task.alone], self._jobs)
        yield from self._run([task for task in tasks if task.alone], 1)

    def _run(self, tasks: Sequence[T], jobs: int) -> Iterator[tuple[T, Result]]:
        waiting = list(tasks)
        while waiting or self._watched:
            while waiting and len(self._watched) < jobs:
                self._start(waiting.pop(self._next(waiting, jobs)))
            for key, _ in self._selector.select(timeout=1.0):
                watched: _Watched[T] = key.data
                piece = os.read(key.fd, 1 << 16)
                watched.told += piece
                if not piece:
                    yield watched.task, self._finish(watched)

    def _next(self, waiting: Sequence[T], jobs: int) -> int:
        """Which task to start: programs that will stand still cost no CPU and much time, so they begin early
        and keep half of the places, while others work beside them."""
        standing = sum(each.task.will_stand_still for each in self._watched)
        wanted = standing < max(1, jobs // 2)
        return next((at for at, task in enumerate(waiting) if task.will_stand_still is wanted), 0)

    def _start(self, task: T) -> None:
        self._count += 1
        token = f"{self._token}-{self._count}"
        folder = Path(tempfile.gettempdir()) / f"dlint-run-{token}"
        job = task.job(folder, token)
        watchdog = subprocess.Popen(
            [
                sys.executable,
                "-c",
                f"{LEAVE_OUT}; import dlint.running.watchdog as it; sys.exit(it.main())",
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": str(_PACKAGES)},
            start_new_session=True,
        )
        assert watchdog.stdin is not None and watchdog.stdout is not None
        watched = _Watched(task, watchdog, folder, token)
        self._watched.append(watched)
        self._selector.register(watchdog.stdout, selectors.EVENT_READ, watched)
        with contextlib.suppress(BrokenPipeError):
            watchdog.stdin.write(json.dumps(asdict(job)).encode() + b"\n")
            watchdog.stdin.flush()

    def _finish(self, watched: _Watched[T]) -> Result:
        """The result of a watchdog that has closed its output."""
        if self._end(watched):
            return _result(json.loads(watched.told))
        return Result("lost", stderr=f"the watchdog ended with {watched.watchdog.returncode}")

    def _end(self, watched: _Watched[T]) -> bool:
        """Wait for a watchdog that is done or was told to stop; clean up after one that was killed.

        Whether it came to its end.
        """
        watchdog = watched.watchdog
        assert watchdog.stdin is not None and watchdog.stdout is not None
        with contextlib.suppress(BrokenPipeError):
            watchdog.stdin.close()
        self._selector.unregister(watchdog.stdout)
        watchdog.stdout.close()
        watchdog.wait()
        self._watched.remove(watched)
        if watchdog.returncode == 0:
            return True
        processes.end_marked(MARK, watched.token)
        shutil.rmtree(watched.folder, ignore_errors=True)
        return False


def _result(told: dict[str, Any]) -> Result:
    return Result(**{**told, "stacks": processes_from_data(told["stacks"])})
