"""What the main process sets for itself, and workers that are started afresh do not have."""

from __future__ import annotations

from collections.abc import Iterator

from dlint.trial.trials import Trial
from dlint.trial.wrong import Wrong


def check(trial: Trial, plain: Trial | None) -> Iterator[Wrong]:
    """Settings that differ between the main process and its workers."""
    parent, begun = trial.records.first("parent"), trial.records.first("begun")
    if parent is None or begun is None or trial.forked:
        return
    for name, mine in parent["settings"].items():
        theirs = begun["settings"].get(name, mine)
        if name == "cv2.getNumThreads()" and not (mine <= 1 < theirs):
            continue  # more threads in the main process than in workers are nobody's mistake
        if theirs != mine:
            yield Wrong(
                "DL404",
                f"{name} is {mine} in the main process and {theirs} in its workers, which "
                f"{trial.way.method} starts afresh",
                "set it where workers import it, or in worker_init_fn",
                "silent",
                near=trial.records.files,
                about=name,
            )
