"""Which items come: doubled by streams that do not ask which worker they are in, or lost by workers that
share out lists in unlike orders."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dlint.trial.records import Event, place_of
from dlint.trial.trials import Trial
from dlint.trial.wrong import Wrong

# So many items must differ from one another before two equal sequences say something: labels alone are alike
# in parts that are shared out rightly.
_SOME = 3


def check(trial: Trial, plain: Trial | None) -> Iterator[Wrong]:
    """Workers of a stream that give the same items, or of which some items come from none."""
    if not trial.records.loader.get("stream") or trial.way.workers < 2:
        return
    at = trial.records.loader.get("dataset_at")
    place = place_of(at) if at else None
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
    elif now == once and (lost := _lost(trial, plain, 0)):
        told = f"{len(lost)} of {once} items come from no worker, and others come from several"
        # Shares that do not fit together lose the same items again, unlike orders lose others.
        if _all_draw(trial) and _lost(trial, plain, 1) not in (None, lost):
            yield Wrong(
                "DL508",
                f"{told}: each worker takes its share of an order that it has drawn itself",
                "shuffle with random.Random(info.seed - info.id), which is the same in all workers, or after "
                "dividing",
                "silent",
                place,
            )
        else:
            yield Wrong(None, told, "see how __iter__ shares the items out", "silent", place, sure=False)


def _lost(trial: Trial, plain: Trial, epoch: int) -> frozenset[int] | None:
    """The items that workers leave out of an epoch while others come from several of them. None where that
    cannot be known, since items are other ones in each epoch anyway, or alike in part."""
    whole = [_marks(plain, each) for each in _epochs(plain)]
    mine = _marks(trial, epoch)
    if len(whole) < 2 or mine is None or None in whole or len({frozenset(each or ()) for each in whole}) > 1:
        return None
    known, seen = frozenset(whole[0] or ()), frozenset(mine)
    if any(len(each or ()) != len(known) for each in whole) or not seen <= known or len(mine) != len(known):
        return None
    return known - seen


def _epochs(trial: Trial) -> list[int]:
    return sorted({event.epoch for event in _items(trial)})


def _marks(trial: Trial, epoch: int) -> list[int] | None:
    """The fingerprints of the items of an epoch; None where not all of them have one of the whole item."""
    marks = [event.mark if event.whole else None for event in _items(trial) if event.epoch == epoch]
    known = [mark for mark in marks if mark is not None]
    return known if len(known) == len(marks) else None


def _all_draw(trial: Trial) -> bool:
    """Whether each worker draws random numbers before its first item, and not the same ones."""
    states: dict[int, tuple[str, int]] = {}
    first: set[int] = set()
    for event in trial.records.events:
        if event.epoch or event.worker is None or event.worker in first or event.what not in ("iter", "item"):
            continue
        if event.changed:
            name, (before, _) = next(iter(event.changed.items()))
            states[event.worker] = (name, before)
        if event.what == "item" or event.changed:
            first.add(event.worker)
    return len(states) == len(first) > 1 and len(set(states.values())) == len(states)


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
