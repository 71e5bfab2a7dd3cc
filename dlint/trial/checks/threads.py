"""Threads that libraries start in every worker: OpenCV's, and torch's."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from dlint.knowledge.processes.opencv import NO_THREADS
from dlint.trial.probe.places import Place
from dlint.trial.records import place_of
from dlint.trial.trials import Trial
from dlint.trial.wrong import Wrong


def check(trial: Trial, plain: Trial | None) -> Iterator[Wrong]:
    """Threads in workers that nobody has asked for."""
    if not trial.way.workers:
        return
    yield from _opencv(trial)
    if not trial.forked:
        return  # workers that are started afresh have threads of their own
    for note in trial.records.of("set_num_threads"):
        if note["number"] > 1 and note["phase"] not in ("load", "main"):
            yield Wrong(
                "DL106",
                f"torch.set_num_threads({note['number']}) in a worker: it stands still once the main process "
                "has used torch's threads before the fork",
                "leave it out: torch gives each worker one thread",
                "hang",
                place_of(note["place"]),
            )
            return


def _opencv(trial: Trial) -> Iterator[Wrong]:
    """Calls of OpenCV by which a worker gets more threads."""
    parent = trial.records.first("parent") or {}
    if parent.get("settings", {}).get("cv2.getNumThreads()", 2) < 2:
        return  # turned off, and lost on the way to the worker: that is told as such
    pools = {
        int(note["pid"]): int(note["settings"].get("cv2.getNumThreads()", 0))
        for note in trial.records.of("begun")
    }
    for event in trial.records.events:
        if event.worker is None or not event.cv2 or pools.get(event.pid, 0) < 2:
            continue
        added = event.grown.get("threads", 0)
        if added > 0:
            name, at = _first(event.cv2)
            yield Wrong(
                "DL101",
                f"cv2.{name} in a worker starts OpenCV's threads: {added} more in each worker, with "
                f"{pools[event.pid]} allowed",
                "cv2.setNumThreads(0) right after importing cv2",
                "cost",
                at,
            )
            return


def _first(calls: Mapping[str, Place | None]) -> tuple[str, Place | None]:
    """The call that starts threads, as far as that is known; else the first."""
    found = [(name, at) for name, at in calls.items() if f"cv2.{name}" not in NO_THREADS]
    return (found or list(calls.items()))[0]
