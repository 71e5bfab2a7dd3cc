"""The stacks of a tree that stands still: asked from faulthandler in every Python process, and from
py-spy where it is installed and allowed, which also sees the C frames."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dlint.running import processes

_FRAME = re.compile(r'^  File "(?P<file>.*)", line (?P<line>\d+) in (?P<function>.*)$')
_THREAD = re.compile(r"^(?P<title>(?:Current thread|Thread) 0x[0-9a-f]+.*?) \(most recent call first\):$")


@dataclass(frozen=True)
class Frame:
    """One call of a stack. ``line`` is 0 for a C frame of unknown line."""

    file: str
    line: int
    function: str

    def __str__(self) -> str:
        place = f"{_short(self.file)}:{self.line}" if self.line else _short(self.file)
        return f"{self.function} ({place})" if place else self.function


@dataclass(frozen=True)
class Thread:
    """A thread's frames, innermost first."""

    title: str
    frames: tuple[Frame, ...]


@dataclass(frozen=True)
class Process:
    """A process of the tree; ``role`` is "main", "worker" or what else it is. ``parent`` is the parent's pid
    when the stacks were taken, 0 where it is not known."""

    pid: int
    role: str
    command: str
    threads: tuple[Thread, ...] = field(default=())
    parent: int = 0


def _short(file: str) -> str:
    parts = Path(file).parts
    for home in ("site-packages", "dist-packages", "programs"):
        if home in parts:
            return "/".join(parts[len(parts) - parts[::-1].index(home) :])
    return "/".join(parts[-2:]) if len(parts) > 2 else file


def collect(main: int, pids: Sequence[int], dump: Path) -> list[Process]:
    """The stacks of the processes, ``main`` being the program itself.

    ``dump`` is the file that faulthandler in these processes writes to. Where it does not exist none of them
    has it, and they are sent no signal.
    """
    found = []
    for pid in pids:
        if not processes.is_alive(pid):
            continue
        command, parent = processes.command_line(pid), processes.parent(pid)
        role = _role(pid, main, command)
        threads = _from_faulthandler(pid, dump)
        if role in ("main", "worker"):
            threads = _from_py_spy(pid) or threads
        found.append(Process(pid, role, command, tuple(threads), parent))
    return found


def _role(pid: int, main: int, command: str) -> str:
    if pid == main:
        return "main"
    for helper in ("resource_tracker", "forkserver"):
        if f"multiprocessing.{helper}" in command and "multiprocessing.spawn" not in command:
            # Workers of a fork server carry its command line; they are told apart by their parent's.
            parent = processes.parent(pid)
            if helper == "forkserver" and "multiprocessing.forkserver" in processes.command_line(parent):
                return "worker"
            return helper
    return "worker"


def _from_faulthandler(pid: int, dump: Path) -> list[Thread]:
    # Who catches the signal without having made the file means something else by it.
    if not dump.exists() or not processes.catches(pid, signal.SIGUSR2):
        return []
    begin = dump.stat().st_size
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGUSR2)
    # The dump is complete when the file has grown and then rested for a moment.
    deadline = time.monotonic() + 3.0
    size = begin
    while time.monotonic() < deadline:
        time.sleep(0.1)
        now = dump.stat().st_size
        if now > begin and now == size:
            break
        size = now
    with dump.open("rb") as file:
        file.seek(begin)
        return parse_faulthandler(file.read().decode(errors="replace"))


def parse_faulthandler(text: str) -> list[Thread]:
    """Threads from faulthandler's text."""
    threads: list[tuple[str, list[Frame]]] = []
    for line in text.splitlines():
        if title := _THREAD.match(line):
            threads.append((title["title"], []))
        elif line.startswith("Stack (most recent call first)"):
            threads.append(("Current thread", []))
        elif threads and (frame := _FRAME.match(line)):
            threads[-1][1].append(Frame(frame["file"], int(frame["line"]), frame["function"]))
    return [Thread(title, tuple(frames)) for title, frames in threads]


def py_spy() -> str | None:
    """The py-spy of this environment, or one on the path."""
    beside = Path(sys.executable).with_name("py-spy")
    return str(beside) if beside.exists() else shutil.which("py-spy")


def _from_py_spy(pid: int) -> list[Thread]:
    tool = py_spy()
    if tool is None:
        return []
    command = [tool, "dump", "--json", "--native", "--pid", str(pid)]
    try:
        done = subprocess.run(command, capture_output=True, timeout=20, check=False, stdin=subprocess.DEVNULL)
        told = json.loads(done.stdout) if done.returncode == 0 else []
    except (OSError, subprocess.TimeoutExpired, ValueError):
        return []
    return [
        Thread(
            str(thread.get("thread_name") or f"Thread {thread.get('thread_id')}"),
            tuple(
                Frame(str(frame.get("filename", "")), int(frame.get("line") or 0), str(frame.get("name", "")))
                for frame in thread.get("frames", [])
            ),
        )
        for thread in told
    ]


def innermost(tree: Sequence[Process], folder: str) -> str | None:
    """Where the program stands: its own line and the innermost call below it.

    A DataLoader's worker that stands in the program's code says most, another process less, and the main
    process, which waits for them, least.
    ``folder`` is where the program's files lie.
    """
    ranked = []
    for process in tree:
        for thread in process.threads:
            if thread.frames:
                own = next((frame for frame in thread.frames if frame.file.startswith(folder)), None)
                loads = any(frame.function.endswith("_worker_loop") for frame in thread.frames)
                rank = (
                    own is not None and loads,
                    own is not None and process.role == "worker",
                    own is not None,
                )
                ranked.append(((*rank, process.role == "main"), process, thread, own))
    if not ranked:
        return None
    _, process, thread, own = max(ranked, key=lambda row: row[0])
    python = next((frame for frame in thread.frames if frame.line and frame.file.endswith(".py")), None)
    steps = [str(frame) for frame in dict.fromkeys((own, python)) if frame is not None]
    inner = thread.frames[0]
    if inner is not python:
        # Without symbols the library alone says where it waits.
        named = next((frame for frame in thread.frames if not frame.function.startswith("0x")), inner)
        steps.append(Path(inner.file).name if named in (own, python) else str(named))
    return f"{process.role}: {' > '.join(steps)}"


def processes_from_data(data: Sequence[Mapping[str, Any]]) -> tuple[Process, ...]:
    """The processes again from what :func:`dataclasses.asdict` made of them."""
    return tuple(
        Process(
            process["pid"],
            process["role"],
            process["command"],
            tuple(
                Thread(thread["title"], tuple(Frame(**frame) for frame in thread["frames"]))
                for thread in process["threads"]
            ),
            process["parent"],
        )
        for process in data
    )
