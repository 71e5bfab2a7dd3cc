"""What a finding says of the program around a loader, confirmed by what the trials measured of the loader.

The trials read the loader themselves, so that mistakes of the user's own loop cannot be seen in them: there a
finding of static analysis is held against what its hazard costs or does with this very loader.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from dlint.finding import Finding
from dlint.trial.probe.places import Place
from dlint.trial.records import Records
from dlint.trial.trials import Trial

# How many times as long as a batch the start of the workers takes, to be worth a word.
_SLOWER = 3.0
# What a process may have open where nobody says otherwise.
_OPEN_FILES = 1024


def confirmed(finding: Finding, trials: Sequence[Trial]) -> str | None:
    """In a clause, how the trials show that a finding is right; None where they do not."""
    confirm = _BY_RULE.get(finding.code)
    return confirm(finding, trials) if confirm is not None else None


def _without_workers(trials: Sequence[Trial]) -> Records | None:
    return next((trial.records for trial in trials if not trial.way.workers), None)


def _order(finding: Finding, trials: Sequence[Trial]) -> str | None:
    records = _without_workers(trials)
    note = records.first("order") if records is not None else None
    if note is None or not note.get("same"):
        return None
    return (
        f"without set_epoch two epochs of the {note['sampler']} have the same order ({note['count']} indices)"
    )


def _restart(finding: Finding, trials: Sequence[Trial]) -> str | None:
    best: tuple[float, float] | None = None
    for trial in trials:
        for note in trial.records.of("epoch ended") if trial.way.workers else ():
            times = [float(each) for each in note["times"]]
            if len(times) > 2 and (best is None or times[0] < best[0]):
                best = (times[0], max((times[-1] - times[0]) / (len(times) - 1), 1e-6))
    if best is None or best[0] < _SLOWER * best[1]:
        return None
    first, batch = 1000 * best[0], 1000 * best[1]
    return f"each new iterator takes {first:.0f} ms until its first batch, and a batch {batch:.1f} ms"


def _scan(finding: Finding, trials: Sequence[Trial]) -> str | None:
    records = _without_workers(trials)
    if records is None:
        return None
    length = records.loader.get("length")
    seconds = sorted(event.seconds for event in records.events if event.what == "item")
    if not seconds or not isinstance(length, int):
        return None
    each = seconds[len(seconds) // 2]
    return (
        f"reading all {length} items only for this takes {each * length:.3g} s ({1000 * each:.2g} ms an item)"
    )


def _kept(finding: Finding, trials: Sequence[Trial]) -> str | None:
    for trial in trials:
        note = trial.records.first("kept")
        if note is not None and note.get("files", 0) >= note["batches"] > 0:
            each = note["files"] / note["batches"]
            return (
                f"{note['batches']} batches that were kept hold {note['files']} files open: "
                f"{_OPEN_FILES} are reached after {_OPEN_FILES / each:.0f} batches"
            )
    return None


def _called(finding: Finding, trials: Sequence[Trial]) -> str | None:
    records = _without_workers(trials)
    if records is None or not records.loader:
        return None
    told = records.loader
    if "worker_init_fn" in (told.get("given") or ()) and told.get("worker_init_fn") is None:
        return "worker_init_fn is None: what was called has given nothing, and no worker calls it"
    return None


def _pools(finding: Finding, trials: Sequence[Trial]) -> str | None:
    records = _without_workers(trials)
    made: dict[Place, int] = {}
    for note in records.of("pool") if records is not None else ():
        at = (str(note["place"][0]), int(note["place"][1]), "")
        made[at] = made.get(at, 0) + 1
    most = max(made.values(), default=0)
    return f"{most} pools were made at one line before the loader was read" if most > 1 else None


def _copied(finding: Finding, trials: Sequence[Trial]) -> str | None:
    records = _without_workers(trials)
    large = records.loader.get("large") if records is not None else None
    if not large:
        return None
    path, count = large[0]
    return (
        f"{path} holds {count:,} Python objects: who reads one writes to its page, so each worker copies it"
    )


def _no_workers(finding: Finding, trials: Sequence[Trial]) -> str | None:
    records = _without_workers(trials)
    if records is None or not records.loader or records.loader.get("num_workers"):
        return None
    seconds = sorted(event.seconds for event in records.events if event.what == "item")
    if not seconds:
        return None
    each = 1000 * seconds[len(seconds) // 2]
    batch = each * (records.loader.get("batch_size") or 1)
    return f"an item takes {each:.2g} ms and a batch {batch:.2g} ms, in which the process that trains waits"


_BY_RULE: Mapping[str, Callable[[Finding, Sequence[Trial]], str | None]] = {
    "DL105": _pools,
    "DL205": _called,
    "DL207": _order,
    "DL305": _no_workers,
    "DL306": _restart,
    "DL307": _scan,
    "DL504": _copied,
    "DL507": _kept,
}
