"""DL102: a forked worker waits for a thread that is only in the main process."""

from __future__ import annotations

from collections.abc import Iterator

from dlint.doctor import frames
from dlint.doctor.causes.cause import Cause
from dlint.doctor.doing import Kind, waiting
from dlint.doctor.seen import Job, Seen

_FOR: dict[Kind, str] = {
    "result": "a pool's result",
    "queue": "an item of a queue",
    "room": "room in a queue",
    "event": "an event",
    "thread": "a thread",
    "lock": "a lock",
}
_LOCK_CURE = "make the lock in the worker, at its first use; or let no thread hold it while workers start"
_CURE = "make the pool, thread or queue in the worker: at the first use, or in worker_init_fn"


def recognise(process: Seen, job: Job) -> Iterator[Cause]:
    """The cause, where the process is a worker that waits with nobody beside it."""
    if not process.is_loader_worker:
        return
    stack = frames.in_worker_code(process.stack)
    place = frames.own(stack)
    if place is None:
        return
    what = waiting(stack)
    if what.kind not in _FOR:
        return
    if what.kind == "queue" and any(frames.is_in(frame, "multiprocessing/queues.py") for frame in stack[:12]):
        # Another process may fill it.
        yield _cause(
            process, False, "a worker waits for an item of a queue that another process may fill", _CURE
        )
        return
    alone = not process.others
    if what.kind == "lock":
        yield _cause(
            process,
            alone and process.is_forked,
            "a forked worker waits for a lock and has no other thread that could hold it: one of the main "
            "process held it at the fork, and only there it is released"
            if alone
            else "a worker waits for a lock; a thread of the main process may have held it at the fork",
            _LOCK_CURE,
        )
    elif alone:
        yield _cause(
            process,
            process.is_forked,
            f"a forked worker waits for {_FOR[what.kind]} and has no other thread: those that would bring it "
            "are in the main process",
            _CURE,
        )


def _cause(process: Seen, sure: bool, why: str, cure: str) -> Cause:
    stack = frames.in_worker_code(process.stack)
    return Cause("DL102", sure, why, cure, (process,), tuple(stack), frames.own(stack))
