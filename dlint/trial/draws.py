"""Who drew what: the states of generators, by worker and epoch."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from dlint.trial.records import Event
from dlint.trial.trials import Trial

# A worker of an epoch: its number, None in the main process, and the epoch.
Reader = tuple[int | None, int]


class Drawn(NamedTuple):
    """What one event drew: the state before and after."""

    event: Event
    before: int
    after: int


def drawn(trial: Trial) -> Mapping[str, Mapping[Reader, list[Drawn]]]:
    """The draws from each stream, in their order."""
    found: dict[str, dict[Reader, list[Drawn]]] = {}
    for event in trial.records.events:
        for name, (before, after) in event.changed.items():
            reader = (event.worker, event.epoch)
            found.setdefault(name, {}).setdefault(reader, []).append(Drawn(event, before, after))
    return found


def only_to_begin(trial: Trial, readers: Mapping[Reader, list[Drawn]]) -> bool:
    """Whether workers draw from a stream once, with their first item, and from others after that: it
    then only helps to seed those."""
    for (worker, epoch), draws in readers.items():
        events = [
            e for e in trial.records.events if (e.worker, e.epoch) == (worker, epoch) and e.what == "item"
        ]
        if len(draws) > 1 or len(events) < 2 or draws[0].event is not events[0]:
            return False
    return True


def repeats(readers: Mapping[Reader, list[Drawn]], *, kept: bool) -> Iterator[str]:
    """In which ways a stream repeats: "workers" draw alike, "epochs" begin alike (never asked of workers that
    are ``kept``, and of the main process, which goes on)."""
    begins = {reader: draws[0].before for reader, draws in readers.items() if reader[0] is not None}
    epochs = {epoch for _, epoch in begins}
    for epoch in epochs:
        states = [state for (_, each), state in begins.items() if each == epoch]
        if len(set(states)) < len(states):
            yield "workers"
            break
    if kept:
        return
    for worker in {worker for worker, _ in begins}:
        states = [state for (each, _), state in begins.items() if each == worker]
        if len(set(states)) < len(states):
            yield "epochs"
            break


def in_words(kinds: list[str]) -> str:
    """What the repetition means."""
    if len(kinds) == 2:
        return "all workers draw the same numbers, in every epoch"
    return (
        "all workers draw the same numbers"
        if kinds == ["workers"]
        else "workers draw the same numbers in every epoch"
    )
