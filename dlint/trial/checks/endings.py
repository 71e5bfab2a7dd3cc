"""An epoch that ends where nobody meant it to."""

from __future__ import annotations

from collections.abc import Iterator

from dlint.trial.trials import Trial
from dlint.trial.wrong import Wrong


def check(trial: Trial, plain: Trial | None) -> Iterator[Wrong]:
    """StopIteration that comes out of a dataset which is read by indices."""
    if trial.records.loader.get("stream"):
        return
    for event in trial.records.events:
        if (
            event.what in ("item", "items")
            and event.error is not None
            and event.error.type == "StopIteration"
        ):
            yield Wrong(
                "DL505",
                f"item {event.asked} raises StopIteration, which ends the epoch without a word",
                "take the next with a default, or raise another error",
                "silent",
                event.error.place,
            )
            return
