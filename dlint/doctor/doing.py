"""What a process does, as its innermost frames say it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Final, Literal, NamedTuple

from dlint.doctor import frames
from dlint.doctor.seen import Job, Seen
from dlint.running.stacks import Frame

# Most are what it waits for: an item of a DataLoader, work from the main process, a pool's result, ...
Kind = Literal[
    "item",
    "work",
    "result",
    "queue",
    "room",
    "lock",
    "shared lock",
    "event",
    "thread",
    "process",
    "pipe",
    "program",
    "ranks",
    "network",
    "disk",
    "sleep",
    "native",
    "helper",
    "working",
    "stopped",
    "gone",
    "unknown",
]


class Doing(NamedTuple):
    """What a process does; ``words`` continue "worker 4712 ..."."""

    kind: Kind
    words: str


_AT_ITS_END = "waits at its end for threads that still run"


class _Wait(NamedTuple):
    kind: Kind
    words: str
    names: frozenset[str]
    files: tuple[str, ...]


def _wait(kind: Kind, words: str, names: str, *files: str) -> _Wait:
    return _Wait(kind, words, frozenset(names.split()), files)


_QUEUES = ("queue.py", "Queue.py", "multiprocessing/queues.py", "torch/multiprocessing/queue.py")
_FUTURES = ("concurrent/futures/_base.py", "futures/_base.py")
_FUTURE_THREADS = ("concurrent/futures/thread.py", "futures/thread.py")
_NETWORK = ("ssl.py", "socket.py", "http/client.py", "urllib3/connectionpool.py", "urllib/request.py")
_COLLECTIVES = (
    "barrier all_reduce all_gather broadcast reduce_scatter monitored_barrier all_gather_object "
    "broadcast_object_list init_process_group"
)
# What frames between the project's code and the end of the stack stand for; the first that fits counts.
_WAITS: Final = (
    _wait("process", "waits for the workers of a DataLoader to end", "_shutdown_workers", frames.LOADER),
    _wait(
        *("result", "waits for the result of a pool", "get wait map starmap apply imap next"),
        "multiprocessing/pool.py",
    ),
    _wait("result", "waits for the result of a pool", "result exception wait as_completed", *_FUTURES),
    _wait("process", "waits for the processes that it has spawned", "join", "torch/multiprocessing/spawn.py"),
    _wait("thread", "waits for the threads of a pool to end", "shutdown join", *_FUTURE_THREADS),
    _wait("thread", _AT_ITS_END, "_shutdown _python_exit", "threading.py", *_FUTURE_THREADS),
    _wait("queue", "waits for an item of a queue", "get", "queue.py", "multiprocessing/queues.py"),
    _wait("room", "waits for room in a queue", "put", "queue.py", "multiprocessing/queues.py"),
    _wait("thread", "waits for a thread to end", "join _wait_for_tstate_lock", "threading.py"),
    _wait(
        *("process", "waits for a process to end", "join wait poll"),
        *("multiprocessing/process.py", "multiprocessing/popen_fork.py"),
    ),
    _wait("program", "waits for a program that it has started", "wait communicate _wait", "subprocess.py"),
    _wait("ranks", "waits for the other ranks", _COLLECTIVES, "torch/distributed/distributed_c10d.py"),
    _wait(
        *("shared lock", "waits for a lock that processes share", "acquire __enter__"),
        "multiprocessing/synchronize.py",
    ),
    _wait("event", "waits for a condition or an event", "wait wait_for", "threading.py"),
    _wait("lock", "waits for a lock", "acquire __enter__", "threading.py", "logging/__init__.py"),
    _wait("lock", "waits for the lock of an import", "acquire __enter__", "<frozen importlib._bootstrap>"),
    _wait("network", "waits for the network", "read recv recv_into readinto sendall connect", *_NETWORK),
    _wait(
        *("pipe", "waits for what another process sends", "_recv recv recv_bytes poll _poll wait accept"),
        "multiprocessing/connection.py",
    ),
    _wait("pipe", "waits for files to be ready", "select poll", "selectors.py"),
)

# C functions, by what they wait for, in the interpreter's own code.
_NATIVE: Final[tuple[tuple[Kind, str, re.Pattern[str]], ...]] = (
    ("native", "stands in pthread_cond_destroy", re.compile(r"^pthread_cond_destroy")),
    ("native", "waits in OpenMP for its threads", re.compile(r"^(gomp_|GOMP_|__kmp)")),
    ("shared lock", "waits for a lock that processes share", re.compile(r"SemLock_acquire")),
    (
        "lock",
        "waits for a lock",
        re.compile(r"^(r?lock_PyThread_acquire_lock|rlock_acquire|PyThread_acquire_lock)"),
    ),
    ("sleep", "sleeps", re.compile(r"^(time_sleep|pysleep|clock_nanosleep|nanosleep)")),
    (
        "network",
        "waits for the network",
        re.compile(r"^(sock_recv|sock_connect|SSL_read|_ssl__SSLSocket_read)"),
    ),
)

_HELPERS: Final = {
    "multiprocessing.resource_tracker": "is multiprocessing's resource tracker",
    "multiprocessing.forkserver": "is multiprocessing's fork server",
    "torch_shm_manager": "is torch's manager of shared memory",
}


def doing(process: Seen, job: Job) -> Doing:
    """What a process of a job does."""
    if process.is_gone:
        return Doing("gone", "is dead: its parent has not asked for its exit status")
    if process.is_stopped:
        return Doing(
            "stopped", "is stopped by the system: SIGSTOP, Ctrl-Z or a debugger; kill -CONT lets it go on"
        )
    if not process.is_python:
        return Doing("program", f"is another program{_share(process, job)}")
    helper = next((words for name, words in _HELPERS.items() if name in process.command), None)
    if helper is not None and not process.is_loader_worker:
        return Doing("helper", helper)
    stack = process.stack
    if process.is_loader_worker and _waits_for_work(stack):
        return Doing("work", "waits for work from the main process")
    if frames.find(stack, "worker", "multiprocessing/pool.py") and not _runs_task(stack):
        return Doing("work", "is a process of a pool, and waits for tasks")
    loop = frames.find(stack, "_process_worker", "concurrent/futures/process.py", "futures/process.py")
    if loop is not None and frames.own(frames.within(stack, loop)) is None:
        return Doing("work", "is a process of a pool, and waits for tasks")
    if process.moved:
        return Doing("working", f"works{_share(process, job)}")
    return waiting(frames.in_worker_code(stack), process.state)


def waiting(stack: Sequence[Frame], state: str | None = None) -> Doing:
    """What a thread that does not move waits for."""
    python = frames.python_only(stack)
    inner = frames.within(python, frames.own(python))
    if _waits_for_item(inner):
        return Doing("item", "waits for an item of a DataLoader")
    for wait in _WAITS:
        for frame in inner:
            if frames.name_of(frame) in wait.names and (frames.is_in(frame, *wait.files)):
                return Doing(wait.kind, wait.words)
    native = frames.native_only(stack)
    for kind, words, pattern in _NATIVE:
        if any(pattern.search(frame.function) for frame in native):
            return Doing(kind, words)
    if state == "D":
        return Doing("disk", "waits for a disk or a network folder")
    library = next((frame for frame in native if "lib" in frame.file or ".so" in frame.file), None)
    if library is not None or native:
        return Doing("native", "stands in C code")
    return Doing("unknown", "stands" if stack else "was not seen from inside")


def _waits_for_item(inner: Sequence[Frame]) -> bool:
    """Whether a DataLoader has asked one of its queues."""
    if inner and frames.is_in(inner[0], frames.LOADER):
        return frames.name_of(inner[0]) in ("_try_get_data", "_get_data", "_try_get_batch", "_get_batch")
    asked = (frame for frame, outer in pairwise(inner) if frames.is_in(outer, frames.LOADER))
    return any(frames.name_of(frame) == "get" and frames.is_in(frame, *_QUEUES) for frame in asked)


def _waits_for_work(stack: Sequence[Frame]) -> bool:
    inner = frames.python_only(frames.in_worker_code(stack))
    return not inner or frames.is_in(inner[-1], *_QUEUES)


def _runs_task(stack: Sequence[Frame]) -> bool:
    loop = frames.find(stack, "worker", "multiprocessing/pool.py")
    return frames.own(frames.within(stack, loop)) is not None


def _share(process: Seen, job: Job) -> str:
    if process.used is None or not job.window:
        return ""
    share = process.used / job.window
    return f", with {share:.0%} of a processor" if share >= 0.005 else ", and hardly needs a processor"
