"""Reading one version within limits of time and memory: what a worker of the survey does.

A process of its own reads, for nothing else can be ended whatever it does, and gives back all that it took.
"""

from __future__ import annotations

import contextlib
import json
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

import psutil

from dlint.own_process.safe_path import LEAVE_OUT
from dlint.survey.sources import Version

_PROGRAM = f"{LEAVE_OUT}; from dlint.survey.child import main; main()"
_TICK = 0.05  # seconds between two looks at the memory
_MOST_WORDS = 500  # of what a process has said before it died


class Limits(NamedTuple):
    """What the reading of one version may take: seconds, and bytes of memory."""

    seconds: float
    memory: int


def read_version(version: Version, choices: dict[str, Any], limits: Limits) -> dict[str, Any]:
    """What one version holds, or why nobody knows, as plain data: ``outcome`` is "read", "not read", "out of
    time", "out of memory" or "died", with the ``reason``."""
    with tempfile.TemporaryDirectory(prefix="dlint-survey-") as place:
        source = version.source
        laid_out = Path(place, "tree")
        laid_out.mkdir()
        question = {
            "path": source.path,
            "commit": version.commit,
            "folder": source.path if version.commit is None else str(laid_out),
            "choices": choices,
            "answer": str(Path(place, "answer.json")),
        }
        started = time.monotonic()
        with Path(place, "said").open("w+b") as said:
            ended = _run(question, limits, Path(place), said.fileno())
            said.seek(0)
            words = said.read()[-_MOST_WORDS:].decode("utf-8", "replace").strip()
        answer = Path(place, "answer.json")
        if ended.outcome is None and ended.code == 0 and answer.exists():
            told: dict[str, Any] = json.loads(answer.read_bytes())
            return {**told, "peak_memory": max(told["peak_memory"], ended.memory)}
        return {
            "outcome": ended.outcome or "died",
            "reason": ended.reason(limits, words),
            "seconds": time.monotonic() - started,
            "peak_memory": ended.memory,
        }


class _Ended(NamedTuple):
    """How the process ended: why it was ended, where it was; its exit code; the most memory that was seen."""

    outcome: str | None
    code: int
    memory: int

    def reason(self, limits: Limits, words: str) -> str:
        """Why there is no answer, in one line."""
        if self.outcome == "out of time":
            return f"more than {limits.seconds:g} s"
        if self.outcome == "out of memory":
            return f"more than {limits.memory / 1e6:.0f} MB"
        last = words.rpartition("\n")[2]
        how = f"exit code {self.code}" if self.code >= 0 else _signal_name(-self.code)
        return f"{how}: {last}" if last else how


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _run(question: dict[str, Any], limits: Limits, place: Path, said: int) -> _Ended:
    with subprocess.Popen(
        [sys.executable, "-c", _PROGRAM],
        cwd=place,  # of the survey's own: nothing in it can be imported
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=said,
    ) as process:
        try:
            assert process.stdin is not None
            with contextlib.suppress(BrokenPipeError):  # it has died already, and its exit code tells
                process.stdin.write(json.dumps(question).encode("ascii") + b"\n")
                process.stdin.flush()
            outcome, memory = _watched(process, limits)
        finally:
            # Also where the worker is told to stop. What git it has started ends for want of a reader.
            process.kill()
        return _Ended(outcome, process.wait(), memory)


def _watched(process: subprocess.Popen[bytes], limits: Limits) -> tuple[str | None, int]:
    """Why the process must end, None when it has ended by itself; and the most memory that was seen."""
    deadline = time.monotonic() + limits.seconds
    most = 0
    try:
        seen = psutil.Process(process.pid)
    except psutil.Error:
        return None, most
    while True:
        try:
            process.wait(_TICK)
            return None, most
        except subprocess.TimeoutExpired:
            pass
        try:
            most = max(most, seen.memory_info().rss)
        except psutil.Error:
            continue
        if most > limits.memory:
            return "out of memory", most
        if time.monotonic() > deadline:
            return "out of time", most
