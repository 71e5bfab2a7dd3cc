"""What is said of a loader, as plain data: strings, numbers and findings."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from dlint.finding import Finding


@dataclass(frozen=True)
class ArgumentView:
    """An argument that a loader gets: what it may be, and where that is written (``path:line``)."""

    name: str
    values: tuple[str, ...]
    written: str | None = None


@dataclass(frozen=True)
class CallView:
    """A function of the project that workers execute: where it begins and ends, what of libraries it calls
    and how often that stands there, and what of the project it calls. ``times``: so many places call it.
    ``cell``: that of a notebook, in which lines count then."""

    name: str
    path: str
    line: int
    end_line: int
    library: tuple[tuple[str, int], ...] = ()
    calls: tuple[CallView, ...] = ()
    times: int = 1
    cell: int | None = None

    def spans(self) -> Iterator[tuple[str, int, int]]:
        """Its lines, and those of what it calls: file, first and last."""
        yield self.path, self.line, self.end_line
        for call in self.calls:
            yield from call.spans()


@dataclass(frozen=True)
class PartView:
    """Something that goes to the workers with the dataset: where it is held and what it is. ``pickled`` is
    False where only forked workers get it."""

    place: str
    what: str
    pickled: bool


@dataclass(frozen=True)
class LoaderView:
    """A loader: where it is made, what it is given, what its workers are and do. ``start_method`` is None
    where the project leaves it open; ``draws`` are the libraries that worker code draws random numbers from,
    each with who seeds them there; ``shelters`` the calls that protect the workers."""

    path: str
    line: int
    end_line: int
    column: int
    kind: str
    scope: str
    arguments: tuple[ArgumentView, ...]
    has_workers: bool
    start_method: str | None = None
    datasets: tuple[str, ...] = ()
    workers: tuple[CallView, ...] = ()
    draws: tuple[tuple[str, str], ...] = ()
    parts: tuple[PartView, ...] = ()
    shelters: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = field(default=())
    cell: int | None = None

    def spans(self) -> Iterator[tuple[str, int, int]]:
        """The lines of the loader, and of the functions that its workers execute: file, first and last."""
        yield self.path, self.line, self.end_line
        for call in self.workers:
            yield from call.spans()
