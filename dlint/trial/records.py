"""What was noted while a loader was tried, as data."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from dlint.trial.probe.places import Place, is_own

# The notes of one trial are read as far as this, bytes: a program may try to note for ever.
_MOST = 64_000_000


class Raised(NamedTuple):
    """What was raised: its class, its message, and the lines that it came through, outermost first."""

    type: str
    message: str
    frames: tuple[Place, ...]

    @property
    def place(self) -> Place | None:
        """The innermost line of the user's code."""
        return next((each for each in reversed(self.frames) if is_own(each[0])), None)

    @property
    def text(self) -> str:
        """The last line as Python prints it."""
        first = self.message.strip().splitlines()
        return f"{self.type}: {first[0]}" if first else self.type


class Event(NamedTuple):
    """Something that worker code did: an ``item`` (or several, ``items``), a ``collate``, an ``iter``.
    ``asked`` is the index of a dataset, or the number of an item of a stream.

    ``worker`` is None in the main process. ``changed`` has the states, before and after, of the generators
    that were drawn from or seeded, ``size`` the open files, threads and bytes of memory that there were
    before, ``grown`` what was added of each;
    ``mark`` is the fingerprint of what it returned, ``whole`` whether all of it went in; ``moved`` the
    inherited files that were read, by the path to who holds them and their own; ``cv2`` the functions of
    OpenCV that were called.
    """

    what: str
    asked: object
    worker: int | None
    epoch: int
    pid: int
    seconds: float
    changed: Mapping[str, Sequence[int]] = {}
    size: Mapping[str, int] = {}
    grown: Mapping[str, int] = {}
    mark: int | None = None
    whole: bool = False
    none: bool = False
    refused: tuple[str, str, str] | None = None
    error: Raised | None = None
    moved: tuple[tuple[str | None, str], ...] = ()
    cv2: Mapping[str, Place | None] | None = None


@dataclass(frozen=True)
class Records:
    """All notes of one trial. ``notes`` are those that are no events, by their kinds, in their order in each
    process; each has the ``pid`` that it is of. ``cut``: there were more than are read."""

    events: tuple[Event, ...] = ()
    notes: Mapping[str, tuple[Mapping[str, Any], ...]] = field(default_factory=dict)
    cut: bool = False

    def of(self, kind: str) -> tuple[Mapping[str, Any], ...]:
        """The notes of a kind."""
        return self.notes.get(kind, ())

    def first(self, kind: str) -> Mapping[str, Any] | None:
        """The first note of a kind."""
        return next(iter(self.of(kind)), None)

    @cached_property
    def raised(self) -> Raised | None:
        """What the loader raised, or the program before there was one."""
        note = self.first("raised") or self.first("not loaded")
        return None if note is None else raised(note)

    @cached_property
    def raised_by_items(self) -> tuple[Raised, ...]:
        """What worker code raised over single items, as it was where it happened."""
        found = [event.error for event in self.events if event.error is not None]
        return tuple(each for each in found if each.type != "StopIteration")

    @cached_property
    def loader(self) -> Mapping[str, Any]:
        """What is known of the loader; nothing where there was none."""
        return self.first("loader") or {}

    @property
    def files(self) -> tuple[str, ...]:
        """The user's files that have to do with the loader: where the dataset's class is, first."""
        names = ("dataset_at", "made", "collate_at", "worker_init_fn_at")
        found = [str(at[0]) for name in names if (at := self.loader.get(name)) is not None]
        return tuple(dict.fromkeys((*found, *map(str, self.loader.get("files") or ()))))

    @cached_property
    def by_process(self) -> Mapping[int, tuple[Event, ...]]:
        """The events of each process, in their order."""
        found: dict[int, list[Event]] = {}
        for event in self.events:
            found.setdefault(event.pid, []).append(event)
        return {pid: tuple(events) for pid, events in found.items()}


def raised(note: Mapping[str, Any]) -> Raised:
    """What a note says was raised."""
    return Raised(
        str(note.get("type")), str(note.get("message")), tuple(map(place_of, note.get("frames") or ()))
    )


def place_of(told: Sequence[Any]) -> Place:
    """A place as notes have it."""
    return (str(told[0]), int(told[1]), str(told[2]))


def read(folder: Path) -> Records:
    """The notes in a folder; the main process's first, then in the order in which the others began."""
    events: list[Event] = []
    notes: dict[str, list[Mapping[str, Any]]] = {}
    left, cut = _MOST, False
    files = [file for file in folder.glob("*.jsonl") if file.is_file()]
    for file in sorted(files, key=lambda each: (each.stat().st_ctime_ns, each.name)):
        data = file.read_bytes()[:left]
        left -= len(data)
        cut = cut or not left
        for told in _lines(data):
            kind = told.pop("kind")
            if kind == "event":
                events.append(_event(told, int(file.stem)))
            else:
                notes.setdefault(kind, []).append({"pid": int(file.stem), **told})
    return Records(tuple(events), {kind: tuple(each) for kind, each in notes.items()}, cut)


def _lines(data: bytes) -> Iterable[dict[str, Any]]:
    for line in data.split(b"\n"):
        try:
            told = json.loads(line)
        except ValueError:  # the last one of a process that was killed
            continue
        if isinstance(told, dict) and "kind" in told:
            yield told


def _event(told: Mapping[str, Any], pid: int) -> Event:
    error = told.get("error")
    refused = told.get("refused")
    return Event(
        told["what"],
        told["index"],
        told["worker"],
        told["epoch"],
        pid,
        told["seconds"],
        told.get("changed", {}),
        told.get("size", {}),
        told.get("grown", {}),
        told.get("mark"),
        bool(told.get("whole")),
        bool(told.get("none")),
        (str(refused[0]), str(refused[1]), str(refused[2])) if refused else None,
        raised(error) if error else None,
        tuple((holder, file) for holder, file in told.get("moved", ())),
        {name: at and place_of(at) for name, at in told["cv2"].items()}
        if told.get("cv2") is not None
        else None,
    )
