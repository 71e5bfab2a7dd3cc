"""Workers read one open file, in which all have one position."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePath

from dlint.trial.trials import Trial
from dlint.trial.wrong import Wrong


def check(trial: Trial, plain: Trial | None) -> Iterator[Wrong]:
    """Inherited files that workers have read from."""
    if not trial.forked or trial.way.workers < 2:
        return
    readers: dict[tuple[str | None, str], set[int | None]] = {}
    for event in trial.records.events:
        for moved in event.moved:
            readers.setdefault(moved, set()).add(event.worker)
    for (holder, file), workers in readers.items():
        if len(workers) < 2:
            continue
        yield Wrong(
            "DL403",
            f"{len(workers)} workers read {file} through one open file"
            f"{f', {holder}' if holder else ''}: each moves the position of all",
            "open it in the worker, at its first use in each process",
            "silent",
            near=trial.records.files,
            about=holder or PurePath(file).name,
        )
