"""Runs programs under their watchdogs, several at a time, and leaves nothing behind however it ends."""

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
from typing import Any

import dlint
from dlint.proofs import older_torch, opencl_cpu, openmp_opencv
from dlint.proofs.environment import variables
from dlint.proofs.proof import Proof, StartMethod
from dlint.proofs.watchdog import MARK, Job
from dlint.running import processes
from dlint.running.stacks import Process, processes_from_data
from dlint.safe_path import LEAVE_OUT

_HARNESS = Path(__file__).with_name("harness")


@dataclass(frozen=True)
class Run:
    """One program of a proof under one start method. ``program`` is a file, or a folder with main.py."""

    proof: Proof
    program: str
    method: StartMethod

    @property
    def path(self) -> str:
        """The file to run, below the proof's folder."""
        return f"{self.program}/main.py" if (self.proof.folder / self.program).is_dir() else self.program

    @property
    def python(self) -> str:
        """The Python to run it with."""
        return str(older_torch.python()) if self.proof.needs.older_torch else sys.executable

    def environment(self, token: str) -> dict[str, str]:
        """The environment to run it in; ``token`` marks its processes."""
        needs = self.proof.needs
        path = [str(_HARNESS)]
        if needs.openmp_opencv:
            path.append(str(openmp_opencv.module_folder()))
        added = {**self.proof.environment, MARK: token, "DLINT_PROOF_START_METHOD": self.method}
        if needs.opencl_cpu:
            added |= opencl_cpu.variables()
        environment = variables(added)
        # What the user has on the path is for the Python that runs dlint.
        if environment.get("PYTHONPATH") and not needs.older_torch:
            path.append(environment["PYTHONPATH"])
        environment["PYTHONPATH"] = os.pathsep.join(path)
        return environment


@dataclass(frozen=True)
class Result:
    """What the watchdog saw. ``end`` is "exit", "still" (it stood still), "limit" (it went on and on),
    "starved" (the machine gave it next to nothing) or "lost" (the watchdog itself was ended). ``status`` is
    the exit code, negative for a signal; None where the program had to be ended. ``where`` names the
    innermost frame of a program that did not end.
    """

    end: str
    status: int | None = None
    seconds: float = 0.0
    stdout: str = ""
    stderr: str = ""
    stacks: tuple[Process, ...] = field(default=())
    where: str | None = None


@dataclass
class _Watched:
    run: Run
    watchdog: subprocess.Popen[bytes]
    folder: Path
    token: str
    told: bytes = b""


def _will_stand_still(run: Run) -> bool:
    return run.proof.outcome == "hang" and run.program != run.proof.fixed


class Runner:
    """Runs programs; a context manager, so that an interrupt in between ends what is still running."""

    def __init__(self, jobs: int) -> None:
        self._jobs = jobs
        self._token = secrets.token_hex(6)
        self._count = 0
        self._watched: list[_Watched] = []
        self._selector = selectors.DefaultSelector()

    def __enter__(self) -> Runner:
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

    def run(self, runs: Sequence[Run]) -> Iterator[tuple[Run, Result]]:
        """Run the programs and give each result as it comes. Programs to be alone come last."""
        yield from self._run([run for run in runs if not run.proof.alone], self._jobs)
        yield from self._run([run for run in runs if run.proof.alone], 1)

    def _run(self, runs: Sequence[Run], jobs: int) -> Iterator[tuple[Run, Result]]:
        waiting = list(runs)
        while waiting or self._watched:
            while waiting and len(self._watched) < jobs:
                self._start(waiting.pop(self._next(waiting, jobs)))
            for key, _ in self._selector.select(timeout=1.0):
                watched: _Watched = key.data
                piece = os.read(key.fd, 1 << 16)
                watched.told += piece
                if not piece:
                    yield watched.run, self._finish(watched)

    def _next(self, waiting: Sequence[Run], jobs: int) -> int:
        """Which run to start: programs that will stand still cost no CPU and much time, so they begin early
        and keep half of the places, while others work beside them."""
        standing = sum(_will_stand_still(each.run) for each in self._watched)
        wanted = standing < max(1, jobs // 2)
        return next((at for at, run in enumerate(waiting) if _will_stand_still(run) is wanted), 0)

    def _start(self, run: Run) -> None:
        self._count += 1
        token = f"{self._token}-{self._count}"
        folder = Path(tempfile.gettempdir()) / f"dlint-prove-{token}"
        job = Job(
            folder=str(folder),
            programs=str(run.proof.folder),
            program=run.path,
            python=run.python,
            environment=run.environment(token),
            limit=run.proof.limit,
            still=run.proof.still,
        )
        package = str(Path(dlint.__file__).resolve().parents[1])
        watchdog = subprocess.Popen(
            [
                sys.executable,
                "-c",
                f"{LEAVE_OUT}; import dlint.proofs.watchdog as it; sys.exit(it.main())",
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": package},
            start_new_session=True,
        )
        assert watchdog.stdin is not None and watchdog.stdout is not None
        watched = _Watched(run, watchdog, folder, token)
        self._watched.append(watched)
        self._selector.register(watchdog.stdout, selectors.EVENT_READ, watched)
        with contextlib.suppress(BrokenPipeError):
            watchdog.stdin.write(json.dumps(asdict(job)).encode() + b"\n")
            watchdog.stdin.flush()

    def _finish(self, watched: _Watched) -> Result:
        """The result of a watchdog that has closed its output."""
        if self._end(watched):
            return _result(json.loads(watched.told))
        return Result("lost", stderr=f"the watchdog ended with {watched.watchdog.returncode}")

    def _end(self, watched: _Watched) -> bool:
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
