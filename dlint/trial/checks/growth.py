"""What grows from item to item: open files, threads, memory."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import accumulate, pairwise

from dlint.finding import Effect
from dlint.trial.records import Event, place_of
from dlint.trial.trials import Trial
from dlint.trial.wrong import Wrong

# So many items of a process tell whether something grows.
_FEWEST = 8
# So many batches must have been begun to see memory grow: the first ones fill what the allocator keeps.
_FEWEST_BATCHES = 6
# What is counted in bytes, and grows where each item adds as many in the second half of the items as well.
BYTES = ("memory", "shared memory")
_MEMORY = 1_000_000
_WORDS = {
    "files": ("open files grow", "close what is opened for an item: with open(...)"),
    "threads": ("threads grow", "end the threads that are started for an item: with ThreadPoolExecutor(...)"),
    "memory": ("memory grows", "see what is kept of every item: a cache, a list that is appended to"),
    "shared memory": ("shared memory grows", "see which tensors are shared and kept, or never unlinked"),
}


def check(trial: Trial, plain: Trial | None) -> Iterator[Wrong]:
    """What a process of worker code has more of with every item."""
    at = trial.records.loader.get("dataset_at")
    place = place_of(at) if at else None
    for size, (words, cure) in _WORDS.items():
        series = longest(trial, size)
        if grows(series, size):
            effect: Effect = "cost" if size in BYTES else "error"
            added = series[-1] / len(series)
            each = f"{added / 1e6:.1f} MB" if size in BYTES else f"{added:.1f}"
            yield Wrong(
                "DL103" if size == "threads" else None,
                f"{words} with every item: {each} an item, over {len(series)} items",
                cure,
                effect,
                place,
                or_rules=("DL102", "DL104") if size == "threads" else (),
                sure=False,
                grows=size,
            )


def longest(trial: Trial, size: str) -> list[int]:
    """What the process that has read most items has more of at each item than at its second, and keeps from
    then on. The first item loads libraries and fills buffers."""
    processes = [_begins(events, size) for events in trial.records.by_process.values()]
    begins: Sequence[int] = max(processes, key=len, default=[])[1:]
    # What goes again is none of it: items lie there until their batch is sent, and until it is read.
    kept = list(accumulate(reversed(begins), min))[::-1]
    return [each - kept[0] for each in kept]


def grows(series: Sequence[int], size: str) -> bool:
    """Whether it goes on and on: as much in the second half as in the first, and in every quarter."""
    if len(series) < _FEWEST:
        return False
    middle = len(series) // 2
    first, second = series[middle], series[-1] - series[middle]
    least = _MEMORY if size in BYTES else 0.5
    quarters = [series[number * (len(series) - 1) // 4] for number in range(5)]
    return (
        first >= least * middle
        and second >= least * (len(series) - 1 - middle)
        and all(after > before for before, after in pairwise(quarters))
    )


def is_contradicted(wrong: Wrong, ways: Collection[str], trials: Sequence[Trial]) -> bool:
    """Whether memory that grew in some trials (``ways``, by name) did not in others that went as far: what an
    allocator takes may grow for a while, what is kept of every item grows in all of them."""
    size = wrong.grows
    if size not in BYTES:
        return False
    return any(
        len(series := longest(trial, size)) >= _FEWEST and not grows(series, size)
        for trial in trials
        if trial.name not in ways
    )


def _begins(events: Sequence[Event], size: str) -> list[int]:
    """How much there was at the beginning of each item; of the last batch, after which nothing is known, only
    at that of its first."""
    found: list[int] = []
    last, batches, is_sent = 0, 0, True
    for event in events:
        if event.what == "collate":
            is_sent = True
        elif event.what == "item" and event.error is None and size in event.size:
            if is_sent:
                last, batches, is_sent = len(found), batches + 1, False
            found.append(event.size[size])
    if size in BYTES and batches < _FEWEST_BATCHES:
        return []
    return found[: last + 1]
