"""Calls that matter to workers, noted where they happen: seeds, pools, numbers of threads.

The functions are replaced by ones that call them, before the program is loaded, so that whoever imports them
by name has those too; they keep their names, and pickle finds them. Where the process goes on afterwards
(``dlint.testing``), all of them are put back; whoever has kept one has one that notes nothing any more.
"""

from __future__ import annotations

import functools
import operator
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from dlint.trial.probe.holds.generators import fingerprints
from dlint.trial.probe.notes import Notes
from dlint.trial.probe.places import here

# More waiting tasks than this are a stream that was handed over whole.
_MANY_TASKS = 1_000
# What marks a function as one of these.
OWN = "_dlint_try"
# Where a loader keeps the line that made it.
PLACE = "_dlint_made_at"


# What was replaced: of what, its name, what was there itself (_INHERITED where nothing was), and what is now.
_replaced: list[tuple[Any, str, Any, Any]] = []
_INHERITED = object()


def replace(owner: Any, name: str, new: Callable[..., Any]) -> None:
    """Put a function of ours in the place of another."""
    setattr(new, OWN, True)
    _replaced.append((owner, name, vars(owner).get(name, _INHERITED), new))
    setattr(owner, name, new)


def put_back() -> None:
    """Undo all that :func:`replace` did in this process. What somebody else has replaced since stays."""
    while _replaced:
        owner, name, before, new = _replaced.pop()
        if vars(owner).get(name) is not new:
            continue
        if before is _INHERITED:
            delattr(owner, name)
        else:
            setattr(owner, name, before)


class Phase:
    """What the process is doing: loading the program, starting a worker, reading an item, and which."""

    def __init__(self) -> None:
        self.name = "load"
        self.index: object = None
        # How often each of the calls has been noted for one item: a loop's thousands say no more than some.
        self._noted: dict[tuple[str, object], int] = {}

    @contextmanager
    def of(self, name: str, index: object = None) -> Iterator[None]:
        """Something that is done meanwhile."""
        before = self.name, self.index
        self.name, self.index = name, index
        self._noted.clear()
        try:
            yield
        finally:
            self.name, self.index = before

    def may_note(self, what: str, place: object) -> bool:
        """Whether this call is worth a note of its own."""
        count = self._noted[what, place] = self._noted.get((what, place), 0) + 1
        return count <= 3


PHASE = Phase()


def watch_calls(notes: Notes) -> None:
    """Replace what is to be watched, where it is loaded; again, it does what has been loaded since."""
    import random

    _seed(notes, "random", random, "seed")
    _state(notes, "random", random, "setstate")
    numpy: Any = sys.modules.get("numpy.random")
    if numpy is not None:
        _seed(notes, "numpy", numpy, "seed")
        _state(notes, "numpy", numpy, "set_state")
    torch: Any = sys.modules.get("torch")
    if torch is not None:
        _seed(notes, "torch", torch, "manual_seed")
        for owner in (torch, torch.random):  # torch.random.fork_rng calls its own
            _state(notes, "torch", owner, "set_rng_state")
        _set_num_threads(notes, torch)
    _pools(notes)


def _wrap(owner: Any, name: str, make: Callable[[Callable[..., Any]], Callable[..., Any]]) -> None:
    original = getattr(owner, name)
    if not hasattr(original, OWN):
        replace(owner, name, make(original))


def watch_making() -> None:
    """Have every DataLoader keep the line that makes it, where torch is loaded."""
    torch: Any = sys.modules.get("torch")
    if torch is None or not hasattr(torch, "utils"):
        return
    import torch.utils.data

    _wrap(torch.utils.data.DataLoader, "__init__", _made)


def _made(original: Callable[..., None]) -> Callable[..., None]:
    @functools.wraps(original)
    def init(self: Any, *args: Any, **kwargs: Any) -> None:
        self.__dict__.setdefault(PLACE, here(2))
        self.__dict__.setdefault(f"{PLACE}_given", sorted(kwargs))
        original(self, *args, **kwargs)

    return init


def _seed(notes: Notes, library: str, owner: Any, name: str) -> None:
    def make(original: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(original, updated=())
        def seed(*args: Any, **kwargs: Any) -> Any:
            result = original(*args, **kwargs)
            place = here(2)
            # torch's own seeding of its workers has no line of the user's.
            if place is not None and PHASE.may_note(f"seed {library}", place):
                notes.add(
                    "seed",
                    library=library,
                    phase=PHASE.name,
                    index=PHASE.index,
                    value=_in_words(next(iter((*args, *kwargs.values())), None)),
                    state=fingerprints().get(library),
                    place=place,
                )
            return result

        seed.__module__ = owner.__name__
        seed.__qualname__ = name
        return seed

    _wrap(owner, name, make)


def _in_words(seed: object) -> str:
    """A seed as Python writes it, and not as np.uint32(7)."""
    try:
        return str(operator.index(seed))  # type: ignore[arg-type]
    except TypeError:
        return repr(seed)[:80]


def _state(notes: Notes, library: str, owner: Any, name: str) -> None:
    """A state that is put back: the seeds before it were for what stood in between."""

    def make(original: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(original, updated=())
        def set_state(*args: Any, **kwargs: Any) -> Any:
            result = original(*args, **kwargs)
            place = here(2)
            if place is not None and PHASE.may_note(f"state {library}", place):
                notes.add("state", library=library, phase=PHASE.name, index=PHASE.index)
            return result

        set_state.__module__ = owner.__name__
        set_state.__qualname__ = name
        return set_state

    _wrap(owner, name, make)


def _set_num_threads(notes: Notes, torch: Any) -> None:
    def make(original: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(original, updated=())
        def set_num_threads(number: int) -> Any:
            place = here(2)
            if place is not None:
                notes.add("set_num_threads", number=number, phase=PHASE.name, place=place)
            return original(number)

        set_num_threads.__module__ = "torch"
        return set_num_threads

    _wrap(torch, "set_num_threads", make)


def _pools(notes: Notes) -> None:
    from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
    from multiprocessing.pool import Pool, ThreadPool

    def note(kind: str, sized: bool) -> None:
        place = here(3)
        if place is not None and PHASE.may_note(kind, place):
            notes.add("pool", what=kind, sized=sized, phase=PHASE.name, index=PHASE.index, place=place)

    def executor(original: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(original, updated=())
        def init(self: Any, max_workers: Any = None, *args: Any, **kwargs: Any) -> None:
            note(type(self).__name__, max_workers is not None)
            original(self, max_workers, *args, **kwargs)

        return init

    def pool(original: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(original, updated=())
        def init(self: Any, processes: Any = None, *args: Any, **kwargs: Any) -> None:
            if not (isinstance(self, ThreadPool) and original.__qualname__.startswith("Pool.")):
                note(type(self).__name__, processes is not None)
            original(self, processes, *args, **kwargs)

        return init

    for owner in (ThreadPoolExecutor, ProcessPoolExecutor):
        _wrap(owner, "__init__", executor)
    for each in (Pool, ThreadPool):
        _wrap(each, "__init__", pool)

    def submit(original: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(original, updated=())
        def submitted(self: Any, *args: Any, **kwargs: Any) -> Any:
            waiting = self._work_queue.qsize()
            if waiting == _MANY_TASKS:
                place = here(2)
                if place is not None:
                    notes.add("many tasks", waiting=waiting, phase=PHASE.name, place=place)
            return original(self, *args, **kwargs)

        return submitted

    _wrap(ThreadPoolExecutor, "submit", submit)
