"""DL506: the main process waits for an item, and no worker has one to bring: it got lost on the way."""

from __future__ import annotations

from collections.abc import Iterator

from dlint.doctor import frames
from dlint.doctor.causes.cause import Cause
from dlint.doctor.doing import doing
from dlint.doctor.seen import Job, Seen


def recognise(process: Seen, job: Job) -> Iterator[Cause]:
    """The cause, where the process waits for an item while all its workers wait for work."""
    if doing(process, job).kind != "item":
        return
    # Those that a fork server has started are its children.
    workers = [each for each in job.below(process) if each.is_loader_worker] or (
        job.workers if not any(each.parent for each in job.processes) else []
    )
    if not workers or any(doing(worker, job).kind != "work" for worker in workers):
        return
    watched = bool(job.window) and not any(each.moved for each in (process, *workers))
    yield Cause(
        "DL506",
        watched and job.is_whole,
        "the main process waits for an item, and all of its workers have handed in theirs: one got lost on "
        "the way, as pickle cannot take it; a QueueFeederThread's traceback on standard error says what",
        "return only what pickle takes: no generator, lambda, lock or open file",
        (process,),
        process.stack,
        frames.own(process.stack),
    )
