"""DL105: the threads of a pool wait for tasks that only they could do; or a pool is waited for at the end."""

from __future__ import annotations

import re
from collections.abc import Iterator

from dlint.doctor import frames
from dlint.doctor.causes.cause import Cause
from dlint.doctor.doing import waiting
from dlint.doctor.seen import Job, Seen
from dlint.running.stacks import Thread

_LOOPS = (
    ("_worker", "concurrent/futures/thread.py"),
    ("_worker", "futures/thread.py"),
    ("worker", "multiprocessing/pool.py"),
)
_NUMBER = re.compile(r"[_-]\d+$|-\d+ \(worker\)$")


def recognise(process: Seen, job: Job) -> Iterator[Cause]:
    """The cause, where all threads of a pool of the process wait for results of a pool."""
    pools: dict[str, list[Thread]] = {}
    for thread in process.threads:
        if thread is not process.chief and any(frames.find(thread.frames, *loop) for loop in _LOOPS):
            pools.setdefault(_NUMBER.sub("", thread.title), []).append(thread)
    for threads in pools.values():
        if all(_waits_for_result(thread) for thread in threads):
            stack = threads[0].frames
            yield Cause(
                "DL105",
                True,
                "every thread of a pool waits for the results of tasks, and none is left to do these",
                "let a task wait for no other task of its pool: wait outside, or use another pool for them",
                (process,),
                stack,
                frames.own(stack),
            )
    stack = process.stack
    if not process.is_loader_worker and waiting(stack).words == "waits at its end for threads that still run":
        yield Cause(
            "DL105",
            False,
            "the program is at its end and waits for threads that it has never told to end",
            "close the pool, or make it with `with`",
            (process,),
            stack,
            None,
        )


def _waits_for_result(thread: Thread) -> bool:
    return frames.own(thread.frames) is not None and waiting(thread.frames).kind == "result"
