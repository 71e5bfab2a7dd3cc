"""Which items come: doubled by streams that do not ask which worker they are in, or lost."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dlint.trial.records import Event
from dlint.trial.trials import Trial
from dlint.trial.wrong import Wrong

# So many items must differ from one another before two equal sequences say something: labels alone are alike
# in parts that are shared out rightly.
_SOME = 3


def check(trial: Trial, plain: Trial | None) -> Iterator[Wrong]:
    """Workers of a stream that give the same items."""
    if not trial.records.loader.get("stream") or trial.way.workers < 2:
        return
    at = trial.records.loader.get("dataset_at")
    place = (str(at[0]), int(at[1]), str(at[2])) if at else None
    cure = "ask get_worker_info() in __iter__, and give each worker a part of its own"
    sequences = _by_worker(trial)
    alike = _alike(sequences)
    if alike:
        yield Wrong(
            "DL501",
            f"{trial.way.workers} workers give the same items: the first {alike} of each are alike",
            cure,
            "silent",
            place,
        )
        return
    if plain is None or not (_is_whole(trial) and _is_whole(plain)):
        return
    once, now = _count(plain), _count(trial)
    if once and now == trial.way.workers * once:
        yield Wrong(
            "DL501",
            f"{trial.way.workers} workers give {now} items an epoch, and one process {once}",
            cure,
            "silent",
            place,
        )
    elif now < once and not trial.records.loader.get("drop_last"):
        yield Wrong(
            None,
            f"{trial.way.workers} workers give {now} items an epoch, and one process {once}",
            "see how __iter__ shares the items out",
            "silent",
            place,
            sure=False,
        )


def _by_worker(trial: Trial) -> list[list[int]]:
    """The items of the first epoch, by worker, as fingerprints."""
    found: dict[int, list[int]] = {}
    for event in _items(trial):
        if event.epoch == 0 and event.worker is not None and event.mark is not None and event.whole:
            found.setdefault(event.worker, []).append(event.mark)
    return list(found.values())


def _alike(sequences: Sequence[Sequence[int]]) -> int:
    """How many items all workers give alike from the beginning on, 0 where they do not."""
    if len(sequences) < 2:
        return 0
    shortest = min(map(len, sequences))
    first = sequences[0][:shortest]
    same = all(each[:shortest] == first for each in sequences)
    return shortest if same and len(set(first)) >= max(_SOME, shortest // 2) else 0


def _items(trial: Trial) -> list[Event]:
    return [event for event in trial.records.events if event.what == "item" and event.error is None]


def _is_whole(trial: Trial) -> bool:
    ended = trial.records.of("epoch ended")
    return bool(ended) and all(note["whole"] for note in ended)


def _count(trial: Trial) -> int:
    """Items of the first epoch."""
    return sum(event.epoch == 0 for event in _items(trial))
