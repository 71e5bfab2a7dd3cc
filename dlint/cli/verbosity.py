"""How much is said beside the findings: ``-q``, ``-s`` and ``-v``."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import IntEnum
from typing import Any

import click

from dlint.cli.options import CannotDo
from dlint.cli.output import complain


class Verbosity(IntEnum):
    """Each says all that the one before it says. What could not be done is told in any case."""

    SILENT = 0
    FINDINGS_ONLY = 1
    USUAL = 2
    VERBOSE = 3

    @property
    def shows_findings(self) -> bool:
        """Whether findings are shown; the exit code tells in any case."""
        return self > Verbosity.SILENT

    @property
    def sums_up(self) -> bool:
        """Whether there are closing lines, and a bar where it takes long."""
        return self >= Verbosity.USUAL

    def add(self, text: str) -> None:
        """One line on standard error, for those who want to know how it went."""
        if self is Verbosity.VERBOSE:
            complain(text)

    @contextmanager
    def timed(self, what: str) -> Iterator[None]:
        """Says how many seconds something took."""
        started = time.perf_counter()
        yield
        self.add(f"{what}: {time.perf_counter() - started:.2f} s")


_OPTIONS = (
    click.option("--quiet", "-q", is_flag=True, help="Findings only: no closing lines, no progress."),
    click.option("--silent", "-s", is_flag=True, help="Nothing but the exit code, and what went wrong."),
    click.option("--verbose", "-v", is_flag=True, help="Also say how it went, on standard error."),
)


def verbosity_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """``-q``, ``-s``, ``-v``: arrive as ``verbosity``. Raises CannotDo where they contradict each other."""

    @functools.wraps(command)
    def gathering(*args: Any, quiet: bool, silent: bool, verbose: bool, **options: Any) -> Any:
        if quiet + silent + verbose > 1:
            raise CannotDo("--quiet, --silent and --verbose exclude each other")
        verbosity = Verbosity.USUAL
        for given, meant in (
            (quiet, Verbosity.FINDINGS_ONLY),
            (silent, Verbosity.SILENT),
            (verbose, Verbosity.VERBOSE),
        ):
            if given:
                verbosity = meant
        return command(*args, verbosity=verbosity, **options)

    gathered: Callable[..., Any] = gathering
    for option in reversed(_OPTIONS):
        gathered = option(gathered)
    return gathered
