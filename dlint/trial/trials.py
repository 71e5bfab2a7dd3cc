"""Tries what the user has named in every way, each in a process of its own under the watchdog."""

from __future__ import annotations

import json
import multiprocessing
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Literal, NamedTuple

from dlint.own_process.safe_path import LEAVE_OUT
from dlint.running.runner import Result, Runner
from dlint.running.watchdog import MARK, Job
from dlint.trial.probe.child import JOB
from dlint.trial.probe.conduct import Way
from dlint.trial.records import Records, read
from dlint.trial.target import Target

_PACKAGES = Path(__file__).resolve().parents[2]  # where dlint is imported from
_CHILD = f"{LEAVE_OUT}; from dlint.trial.probe.child import main; main()"

# So many batches say how fast items come.
_FEWEST_BATCHES = 4

# ran: two epochs; raised: an exception came out of it; still: it stood still; slow: it did not end in time;
# died: the process ended in another way.
Outcome = Literal["ran", "raised", "still", "slow", "died"]


class Limits(NamedTuple):
    """Seconds: how long one trial may run, and how long it may stand still until it counts as hung."""

    run: float = 300.0
    still: float = 15.0


@dataclass(frozen=True)
class Trial:
    """One way in which a loader was tried, and what came of it."""

    way: Way
    result: Result
    records: Records
    limits: Limits
    asked_for: bool = False  # by name, so that what the program itself does is not what counts

    @cached_property
    def outcome(self) -> Outcome:
        """What became of it."""
        if self.records.first("done") is not None or self.records.raised:
            return "raised" if self.records.raised else "ran"
        if self.result.end in ("limit", "starved"):
            return "slow"
        return "still" if self.result.end == "still" else "died"

    @property
    def ending(self) -> str:
        """How its process ended, in words."""
        status = self.result.status
        return f"signal {-status}" if status is not None and status < 0 else f"exit code {status}"

    @property
    def name(self) -> str:
        """The way in words: ``2 workers, fork``."""
        if not self.way.workers:
            return "no workers"
        return f"{self.way.workers} worker{'s' if self.way.workers > 1 else ''}, {self.way.method}"

    @cached_property
    def is_as_used(self) -> bool:
        """Whether the loader is read so by the program, as far as it says: with workers or without, under the
        start method that it was given. Where the program leaves that to the platform, under any."""
        told = self.records.loader
        if self.asked_for or not told or self.records.first("dataset alone") is not None:
            return True
        if not told["num_workers"] or not self.way.workers:
            return bool(told["num_workers"]) == bool(self.way.workers)
        if self.way.workers > told["num_workers"]:
            return False  # one worker shares with nobody
        own = told["context"] or (told["default_method"] if self.way.method else None)
        return own is None or own == self.way.method

    @property
    def is_blind(self) -> bool:
        """Whether batches came, but no item was seen: nothing can be said then."""
        read = sum(int(note["batches"]) for note in self.records.of("epoch ended"))
        return bool(read) and not self.records.events

    @property
    def forked(self) -> bool:
        """Whether there are workers that are forked from the main process."""
        return bool(self.way.workers) and self.way.method == "fork"

    @cached_property
    def items_a_second(self) -> float | None:
        """How many items a second came in the last epoch, once every worker had given its first batch; None
        where there were too few batches to say."""
        ended = self.records.of("epoch ended")
        if not ended:
            return None
        last = ended[-1]
        behind = last["times"][max(1, self.way.workers) - 1 :]
        mine = [each for each in self.records.events if each.epoch == last["epoch"]]
        read = sum(_count(each.asked) for each in mine if each.what in ("item", "items"))
        made = sum(each.what == "collate" for each in mine)
        if len(behind) < _FEWEST_BATCHES or not made or behind[-1] <= behind[0]:
            return None
        return float(read / made * (len(behind) - 1) / (behind[-1] - behind[0]))


def _count(asked: object) -> int:
    return len(asked) if isinstance(asked, list) else 1


def ways(
    workers: Sequence[int], methods: Sequence[str] | None, items: int, *, keep: bool = False
) -> list[Way]:
    """All ways to try: each number of workers under each start method that this Python has."""
    found: list[Way] = []
    for number in workers:
        if number == 0:
            found.append(Way(0, None, items))
            continue
        for method in methods or multiprocessing.get_all_start_methods():
            # Once is enough to see what kept batches cost.
            first = not any(way.keep for way in found)
            found.append(Way(number, method, items, keep=keep and first))
    return found


@dataclass
class _Task:
    target: Target
    way: Way
    limits: Limits
    notes: str = ""  # the folder of the notes, once the task has been started
    alone: bool = False
    will_stand_still: bool = False

    def remove_notes(self) -> None:
        """Nobody needs the notes any more."""
        if self.notes:
            shutil.rmtree(self.notes, ignore_errors=True)

    def job(self, folder: Path, token: str) -> Job:
        # The watchdog makes it, and removes it where this process is gone.
        self.notes = str(Path(tempfile.gettempdir()) / f"dlint-try-{token}")
        told = {
            "notes": self.notes,
            "place": self.target.place,
            "name": self.target.name,
            "arguments": self.target.arguments,
            "way": self.way._asdict(),
        }
        path = [str(_PACKAGES), *filter(None, [os.environ.get("PYTHONPATH")])]
        return Job(
            folder=str(folder),
            command=(sys.executable, "-c", _CHILD),
            cwd=str(Path.cwd()),
            environment={
                **os.environ,
                "PYTHONPATH": os.pathsep.join(path),
                "PYTHONUNBUFFERED": "1",
                MARK: token,
                JOB: json.dumps(told),
            },
            limit=self.limits.run,
            still=self.limits.still,
            unread=self.notes,
        )


@contextmanager
def trials(target: Target, wanted: Sequence[Way], limits: Limits, jobs: int = 1) -> Iterator[Iterator[Trial]]:
    """Try the ways, and give each trial as it comes. Nothing is left of them when the context ends."""
    tasks = [_Task(target, way, limits) for way in wanted]
    try:
        with Runner[_Task](jobs) as runner:
            yield map(_trial, runner.run(tasks))
    finally:
        for task in tasks:
            task.remove_notes()


def _trial(ended: tuple[_Task, Result]) -> Trial:
    task, result = ended
    records = read(Path(task.notes)) if task.notes else Records()
    task.remove_notes()
    return Trial(task.way, result, records, task.limits)
