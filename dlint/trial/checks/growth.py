"""What grows from item to item: open files, threads, memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise

from dlint.finding import Effect
from dlint.trial.records import Event
from dlint.trial.trials import Trial
from dlint.trial.wrong import Wrong

# So many items of a process tell whether something grows.
_FEWEST = 8
# Memory grows where each item adds as much, bytes, in the second half of the items as well.
_MEMORY = 1_000_000
_WORDS = {
    "files": ("open files", "close what is opened for an item: with open(...)"),
    "threads": ("threads", "end the threads that are started for an item: with ThreadPoolExecutor(...)"),
    "memory": ("memory", "see what is kept of every item: a cache, a list that is appended to"),
}


def check(trial: Trial, plain: Trial | None) -> Iterator[Wrong]:
    """What a process of worker code has more of with every item."""
    at = trial.records.loader.get("dataset_at")
    place = (str(at[0]), int(at[1]), str(at[2])) if at else None
    for size, (words, cure) in _WORDS.items():
        series = longest(trial, size)
        if grows(series, size):
            effect: Effect = "cost" if size == "memory" else "error"
            added = series[-1] / len(series)
            each = f"{added / 1e6:.1f} MB" if size == "memory" else f"{added:.1f}"
            yield Wrong(
                "DL103" if size == "threads" else None,
                f"{words} grow with every item: {each} an item, over {len(series)} items",
                cure,
                effect,
                place,
                or_rules=("DL504",) if size == "memory" else ("DL102", "DL104") if size == "threads" else (),
                sure=False,
                grows=size,
            )


def longest(trial: Trial, size: str) -> list[int]:
    """What the process that has read most items has added after each of them, from the first on."""
    processes = [_items(events) for events in trial.records.by_process.values()]
    most: Sequence[Event] = max(processes, key=len, default=[])
    # The first item loads libraries and fills buffers.
    return list(accumulate(event.grown.get(size, 0) for event in most[1:]))


def grows(series: Sequence[int], size: str) -> bool:
    """Whether it goes on and on: as much in the second half as in the first, and with nearly every item."""
    if len(series) < _FEWEST:
        return False
    middle = len(series) // 2
    first, second = series[middle - 1], series[-1] - series[middle - 1]
    least = _MEMORY if size == "memory" else 0.5
    rising = sum(after > before for before, after in pairwise(series))
    return (
        first >= least * middle
        and second >= least * (len(series) - middle)
        and rising >= (len(series) - 1) // 2
    )


def _items(events: Sequence[Event]) -> list[Event]:
    return [event for event in events if event.what == "item" and event.error is None]
