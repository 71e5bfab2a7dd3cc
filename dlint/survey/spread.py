"""A survey's work among Dask's workers. The scheduler, the queue and the retries are Dask's."""

from __future__ import annotations

import contextlib
import logging
import os
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import dask
from distributed import Client, Future, LocalCluster, as_completed
from distributed.scheduler import KilledWorker

from dlint.running.git import GitError
from dlint.survey.limited import Limits, read_version
from dlint.survey.sources import Source, Version, versions
from dlint.survey.store import Key, Plan, Store

# A part is written when so many versions are done, or after so many seconds: a killed survey loses no more.
_PART = 200
_SECONDS = 20.0
_TICK = 0.02  # seconds between two looks whether something has come

# Is told how many versions are done, and how many there are as far as is known.
Told = Callable[[int, int], None]


class SpreadError(Exception):
    """The cluster cannot do the work: one line that says why."""


@contextlib.contextmanager
def cluster(scheduler: str | None, workers: int) -> Iterator[Client]:
    """A cluster of this machine's, with so many workers, one process each; or one that is already there, by
    its scheduler's address or file. Raises SpreadError."""
    known: dict[str, Any] = {"address": scheduler}
    if scheduler is not None and os.path.isfile(scheduler):  # noqa: PTH113 - an address is no path
        known = {"scheduler_file": os.path.abspath(scheduler)}  # noqa: PTH100
    with tempfile.TemporaryDirectory(prefix="dlint-survey-") as scratch, dask.config.set(_quiet()):
        here = os.getcwd()  # noqa: PTH109 - back to a folder that is a link
        # Workers are started by `python -c`, for which the working directory comes first on the path: of the
        # tree that somebody stands in, nothing must be imported.
        os.chdir(scratch)
        try:
            with contextlib.ExitStack() as ending:
                if scheduler is None:
                    known["address"] = ending.enter_context(
                        LocalCluster(
                            n_workers=workers,
                            threads_per_worker=1,
                            processes=True,
                            memory_limit=0,  # what reads is a process of its own, with a limit of its own
                            dashboard_address=None,
                            # Its pages are served in any case: there are none, at a port that nobody has.
                            scheduler_kwargs={"dashboard_address": "127.0.0.1:0"},
                            local_directory=scratch,
                            silence_logs=logging.CRITICAL,
                            security=True,  # who else is on this machine must not give our workers work
                        )
                    )
                try:
                    client = ending.enter_context(Client(**known, set_as_default=False))
                except (OSError, ValueError, TypeError) as error:
                    raise SpreadError(f"no scheduler answers at {scheduler}: {error}") from error
                yield client
        finally:
            os.chdir(here)


def _quiet() -> dict[str, Any]:
    """A worker that was killed is told of in the survey, and no news on a terminal."""
    return {
        "distributed.logging.distributed": "critical",
        "distributed.admin.log-format": "%(message)s",
        "distributed.scheduler.http.routes": [],
        "distributed.worker.http.routes": [],
    }


def spread(client: Client, plan: Plan, store: Store, told: Told) -> None:
    """Read all versions that the plan asks for and the store does not have, and keep what is found. Raises
    SpreadError."""
    done = store.go_on()
    work = _Work(client, plan, store, done, told)
    try:
        with client.as_current():
            work.all()
    finally:
        work.keep()


class _Work:
    def __init__(self, client: Client, plan: Plan, store: Store, done: set[Key], told: Told) -> None:
        self._client = client
        self._plan = plan
        self._store = store
        self._seen = done
        self._told = told
        self._asked: dict[str, Source | Version] = {}
        # What was being read when workers died; None once each of them is read alone.
        self._suspects: list[Version] | None = []
        self._found: list[tuple[Version, Mapping[str, Any]]] = []
        self._kept_at = time.monotonic()
        self._done = len(done)

    def all(self) -> None:
        """First the versions of each source, then what is in them: both are work for the workers."""
        waiting = as_completed(
            [self._submit(source, _versions, source, self._plan.history) for source in self._plan.sources],
            with_results=True,
            raise_errors=False,
        )
        self._until_done(waiting)
        # With a worker dies what else it was given to read, too: each is read once more, by itself.
        suspects, self._suspects = self._suspects or [], None
        for version in suspects:
            waiting.add(self._read(version))
            self._until_done(waiting)

    def _until_done(self, waiting: Any) -> None:
        while waiting.count():
            if waiting.has_ready():
                ready: Any = next(waiting)
                self._take(ready[0], ready[1], waiting)
            else:
                time.sleep(_TICK)
            if len(self._found) >= _PART or time.monotonic() - self._kept_at > _SECONDS:
                self.keep()

    def _take(self, future: Future[Any], result: Any, waiting: Any) -> None:
        """What one of the workers has answered."""
        asked = self._asked.pop(str(future.key))
        if future.status not in ("finished", "error"):
            raise SpreadError("the scheduler has gone")
        killed = future.status == "error" and isinstance(result[1], KilledWorker)
        if future.status == "error" and not killed:
            raise SpreadError(f"a worker cannot read: {result[1]!r}")
        if isinstance(asked, Version) and killed and self._suspects is not None:
            self._suspects.append(asked)
        elif isinstance(asked, Version):
            self._add(asked, _killed() if killed else result)
        elif killed or isinstance(result, str):
            self._fail(asked, _killed() if killed else {"outcome": "not read", "reason": result})
        else:
            for version in result:
                key = (version.source.name, version.commit)
                if key not in self._seen:
                    self._seen.add(key)
                    waiting.add(self._read(version))
        self._told(self._done, self._done + len(self._asked) + len(self._suspects or ()))

    def _read(self, version: Version) -> Future[Any]:
        limits = Limits(*self._plan.limits)
        return self._submit(version, read_version, version, dict(self._plan.choices), limits)

    def _submit(self, asked: Source | Version, work: Callable[..., Any], *arguments: Any) -> Future[Any]:
        # Versions before sources: what was found goes to the disk, and memory holds little.
        priority = 1 if isinstance(asked, Version) else 0
        future = self._client.submit(work, *arguments, pure=False, priority=priority)
        self._asked[str(future.key)] = asked
        return future

    def _fail(self, source: Source, answer: Mapping[str, Any]) -> None:
        """Nobody knows which versions a source has: one row says why."""
        if source.revision is not None:
            source = source._replace(name=f"{source.name}@{source.revision}")
        key = (source.name, None)
        if key not in self._seen:
            self._seen.add(key)
            self._add(Version(source), answer)

    def _add(self, version: Version, answer: Mapping[str, Any]) -> None:
        if answer.get("dlint", self._plan.dlint) != self._plan.dlint:
            raise SpreadError(
                f"the workers have dlint {answer['dlint']}, and this survey is made with {self._plan.dlint}"
            )
        self._found.append((version, answer))
        self._done += 1

    def keep(self) -> None:
        """Put what has come on the disk."""
        found, self._found = self._found, []
        self._store.add(found)
        self._kept_at = time.monotonic()


def _versions(source: Source, history: int | None) -> list[Version] | str:
    """The versions of a source; why nobody can tell, where that is so."""
    try:
        return versions(source, history)
    except GitError as error:
        return str(error)


def _killed() -> dict[str, Any]:
    """Dask gives up on what has killed several workers."""
    return {"outcome": "killed its worker", "reason": "Dask's workers died while they read it"}
