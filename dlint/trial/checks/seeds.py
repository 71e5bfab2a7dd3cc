"""Seeds that worker code sets: the same numbers come again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from dlint.trial.draws import Drawn, Reader, drawn, in_words, only_to_begin, repeats
from dlint.trial.probe.places import Place
from dlint.trial.records import place_of
from dlint.trial.trials import Trial
from dlint.trial.wrong import Wrong

_VALUES = 3  # seeds that are told
_NAMES = {"numpy": "np.random.seed", "random": "random.seed", "torch": "torch.manual_seed"}


def check(trial: Trial, plain: Trial | None) -> Iterator[Wrong]:
    """Seeds in worker_init_fn, and in what reads the items."""
    streams = drawn(trial)
    for library, name in _NAMES.items():
        seeds = [note for note in trial.records.of("seed") if note["library"] == library]
        back = {_event(note) for note in trial.records.of("state") if note["library"] == library}
        # What is put back afterwards reaches nobody else.
        items = [each for each in seeds if each["phase"] in _ITEM and _event(each) not in back]
        draws = streams.get(library, {})
        # Whoever seeds and draws before the first item of a stream orders what its workers share out.
        if not (trial.records.loader.get("stream") and only_to_begin(trial, draws)):
            yield from _in_items(trial, name, items, draws)
    if trial.way.workers:
        yield from _at_start(trial, streams)


_ITEM = ("item", "items", "collate", "iter")


def _in_items(
    trial: Trial, name: str, seeds: list[Mapping[str, Any]], draws: Mapping[Reader, list[Drawn]]
) -> Iterator[Wrong]:
    """Seeds that come again: for another item, in another worker or another epoch."""
    if not trial.way.workers:
        return
    places: dict[Place, list[int]] = {}
    for seed in seeds:
        # What nobody draws from does not matter.
        if _matters(seed, draws):
            places.setdefault(place_of(seed["place"]), []).append(seed["state"])
    for at, states in places.items():
        distinct = len(set(states))
        if distinct < len(states):
            which, alike = (
                ("always with the same seed", "the same numbers each time")
                if distinct == 1
                else (f"with {distinct} different seeds", "the same numbers again")
            )
            yield Wrong(
                "DL201",
                f"{name} is called in worker code {len(states)} times, {which}: items get {alike}",
                "leave it out; for numbers that belong to an item, np.random.default_rng([seed, index])",
                "silent",
                at,
            )


def _event(note: Mapping[str, Any]) -> tuple[object, ...]:
    """The item, of a process, with which something was called."""
    return (note["pid"], note["phase"], str(note["index"]))


def _matters(seed: Mapping[str, Any], draws: Mapping[Reader, list[Drawn]]) -> bool:
    """Whether something is drawn after a seed, by the process that set it."""
    mine = [draw for each in draws.values() for draw in each if draw.event.pid == seed["pid"]]
    return any(draw.after != seed["state"] for draw in mine)


def _at_start(trial: Trial, streams: Mapping[str, Mapping[Reader, list[Drawn]]]) -> Iterator[Wrong]:
    """Seeds of worker_init_fn by which workers, or epochs, draw alike: one mistake, whatever they are of."""
    notes: dict[str, list[Mapping[str, Any]]] = {}
    for note in trial.records.of("seed"):
        if note["phase"] == "worker_init_fn":
            notes.setdefault(str(note["library"]), []).append(note)
    kept = bool(trial.records.loader.get("persistent"))
    by_kind: dict[str, list[str]] = {}
    for library in notes:
        if how := list(repeats(streams.get(library, {}), kept=kept)):
            by_kind.setdefault(in_words(how), []).append(library)
    for words, libraries in by_kind.items():
        mine = notes[libraries[0]]
        values = ", ".join(sorted({str(note["value"]) for note in mine})[:_VALUES])
        calls = " and ".join(_NAMES[each] for each in libraries)
        yield Wrong(
            "DL204",
            f"{calls} in worker_init_fn, with the same seed again ({values}): {words}",
            "seed from torch.initial_seed() % 2**32",
            "silent",
            place_of(mine[0]["place"]),
            # Its values may be others for the loader of the next epoch.
            needs_finding=bool(trial.records.loader.get("init_fn_is_bound"))
            and words == in_words(["epochs"]),
        )
