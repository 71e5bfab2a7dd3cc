"""The folder of a survey: what was asked for, and Parquet in parts.

A part is two files of one number: the findings of some versions, then the rows of these versions, which say
that the part is whole. What a killed survey has left of a part without the second counts for nothing.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from dlint.own_process.ending import whole
from dlint.source.reading import SourceError, read_bytes
from dlint.survey.limited import Limits
from dlint.survey.rows import FINDINGS, REPOSITORIES, findings_of, repository_of, table
from dlint.survey.sources import Source, Version

_PLAN = "survey.json"
_MOST_BYTES = 1_000_000_000
_FORMAT = 1
_UNDONE = ".unfinished"

# The name of a repository and a commit of it.
Key = tuple[str, str | None]


class StoreError(Exception):
    """A folder holds no survey, or another one: one line that says so."""


class Plan(NamedTuple):
    """What a survey is to do: ``choices`` are those of ``dlint check`` by name; ``dlint`` is the release that
    does it."""

    sources: tuple[Source, ...]
    history: int | None
    choices: Mapping[str, Any]
    limits: Limits
    dlint: str

    def as_json(self) -> dict[str, Any]:
        """The same in plain JSON values."""
        return {
            "format": _FORMAT,
            "dlint": self.dlint,
            "history": self.history,
            "limits": self.limits._asdict(),
            "choices": dict(self.choices),
            "sources": [list(each) for each in self.sources],
        }


class Store:
    """A survey's folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._findings = folder / "findings"
        self._repositories = folder / "repositories"

    def begin(self, plan: Plan) -> None:
        """Make the folder that of a new survey. Raises StoreError where it holds something, OSError."""
        self.folder.mkdir(parents=True, exist_ok=True)
        if any(self.folder.iterdir()):
            what = "holds a survey: --resume goes on with it" if self.holds_plan() else "is not empty"
            raise StoreError(f"{self.folder}: {what}")
        for each in (self._findings, self._repositories):
            each.mkdir()
        written = self.folder / f"{_PLAN}{_UNDONE}"
        written.write_text(json.dumps(plan.as_json(), indent=1), encoding="utf-8")
        written.replace(self.folder / _PLAN)

    @contextlib.contextmanager
    def alone(self) -> Iterator[None]:
        """Keeps another survey out of the folder, for as long as this process lives. Raises StoreError."""
        with (self.folder / _PLAN).open("rb") as file:
            try:
                import fcntl
            except ImportError:  # Windows
                yield
                return
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise StoreError(f"{self.folder}: another process is at this survey") from None
            except OSError:
                pass  # a file system without locks
            yield

    def holds_plan(self) -> bool:
        """Whether a survey was begun here."""
        return (self.folder / _PLAN).is_file()

    def plan(self) -> Plan:
        """What the survey is to do. Raises StoreError."""
        if not self.holds_plan():
            raise StoreError(f"{self.folder}: no survey was begun here")
        try:
            told = json.loads(read_bytes(self.folder / _PLAN, _MOST_BYTES))
            if told["format"] != _FORMAT:
                raise StoreError(f"{self.folder}: a survey of another release of dlint ({told['dlint']})")
            return Plan(
                tuple(Source(*each) for each in told["sources"]),
                told["history"],
                told["choices"],
                Limits(**told["limits"]),
                told["dlint"],
            )
        except (SourceError, ValueError, KeyError, TypeError) as error:
            raise StoreError(f"{self.folder}: {_PLAN} cannot be read: {error}") from error

    def go_on(self) -> set[Key]:
        """Take away what was left unfinished. The versions that are done."""
        done = {path.name for path in self._parts(self._repositories)}
        for path in (*self._findings.iterdir(), *self._repositories.iterdir()):
            if path.name not in done:
                path.unlink()
        return {(row["repository"], row["version"]) for row in self.repositories("repository", "version")}

    def add(self, done: Sequence[tuple[Version, Mapping[str, Any]]]) -> None:
        """Keep what was found in some versions: all of it or nothing."""
        if not done:
            return
        findings = [row for version, answer in done for row in findings_of(version, answer)]
        rows = [repository_of(version, answer) for version, answer in done]
        numbers = [int(path.stem.rpartition("-")[2]) for path in self._parts(self._repositories)]
        name = f"part-{max(numbers, default=0) + 1:06}.parquet"
        with whole() as not_to_outlast:
            for folder, kept in (
                (self._findings, table(findings, FINDINGS)),
                (self._repositories, table(rows, REPOSITORIES)),
            ):
                written = folder / f"{name}{_UNDONE}"
                not_to_outlast(written)
                pq.write_table(kept, written, compression="zstd")
                with written.open("rb") as file:
                    os.fsync(file.fileno())
                written.replace(folder / name)

    def repositories(self, *columns: str) -> list[dict[str, Any]]:
        """The rows of the versions, in no order. Raises StoreError."""
        rows: list[dict[str, Any]] = self._table(self._repositories, REPOSITORIES, columns).to_pylist()
        return rows

    def findings(self, *columns: str) -> Iterator[dict[str, Any]]:
        """The rows of the findings, part by part: they may be more than memory holds. Raises StoreError."""
        finished = {path.name for path in self._parts(self._repositories)}
        for path in self._parts(self._findings):
            if path.name in finished:
                yield from _read(path, columns).to_pylist()

    def _table(self, folder: Path, schema: pa.Schema, columns: Sequence[str]) -> pa.Table:
        parts = [_read(path, columns) for path in self._parts(folder)]
        chosen = pa.schema([schema.field(name) for name in columns]) if columns else schema
        return pa.concat_tables(parts) if parts else chosen.empty_table()

    @staticmethod
    def _parts(folder: Path) -> list[Path]:
        return sorted(folder.glob("part-*.parquet"))


def _read(path: Path, columns: Sequence[str]) -> pa.Table:
    try:
        # One file: as a data set, folders' names would become columns.
        with pq.ParquetFile(path) as file:
            return file.read(list(columns) or None)
    except (OSError, pa.ArrowException) as error:
        raise StoreError(f"{path}: cannot be read: {error}") from error
