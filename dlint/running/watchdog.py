"""Runs one program, watches it from outside, and leaves nothing of it behind.

A process of its own, started by :mod:`dlint.running.runner`, reads a job (one line of JSON) from standard
input and writes the result (JSON) to standard output. Standard input is also its lifeline: when it closes,
because the runner has ended in whatever way, the watchdog ends the program and removes its folder before it
goes.
"""

from __future__ import annotations

import json
import os
import select
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from dlint.running import processes, stacks
from dlint.running.stillness import Stillness

# Environment variables: what the processes of one program are known by, and the file to which those that have
# faulthandler write their stacks on SIGUSR2.
MARK = "DLINT_RUN_TOKEN"
STACKS = "DLINT_RUN_STACKS"
PROGRAMS = "programs"  # where below the job's folder the copied programs are

_INTERVAL = 0.5  # seconds between two looks at the tree, unless a child ends
_OUTPUT_LIMIT = 200_000  # bytes of each stream that the result carries (the end of it)


@dataclass(frozen=True)
class Job:
    """What the watchdog is told.

    ``folder`` does not exist yet: the watchdog makes it, for the program's output and its temporary files
    (``TMPDIR``), copies what is in the folder ``programs`` to ``PROGRAMS`` below it where that is given, and
    removes it. ``command`` is run with ``environment`` in ``cwd``, which is absolute or a path below
    ``folder``. ``limit`` and ``still`` are seconds: how long the program may run, and how long it may stand
    still. ``unread`` is a folder that the watchdog makes, and that the runner reads and removes: where the
    runner is gone, the watchdog removes it.
    """

    folder: str
    command: Sequence[str]
    cwd: str
    environment: Mapping[str, str]
    limit: float
    still: float
    programs: str | None = None
    unread: str | None = None


class _Abandoned(Exception):
    """The runner is gone or wants this program ended."""


# A program that gets so small a share of the processors that it needs this many times its limit says nothing.
PATIENCE = 10


class _Bell:
    """Waits for the next look: for some time, or until a child ends; raises when the lifeline closes."""

    def __init__(self) -> None:
        self._reading, writing = os.pipe()
        os.set_blocking(self._reading, False)
        os.set_blocking(writing, False)
        signal.signal(signal.SIGCHLD, lambda number, frame: None)
        signal.set_wakeup_fd(writing, warn_on_full_buffer=False)

    def wait(self, seconds: float) -> None:
        readable, _, _ = select.select([0, self._reading], [], [], seconds)
        if self._reading in readable:
            os.read(self._reading, 4096)
        if 0 in readable and not os.read(0, 4096):
            raise _Abandoned


def _read_job() -> Job:
    line = b""
    while not line.endswith(b"\n"):
        piece = os.read(0, 65536)
        if not piece:
            raise _Abandoned
        line += piece
    return Job(**json.loads(line))


def watch(job: Job, statuses: dict[int, int]) -> dict[str, Any]:
    """Run the program to its end, its standing still or its limit.

    Raises OSError where the folder cannot be made or the command cannot be started.
    """
    folder = Path(job.folder)
    folder.mkdir(mode=0o700)
    scratch = folder / "tmp"
    scratch.mkdir()
    if job.unread is not None:
        Path(job.unread).mkdir(mode=0o700)
    if job.programs is not None:
        shutil.copytree(job.programs, folder / PROGRAMS, ignore=shutil.ignore_patterns("__pycache__"))
    # As the program's own frames name it.
    cwd = (folder / job.cwd).resolve()
    dump = folder / "stacks"
    bell = _Bell()
    environment = {**job.environment, STACKS: str(dump), "TMPDIR": str(scratch)}
    out, err = folder / "stdout", folder / "stderr"
    with out.open("wb") as stdout, err.open("wb") as stderr:
        program = subprocess.Popen(
            job.command,
            cwd=cwd,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=stdout,
            stderr=stderr,
            start_new_session=True,
            preexec_fn=processes.die_with_parent,
        )
    main = program.pid
    begin = time.monotonic()
    stillness = Stillness(job.still)
    end = "exit"
    while True:
        bell.wait(_INTERVAL)
        processes.reap(statuses)
        if main in statuses:
            break
        pids = processes.descendants(os.getpid())
        if stillness.look(pids, out.stat().st_size + err.stat().st_size):
            end = "still"
            break
        if stillness.fair_seconds > job.limit:
            end = "limit"
            break
        if time.monotonic() - begin > PATIENCE * job.limit:
            end = "starved"
            break
    seconds = time.monotonic() - begin
    tree: list[stacks.Process] = []
    if end != "exit":
        tree = stacks.collect(main, processes.descendants(os.getpid()), dump)
    program.returncode = statuses.get(main, -signal.SIGKILL)
    return {
        "end": end,
        "status": statuses.get(main),
        "seconds": seconds,
        "stdout": _tail(out),
        "stderr": _tail(err),
        "stacks": [asdict(process) for process in tree],
        "where": stacks.innermost(tree, str(cwd)),
    }


def _tail(path: Path) -> str:
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - _OUTPUT_LIMIT))
        return file.read().decode(errors="replace")


def main() -> int:
    """The process's life; 0 when a result was written."""

    def stop(number: int, frame: object) -> None:
        raise _Abandoned

    # The terminal's Ctrl-C is for the runner, which closes the lifeline.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, stop)
    try:
        job = _read_job()
    except _Abandoned:
        return 1
    statuses: dict[int, int] = {}
    processes.become_subreaper()
    try:
        result: dict[str, Any] | None = watch(job, statuses)
    except _Abandoned:
        result = None
    except OSError as error:  # a full disk, a folder that has gone, a command that is none
        result = {"end": "lost", "stderr": str(error), "stacks": []}
    finally:
        for number in (signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
        processes.end_tree(os.getpid(), statuses)
        shutil.rmtree(job.folder, ignore_errors=True)
    if result is None:
        if job.unread is not None:
            shutil.rmtree(job.unread, ignore_errors=True)
        return 1
    json.dump(result, sys.stdout)
    return 0


if __name__ == "__main__":
    sys.exit(main())
