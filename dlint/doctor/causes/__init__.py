"""What is behind a hang, one file a rule: each looks at a process of a job and says what it recognises."""

from __future__ import annotations

from dlint.doctor.causes.cause import Cause
from dlint.doctor.seen import Job


def causes(job: Job) -> list[Cause]:
    """What is recognised in a job, what is sure first; what several processes show alike is one cause."""
    from dlint.doctor.causes import (
        dl101_opencv,
        dl102_left_behind,
        dl105_own_pool,
        dl106_native_threads,
        dl506_lost_item,
    )

    found: list[Cause] = []
    for process in job.processes:
        if process.is_gone or process.is_stopped or process.moved:
            continue
        mine: list[Cause] = []
        for module in (
            dl101_opencv,
            dl106_native_threads,
            dl102_left_behind,
            dl105_own_pool,
            dl506_lost_item,
        ):
            mine += module.recognise(process, job)
        # What C code shows tells more than what Python's frames do.
        found += [each for each in mine if each.sure] or mine
    together: dict[tuple[object, ...], Cause] = {}
    for cause in found:
        known = together.get(cause.mark)
        together[cause.mark] = cause if known is None else known.with_process(cause)
    return sorted(together.values(), key=lambda cause: (not cause.sure, -len(cause.processes)))
