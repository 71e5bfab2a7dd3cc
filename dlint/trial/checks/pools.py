"""Pools that worker code makes: for every item, or as large as Python likes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dlint.trial.probe.places import Place
from dlint.trial.records import place_of
from dlint.trial.trials import Trial
from dlint.trial.wrong import Wrong

_IN_WORKERS = ("worker", "worker_init_fn", "item", "items", "collate", "iter")
_PER_ITEM = ("item", "items", "collate")


def check(trial: Trial, plain: Trial | None) -> Iterator[Wrong]:
    """What pools cost in workers."""
    if not trial.way.workers:
        return
    # Workers may not have processes of their own at all: that is told as what was raised.
    made = [
        note
        for note in trial.records.of("pool")
        if note["phase"] in _IN_WORKERS and "Thread" in str(note["what"])
    ]
    by_place: dict[tuple[Place, str], list[dict[str, Any]]] = {}
    for note in made:
        by_place.setdefault((place_of(note["place"]), str(note["what"])), []).append(dict(note))
    for (at, what), notes in by_place.items():
        most = _most_items(notes)
        if most > 1:
            yield Wrong(
                "DL103",
                f"a worker makes a new {what} for every item: {most} in one epoch",
                "one pool a worker process, made at its first use, or none",
                "cost",
                at,
            )
        if not all(note["sized"] for note in notes):
            yield Wrong(
                "DL104",
                f"{what}() without a size in every worker: up to 32 threads, or one a processor, in each",
                "say how many: max_workers=, processes=",
                "cost",
                at,
            )
    for note in trial.records.of("many tasks"):
        if note["phase"] in _IN_WORKERS:
            yield Wrong(
                "DL104",
                f"more than {note['waiting']} tasks wait in a pool of a worker: all are submitted at once",
                "submit a bounded number, and read results before more",
                "cost",
                place_of(note["place"]),
            )
            return


def _most_items(notes: list[dict[str, Any]]) -> int:
    """For how many items one process has made a pool."""
    items: dict[int, set[str]] = {}
    for note in notes:
        if note["phase"] in _PER_ITEM:
            items.setdefault(note["pid"], set()).add(str(note["index"]))
    return max(map(len, items.values()), default=0)
