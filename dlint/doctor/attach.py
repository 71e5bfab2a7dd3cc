"""A running job, looked at from outside: /proc for what it uses, py-spy for its stacks. Nothing is sent to
it, and nothing of it is changed; for a dump with frames of C code py-spy holds it for some milliseconds."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

from dlint.doctor.seen import Job, Seen
from dlint.running import processes
from dlint.running.stacks import Frame, Thread, py_spy

# A process that uses more of a processor than this works. One that polls while it hangs takes a thousandth.
_WORKING_SHARE = 0.02
_PATIENCE = 30.0  # seconds for one dump
_LOOKS = 3


class CannotAttach(Exception):
    """The job cannot be looked at; the message says why, and what to do."""


def attach(pid: int, *, seconds: float = 5.0, native: bool = True) -> Job:
    """Watch the process ``pid`` and all below it for some seconds. Raises CannotAttach."""
    if not sys.platform.startswith("linux"):
        raise CannotAttach(
            "dlint doctor PID needs Linux, whose /proc it reads; --dump reads py-spy's text anywhere"
        )
    if not Path(f"/proc/{pid}").exists():
        raise CannotAttach(f"there is no process {pid}")
    tool = py_spy()
    if tool is None:
        raise CannotAttach('py-spy is not installed: pip install "torch-dlint[prove]"')
    pid = _top(pid)
    pids = [pid, *processes.descendants(pid)]
    if os.getpid() in pids:  # a shell that dlint itself was called from
        mine = {os.getpid(), *processes.descendants(os.getpid())}
        pids = [each for each in pids if each not in mine]
    if not any(map(_is_python, pids)):
        raise CannotAttach(f"neither process {pid} nor any below it runs Python")
    before = {each: _used(each) for each in pids}
    begin = time.monotonic()
    looks: list[dict[int, tuple[Thread, ...]]] = []
    for look in range(_LOOKS):
        last = look == _LOOKS - 1
        if look:
            time.sleep(max(0.0, begin + seconds * look / (_LOOKS - 1) - time.monotonic()))
        looks.append({each: _stacks(tool, each, native=native and last) for each in pids if _is_python(each)})
        if not any(looks[-1].values()) and processes.is_alive(pid):
            raise CannotAttach(_why_not(tool, next(filter(_is_python, pids), pid)))
    if not processes.is_alive(pid):
        raise CannotAttach(f"process {pid} ended while it was watched")
    window = time.monotonic() - begin
    seen = [_seen(each, before[each], looks, window) for each in pids if processes.state(each) is not None]
    return Job(tuple(seen), window, True, native)


def _top(pid: int) -> int:
    """The process that a worker belongs to."""
    while True:
        parent = processes.parent(pid)
        command = processes.command_line(pid)
        is_child = "multiprocessing" in command or command == processes.command_line(parent)
        if parent <= 1 or not is_child or not _is_python(parent):
            return pid
        pid = parent


def _seen(
    pid: int, before: float | None, looks: Sequence[dict[int, tuple[Thread, ...]]], window: float
) -> Seen:
    now = _used(pid)
    used = None if before is None or now is None else max(0.0, now - before)
    stacks = [look.get(pid, ()) for look in looks]
    shapes = {tuple(_python(thread) for thread in threads) for threads in stacks if threads}
    works = used is not None and used > _WORKING_SHARE * window
    return Seen(
        pid,
        processes.command_line(pid),
        processes.parent(pid),
        processes.state(pid),
        used,
        next((threads for threads in reversed(stacks) if threads), ()),
        moved=works or len(shapes) > 1,
        folder=_folder(pid),
        is_python=_is_python(pid),
    )


def _python(thread: Thread) -> tuple[str, ...]:
    return (thread.title, *(f"{f.file}:{f.line}" for f in thread.frames if f.line and f.file.endswith(".py")))


def _used(pid: int) -> float | None:
    """Seconds of processor time of all threads, None where the process is gone."""
    if not processes.is_alive(pid):
        return None
    return processes.Meter().read([pid]).running / 1e9


def _folder(pid: int) -> str | None:
    try:
        return os.readlink(f"/proc/{pid}/cwd")  # noqa: PTH115
    except OSError:
        return None


def _is_python(pid: int) -> bool:
    try:
        program = os.readlink(f"/proc/{pid}/exe")  # noqa: PTH115
    except OSError:
        return processes.is_alive(pid)  # nobody may look: py-spy says why
    return "python" in Path(program).name or "libpython" in _maps(pid)


def _maps(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/maps").read_text(errors="replace")
    except OSError:
        return ""


def _stacks(tool: str, pid: int, *, native: bool) -> tuple[Thread, ...]:
    """The stacks of one process. Without C frames it is not held; where that fails, as it may while the
    process works, it is, for a moment."""
    if processes.state(pid) in (None, "Z", "X", "T", "t"):
        # One that is stopped is read without being held: py-spy would let it go on.
        return _dump(tool, pid, "--nonblocking") if processes.state(pid) in ("T", "t") else ()
    if native:
        return _dump(tool, pid, "--native") or _dump(tool, pid, "--nonblocking")
    return _dump(tool, pid, "--nonblocking") or _dump(tool, pid)


def _dump(tool: str, pid: int, *options: str) -> tuple[Thread, ...]:
    try:
        done = subprocess.run(
            [tool, "dump", "--json", *options, "--pid", str(pid)],
            capture_output=True,
            timeout=_PATIENCE,
            check=False,
            stdin=subprocess.DEVNULL,
        )
        told = json.loads(done.stdout) if done.returncode == 0 else []
    except (OSError, subprocess.TimeoutExpired, ValueError):
        return ()
    return threads_from_json(told)


def threads_from_json(told: Iterable[object]) -> tuple[Thread, ...]:
    """The threads of ``py-spy dump --json``."""
    found = []
    for thread in told:
        if isinstance(thread, dict):
            title = str(thread.get("thread_name") or f"Thread {thread.get('thread_id')}")
            frames = thread.get("frames")
            found.append(
                Thread(
                    title,
                    tuple(_frame(each) for each in frames if isinstance(each, dict))
                    if isinstance(frames, list)
                    else (),
                )
            )
    return tuple(found)


def _frame(told: dict[str, object]) -> Frame:
    line = told.get("line")
    return Frame(
        str(told.get("filename") or ""), line if isinstance(line, int) else 0, str(told.get("name") or "")
    )


def _why_not(tool: str, pid: int) -> str:
    """What py-spy says, and what to do about it."""
    try:
        done = subprocess.run(
            [tool, "dump", "--pid", str(pid)], capture_output=True, timeout=_PATIENCE, check=False, text=True
        )
        said = (done.stderr.strip().splitlines() or ["py-spy gave no stack"])[-1]
    except (OSError, subprocess.TimeoutExpired) as error:
        said = str(error)
    if "ermission" not in said and "ptrace" not in said.lower():
        return f"py-spy cannot read process {pid}: {said}"
    ways = ["as root: sudo env PATH=$PATH dlint doctor PID"]
    if Path("/.dockerenv").exists() or "docker" in processes.system_text("/proc/1/cgroup"):
        ways.append(
            "in a container: start it with --cap-add SYS_PTRACE (Kubernetes: capabilities.add [SYS_PTRACE])"
        )
    if processes.system_text("/proc/sys/kernel/yama/ptrace_scope").strip() not in ("", "0"):
        ways.append("for your own processes: sudo sysctl kernel.yama.ptrace_scope=0")
    return f"no permission to look at process {pid}. " + "; or ".join(ways)
