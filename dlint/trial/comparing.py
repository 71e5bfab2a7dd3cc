"""Items that are others with workers than without, of a dataset that gives the same in every epoch.

That is no mistake by itself: an item may well say which process has read it. Beside a file that workers
share, or a setting that they lack, it shows what came of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dlint.trial.trials import Trial


def differing(trials: Sequence[Trial]) -> Mapping[str, tuple[int, int]]:
    """Of each trial with workers whose items differ: how many do, of how many that could be compared."""
    plain = next((trial for trial in trials if not trial.way.workers), None)
    if plain is None or plain.records.loader.get("stream"):
        return {}
    same = _always_the_same(plain)
    found: dict[str, tuple[int, int]] = {}
    for trial in trials:
        marks = _marks(trial) if trial.way.workers else {}
        compared = [index for index in marks if index in same]
        others = sum(marks[index] != {same[index]} for index in compared)
        if others:
            found[trial.name] = (others, len(compared))
    return found


def _always_the_same(plain: Trial) -> Mapping[str, int]:
    """The items that came more than once, and always alike, without anything being drawn for them."""
    drawn = {str(event.asked) for event in plain.records.events if event.changed}
    counts: dict[str, int] = {}
    for event in plain.records.events:
        if event.what == "item":
            counts[str(event.asked)] = counts.get(str(event.asked), 0) + 1
    return {
        index: next(iter(marks))
        for index, marks in _marks(plain).items()
        if len(marks) == 1 and counts[index] > 1 and index not in drawn
    }


def _marks(trial: Trial) -> Mapping[str, set[int]]:
    """The fingerprints of the items, by their indices; of those alone that can be compared whole."""
    found: dict[str, set[int]] = {}
    for event in trial.records.events:
        if event.what == "item" and event.whole and event.mark is not None and event.error is None:
            found.setdefault(str(event.asked), set()).add(event.mark)
    return found
