"""Options of the loader that do nothing, or fail once it is used."""

from __future__ import annotations

from collections.abc import Iterator

from dlint.trial.records import place_of
from dlint.trial.trials import Trial
from dlint.trial.wrong import Wrong


def check(trial: Trial, plain: Trial | None) -> Iterator[Wrong]:
    """What the loader itself says: it is the same in all trials."""
    told = trial.records.loader
    if not told:
        return
    made = told.get("made")
    place = place_of(made) if made else None
    if told["num_workers"] == 0:
        if told["timeout"]:
            yield Wrong(
                "DL304",
                f"timeout={told['timeout']:g} without workers is an AssertionError once the loader is read",
                "give the option only where num_workers is above 0",
                "error",
                place,
            )
    elif told["prefetch_factor"] is not None and told["prefetch_factor"] < 1:
        yield Wrong(
            "DL304",
            f"prefetch_factor={told['prefetch_factor']} is an AssertionError once the loader is read",
            "a prefetch_factor of at least 1, or none",
            "error",
            place,
        )
    if _takes_batches(trial):
        yield Wrong(
            "DL302",
            "the sampler gives lists of indices, which reach __getitem__ as they are",
            "batch_sampler= for what gives batches, or batch_size=None",
            "error",
            place,
        )


def _takes_batches(trial: Trial) -> bool:
    """Whether items are asked for by lists of indices while the loader makes batches of them again."""
    items = [event for event in trial.records.events if event.what == "item"]
    return bool(
        trial.records.loader.get("batch_size")
        and not trial.records.loader.get("stream")
        and items
        and all(isinstance(event.asked, list) and _numbers(event.asked) for event in items)
    )


def _numbers(index: list[object]) -> bool:
    return bool(index) and all(isinstance(each, int) for each in index)
