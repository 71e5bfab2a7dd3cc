"""A progress bar on the terminal, for runs that take more than a second."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

_PATIENCE = 1.0


class Show(Protocol):
    """Shows how far a run has come."""

    def __call__(self, done: int, total: int, doing: str = "checking files") -> None: ...


@contextmanager
def progress(*, wanted: bool = True) -> Iterator[Show | None]:
    """What the engine calls with (done, total); None where nobody would see a bar, or it is not wanted.

    The bar goes to standard error and vanishes at the end. rich is imported only once there is a wait.
    """
    if not (wanted and sys.stderr.isatty()):
        yield None
        return
    bar: _Bar | None = None
    started = time.monotonic()

    def show(done: int, total: int, doing: str = "checking files") -> None:
        nonlocal bar
        if bar is None and time.monotonic() - started > _PATIENCE:
            bar = _Bar()
        if bar is not None:
            bar.show(done, total, doing)

    try:
        yield show
    finally:
        if bar is not None:
            bar.end()


class _Bar:
    def __init__(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            console=Console(stderr=True),
            transient=True,
        )
        self._task = self._progress.add_task("checking")
        self._progress.start()

    def show(self, done: int, total: int, doing: str) -> None:
        self._progress.update(self._task, completed=done, total=total, description=doing)

    def end(self) -> None:
        self._progress.stop()
