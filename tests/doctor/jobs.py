"""Training programs that run beside a test, and are ended with it."""

from __future__ import annotations

import contextlib
import secrets
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

from dlint.running import processes
from dlint.running.watchdog import MARK

# Seconds: how long nothing may move until a program counts as hung, and how long one may take to get there.
_STILL, _PATIENCE = 4.0, 300.0


@contextlib.contextmanager
def running(
    program: Path, environment: Mapping[str, str] | None = None, python: str = sys.executable
) -> Iterator[subprocess.Popen[bytes]]:
    """A program in its folder; at the end nothing of it is left."""
    token = secrets.token_hex(8)
    given = {**(environment or {}), MARK: token}
    log = program.with_suffix(".log")
    with log.open("wb") as output:
        job = subprocess.Popen(
            [python, program.name],
            cwd=program.parent,
            env=given,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        yield job
    finally:
        job.kill()
        processes.end_marked(MARK, token)
        job.wait()


def wait_until_still(job: subprocess.Popen[bytes]) -> None:
    """Until the job has begun and nothing of it has moved, or waited for a processor or a disk, for some seconds."""
    begin = since = time.monotonic()
    meter = processes.Meter()
    before: tuple[int, tuple[int, ...]] = (0, ())
    while time.monotonic() - begin < _PATIENCE:
        assert job.poll() is None, "the program has ended"
        pids = (job.pid, *processes.descendants(job.pid))
        usage = meter.read(pids)
        if usage.ready or usage.running - before[0] > 2e7 or pids != before[1]:
            since = time.monotonic()
        before = (usage.running, pids)
        # Well below what importing torch takes on any processor: a program without workers may need little else.
        has_begun = len(pids) > 1 or usage.running > 200_000_000
        if has_begun and time.monotonic() - since > _STILL:
            return
        time.sleep(0.5)
    raise AssertionError("the program never stood still")


def wait_until_workers(job: subprocess.Popen[bytes]) -> None:
    """Until the job has two workers that have begun."""
    begin = time.monotonic()
    while len(processes.descendants(job.pid)) < 2:
        assert job.poll() is None, "the program has ended"
        assert time.monotonic() - begin < _PATIENCE
        time.sleep(0.2)
    time.sleep(3)
