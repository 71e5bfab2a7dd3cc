"""It stood still: the stacks say where, and which rule that is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dlint.doctor import frames
from dlint.doctor.causes import causes
from dlint.doctor.doing import waiting
from dlint.doctor.seen import Job, Seen
from dlint.running.stacks import Frame
from dlint.trial.probe.places import Place, is_own
from dlint.trial.trials import Trial
from dlint.trial.wrong import Wrong

_LOOK = "see where it stands; dlint doctor -- python ... looks at a program while it runs"


def check(trial: Trial, plain: Trial | None) -> Iterator[Wrong]:
    """What it waits for."""
    if trial.outcome != "still":
        return
    job = _job(trial)
    found = causes(job)
    if not found and len(trial.records.of("ending")) > len(trial.records.of("epoch ended")):
        return  # torch gives each worker of an epoch that was cut short its seconds to end
    if not found:
        yield _unknown(trial, job)
        return
    lost = next((event.refused for event in trial.records.events if event.refused), None)
    for cause in found[:1]:
        what = f"it stood still: {cause.why}"
        if cause.code == "DL506" and lost is not None:
            what += f" ({lost[0]} is a {lost[1]}: {lost[2]})"
        held = dict.fromkeys(path for note in trial.records.of("worker") for path in note["locked"])
        if cause.code == "DL102" and held:
            what += f" (held at the fork: {', '.join(held)})"
        yield Wrong(
            cause.code,
            what,
            cause.cure,
            "hang",
            _place(cause.stack),
            sure=cause.sure,
            needs_finding=_is_again(trial) and not cause.sure,
        )


def _is_again(trial: Trial) -> bool:
    """Whether it stands in a second epoch, which the program may never read: a queue may be empty then."""
    return any(note["epoch"] for note in trial.records.of("epoch"))


def _unknown(trial: Trial, job: Job) -> Wrong:
    """No rule is like this: where it stands, and what it waits for there."""
    workers = job.workers or ([job.main] if job.main else [])
    process = next((each for each in workers if _place(each.stack)), None)
    if process is None:
        return Wrong(None, "it stood still", _LOOK, "hang", sure=False, needs_finding=_is_again(trial))
    stack = frames.in_worker_code(process.stack) if process.is_loader_worker else process.stack
    who = "a worker" if process.is_loader_worker else "the main process"
    words = waiting(stack, process.state).words
    return Wrong(
        None,
        f"it stood still: {who} {words}",
        _LOOK,
        "hang",
        _place(stack),
        sure=False,
        needs_finding=_is_again(trial),
    )


def _job(trial: Trial) -> Job:
    """The processes as the doctor sees them: all have stood still for as long as was waited."""
    seen = [
        Seen(process.pid, process.command, process.parent, "S", 0.0, process.threads)
        for process in trial.result.stacks
    ]
    return Job(tuple(seen), window=1.0, native=True)


def _place(stack: Sequence[Frame]) -> Place | None:
    """The innermost line of the user's code."""
    mine = next((frame for frame in stack if frames.is_own(frame) and is_own(frame.file)), None)
    return None if mine is None else (mine.file, mine.line, mine.function)
