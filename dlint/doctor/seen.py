"""A training job as it is seen at one time: its processes, their threads, and whether they move."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from dlint.doctor import frames
from dlint.running.stacks import Frame, Thread

# Threads of the libraries that do nothing for who waits in the program's code: what they run.
_HELPERS = (
    ("_feed", "multiprocessing/queues.py"),
    ("_serve", "multiprocessing/resource_sharer.py"),
    ("_pin_memory_loop", "torch/utils/data/_utils/pin_memory.py"),
    ("run", "tqdm/_monitor.py"),
)


@dataclass(frozen=True)
class Seen:
    """A process. ``state`` is that of ``/proc`` (``S``, ``R``, ``D``, ``T``, ``Z``), ``used`` the seconds of
    processor time during the job's window; both are None where nobody looked. ``parent`` is 0 where it is not
    known. ``moved``: it used a processor or its stack changed; ``folder`` is its working directory."""

    pid: int
    command: str = ""
    parent: int = 0
    state: str | None = None
    used: float | None = None
    threads: tuple[Thread, ...] = ()
    moved: bool = False
    folder: str | None = None
    is_python: bool = True

    @cached_property
    def is_loader_worker(self) -> bool:
        """Whether it is a worker of a DataLoader."""
        return any(
            frames.find(thread.frames, "_worker_loop", frames.WORKER) is not None for thread in self.threads
        )

    @cached_property
    def is_forked(self) -> bool:
        """Whether it was forked from a Python process that had been running: its stack begins there."""
        return any(
            frames.find(thread.frames, "_launch", "multiprocessing/popen_fork.py") for thread in self.threads
        )

    @cached_property
    def chief(self) -> Thread | None:
        """The thread that tells what the process is for."""
        for thread in self.threads:
            if frames.find(thread.frames, "_worker_loop", frames.WORKER) is not None:
                return thread
        named = [thread for thread in self.threads if "MainThread" in thread.title]
        return next(iter(named or self.threads), None)

    @property
    def stack(self) -> tuple[Frame, ...]:
        """The frames of the chief, innermost first."""
        return self.chief.frames if self.chief is not None else ()

    @property
    def others(self) -> list[Thread]:
        """The threads of the program beside the chief, which could do something for it."""
        return [
            thread
            for thread in self.threads
            if thread is not self.chief
            and frames.python_only(thread.frames)
            and not any(frames.find(thread.frames, *helper) for helper in _HELPERS)
        ]

    @property
    def is_gone(self) -> bool:
        """Whether it is dead, and only its parent has not asked for its exit status."""
        return self.state in ("Z", "X")

    @property
    def is_stopped(self) -> bool:
        """Whether the system has stopped it: by SIGSTOP, Ctrl-Z or a debugger."""
        return self.state in ("T", "t")


@dataclass(frozen=True)
class Job:
    """All processes that were looked at. ``window`` are the seconds they were watched for, 0 where the stacks
    are of one moment. ``is_whole`` says whether these are all processes of the job; ``native`` whether frames
    of C code were asked for."""

    processes: tuple[Seen, ...]
    window: float = 0.0
    is_whole: bool = True
    native: bool = False

    @cached_property
    def workers(self) -> list[Seen]:
        """The workers of DataLoaders."""
        return [process for process in self.processes if process.is_loader_worker]

    @property
    def main(self) -> Seen | None:
        """The process that the job began with."""
        pids = {process.pid for process in self.processes if process.pid > 0}
        tops = [each for each in self.processes if each.parent not in pids and not each.is_loader_worker]
        return tops[0] if tops else None

    def children_of(self, process: Seen) -> list[Seen]:
        """The processes that one has started."""
        return [each for each in self.processes if each.parent == process.pid and each is not process]

    def below(self, process: Seen) -> list[Seen]:
        """The processes that one has started, and those that these have."""
        found: list[Seen] = []
        waiting = self.children_of(process)
        while waiting:
            found.append(waiting.pop())
            waiting += [each for each in self.children_of(found[-1]) if each not in found]
        return found

    @property
    def is_still(self) -> bool | None:
        """Whether nothing moved while the job was watched; None where it was not."""
        if not self.window:
            return None
        return not any(process.moved for process in self.processes)
