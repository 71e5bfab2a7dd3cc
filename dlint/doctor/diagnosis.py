"""All that is to be said of a job, as data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from dlint.doctor import frames
from dlint.doctor.causes import causes
from dlint.doctor.causes.cause import Cause
from dlint.doctor.doing import Doing, doing
from dlint.doctor.places import Look, finding_for
from dlint.doctor.seen import Job, Seen
from dlint.finding import Finding

# The job moves; nothing moves; it is seen at one moment only.
State = Literal["works", "still", "seen"]
_TRY: dict[str, str] = {
    "item": "look at the workers: their stacks say what holds them",
    "ranks": "look at the other ranks: the one that does not wait for the others says why",
    "network": "look at what it reads from; a timeout makes the wait an error",
    "disk": "look at the disk or network folder that it reads: df, iostat, mount",
    "sleep": "the program itself sleeps; see the line",
    "lock": "see which other thread or process is inside the lock",
    "shared lock": "a process that ended while it held the lock never gives it back: were workers killed?",
    "program": "look at the program that it has started: dlint doctor or ps",
    "native": "look again with --native, which names the library",
    "pipe": "see whether the process at the other end is alive",
    "process": "see what the process that it waits for does",
    "thread": "see what the other threads of the process do",
    "stopped": "kill -CONT lets it go on",
    "gone": "see the kernel's log for a process that was killed for its memory: dmesg | grep -i kill",
    "queue": "see who fills the queue: a thread of this process, or another process",
    "result": "see what the threads or processes of the pool do",
}
_ALWAYS = "num_workers=0 shows whether it is the workers; DataLoader(..., timeout=60) makes the wait an error"


@dataclass(frozen=True)
class Explained:
    """A cause, and the finding of static analysis that says it before the run."""

    cause: Cause
    finding: Finding | None


@dataclass(frozen=True)
class Diagnosis:
    """What each process of a job does, what it is, and what to try where no rule fits."""

    job: Job
    state: State
    does: tuple[tuple[Seen, Doing], ...]
    causes: tuple[Explained, ...]
    hints: tuple[str, ...]

    @property
    def hangs(self) -> bool:
        """Whether it stands still, or stood still when the stacks were taken, as far as they tell."""
        return self.state == "still" or bool(self.causes)


def diagnose(job: Job, look: Look) -> Diagnosis:
    """Read the stacks of a job; ``look`` gives the findings in a project."""
    does = tuple((process, doing(process, job)) for process in job.processes)
    state: State = "seen" if job.is_still is None else "still" if job.is_still else "works"
    found = [] if state == "works" and not _workers_stand(job) else causes(job)
    explained = tuple(Explained(cause, finding_for(cause, look)) for cause in found)
    hints = () if explained or state == "works" else _hints(does)
    return Diagnosis(job, state, does, explained, hints)


def _workers_stand(job: Job) -> bool:
    """Whether the workers stand still and something else of the job moves: a progress bar, a logger."""
    return bool(job.workers) and not any(worker.moved for worker in job.workers)


def _hints(does: tuple[tuple[Seen, Doing], ...]) -> tuple[str, ...]:
    """What to try, the workers' waits first: the main process waits for them."""
    has_workers = any(process.is_loader_worker for process, _ in does)
    ordered = sorted(does, key=lambda each: (not each[0].is_loader_worker, each[1].kind == "item"))
    ordered = [each for each in ordered if not (has_workers and each[1].kind == "item")]
    said = dict.fromkeys(
        _TRY[what.kind] for process, what in ordered if what.kind in _TRY and process.is_python
    )
    return (*said, _ALWAYS)


def role(process: Seen, job: Job) -> str:
    """What a process is to the job."""
    if process.is_loader_worker:
        return "worker"
    if process is job.main:
        return "main"
    if any(frames.find(thread.frames, "worker", "multiprocessing/pool.py") for thread in process.threads):
        return "pool"
    return "process"
