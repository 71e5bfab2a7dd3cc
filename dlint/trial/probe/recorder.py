"""What worker code does, item by item: what it draws, takes and returns."""

from __future__ import annotations

import operator
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Any

from dlint.trial.probe.calls import PHASE
from dlint.trial.probe.holds import handles, items
from dlint.trial.probe.holds.generators import Held, fingerprints
from dlint.trial.probe.holds.sizes import settings, sizes
from dlint.trial.probe.holds.walk import held, module_globals
from dlint.trial.probe.notes import Notes
from dlint.trial.probe.places import here, of_error

# So many items of a process are looked at for what pickle refuses: more cost time and say the same.
_PICKLED = 4


class Recorder:
    """Notes of one process: the main one, which reads items where there are no workers, or a worker.

    ``roots`` are the objects that worker code belongs to: dataset, collate_fn.
    """

    def __init__(self, notes: Notes, roots: Sequence[tuple[str, object]], epoch: int = 0) -> None:
        self.notes = notes
        self.epoch = epoch
        self.roots = list(roots)
        self.held = Held(self.roots)
        self.worker: int | None = None
        self._fetchers = 0
        self._items = 0
        self._parent = os.getppid()
        self._inherited: list[handles.Handle] = []

    def enter_worker(self, worker: int, inherited: list[handles.Handle]) -> None:
        """This process is a worker, which may have these files from its parent."""
        self.worker = worker
        self._inherited = inherited
        self._parent = os.getppid()
        locked = [path for path, found in self._everything() if _is_locked(found)]
        self.notes.add(
            "worker",
            worker=worker,
            epoch=self.epoch,
            locked=locked,
            names=[thread.name for thread in threading.enumerate()],
            states=fingerprints(),
            **sizes(),
        )

    def _everything(self) -> Iterator[tuple[str, object]]:
        for name, root in (*self.roots, *module_globals()):
            yield from held(root, name)

    def new_fetcher(self) -> None:
        """An epoch begins; a worker that is kept does not start again."""
        self._fetchers += 1
        if self.worker is not None and self._fetchers > 1:
            self.epoch += 1

    @contextmanager
    def event(self, what: str, index: object = None) -> Iterator[Callable[[object], None]]:
        """Something of worker code that may draw; what is yielded takes what it returned."""
        if not self.held.known:
            self.held.look()
        told: dict[str, Any] = {}

        def returned(item: object) -> None:
            # A class of the user's may raise anything when it is asked for an attribute.
            with suppress(Exception):
                if what == "collate":
                    if self.worker is not None and self._items <= _PICKLED:
                        told["refused"] = items.unsendable(item, "batch")
                else:
                    told["none"] = item is None
                    told["mark"], told["whole"] = items.fingerprint(item)

        index = _plain(index)
        before, stood = self._states(), handles.positions(self._inherited)
        size = sizes()
        first = what == "item" and self._items == 0
        begin = time.perf_counter()
        try:
            with PHASE.of(what, index), _cv2_calls(told if first else None):
                yield returned
        except BaseException as error:
            told["error"] = of_error(error)
            raise
        finally:
            told["seconds"] = time.perf_counter() - begin
            self._items += what != "collate"
            after, now = self._states(), sizes()
            changed = {name: (was, after[name]) for name, was in before.items() if after.get(name) != was}
            told |= self._moved(stood)
            self.notes.add(
                "event",
                what=what,
                index=index,
                worker=self.worker,
                epoch=self.epoch,
                changed=changed,
                size=size,
                grown={name: now[name] - was for name, was in size.items() if now.get(name, was) != was},
                **told,
            )
            if first:
                self.notes.add(
                    "begun",
                    worker=self.worker,
                    epoch=self.epoch,
                    kinds=self.held.kinds(),
                    settings=settings(),
                )

    def _states(self) -> dict[str, int]:
        return fingerprints() | self.held.fingerprints()

    def _moved(self, stood: dict[int, int]) -> dict[str, Any]:
        """Which inherited files were read, at a position that the parent has as well."""
        now = handles.positions(self._inherited)
        read = {number for number, at in now.items() if stood.get(number, at) != at}
        if not read or self.worker is None:
            return {}
        theirs = handles.positions([each for each in self._inherited if each[0] in read], self._parent)
        # Another worker may have moved it in between: then one more look shows them alike.
        mine = handles.positions(self._inherited)
        shared = {number for number in read if theirs.get(number) in (now[number], mine.get(number))}
        if not shared:
            return {}
        names = handles.holders(self.roots, shared)
        return {"moved": [(names.get(each[0]), each[3]) for each in self._inherited if each[0] in shared]}


def _plain(index: object) -> object:
    """An index as JSON has it."""
    if isinstance(index, (list, tuple)):
        return [_plain(each) for each in index]
    try:
        return operator.index(index)  # type: ignore[arg-type]
    except TypeError:
        return None if index is None else repr(index)[:80]


def _is_locked(found: object) -> bool:
    if type(found).__name__ not in ("lock", "RLock", "Lock") or type(found).__module__ not in (
        "_thread",
        "threading",
        "_threading_local",
    ):
        return False
    locked = getattr(found, "locked", None)
    if locked is not None:
        return bool(locked())
    # An RLock says it in its representation alone (before Python 3.14).
    return repr(found).startswith("<locked")


@contextmanager
def _cv2_calls(told: dict[str, Any] | None) -> Iterator[None]:
    """Note which functions of OpenCV are called, and where first."""
    if told is None or "cv2" not in sys.modules or sys.getprofile() is not None:
        yield
        return
    found: dict[str, Any] = {}
    # Its functions do not say where they belong.
    functions = {id(each) for each in vars(sys.modules["cv2"]).values() if callable(each)}

    def profile(frame: FrameType, event: str, argument: Any) -> None:
        if event != "c_call":
            return
        owner = type(getattr(argument, "__self__", None)).__module__
        if id(argument) in functions or owner.partition(".")[0] == "cv2":
            found.setdefault(argument.__name__, here(2))

    sys.setprofile(profile)
    try:
        yield
    finally:
        sys.setprofile(None)
        told["cv2"] = found
