"""The process that a trial runs in: loads what the user has named, and reads it in one way."""

from __future__ import annotations

import functools
import json
import os
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from dlint.running.watchdog import STACKS
from dlint.trial.probe.calls import OWN, PHASE, replace, watch_calls, watch_making
from dlint.trial.probe.conduct import NoLoader, Way, as_loader, conduct
from dlint.trial.probe.late import AfterImport
from dlint.trial.probe.load import NotThere, load, run_script
from dlint.trial.probe.notes import Notes
from dlint.trial.probe.parts import loaded_files
from dlint.trial.probe.places import of_error
from dlint.trial.probe.start import answer_with_stacks

JOB = "DLINT_TRY_JOB"  # the variable that says what to do, in JSON
# Seconds that a program has to end by itself, once all has been noted.
_TO_END = 5.0


class _Done(SystemExit):
    """The script's loader has been tried: nothing of the rest is to run."""


def main() -> None:
    """Do what the environment says; the process ends with 0 whatever happens in the user's code."""
    job: dict[str, Any] = json.loads(os.environ.pop(JOB))
    stacks = os.environ.get(STACKS)
    answer_with_stacks(stacks)
    notes = Notes(job["notes"])
    way = Way(**job["way"])
    notes.add("process", pid=os.getpid())
    _start_by(way.method)
    taken = _take_over(way, notes, stacks) if job["name"] is None else None
    AfterImport(("torch", "numpy.random"), functools.partial(_prepare, notes, taken)).install()
    try:
        if job["name"] is None:
            run_script(Path(job["place"]), job["arguments"])
            notes.add("no loop")
        else:
            found = load(job["place"], job["name"], job["arguments"])
            PHASE.name = "main"
            conduct(as_loader(found, notes), way, notes, stacks)
    except _Done:
        pass
    except (NotThere, NoLoader) as error:
        notes.add("not there", message=str(error))
    except SystemExit as end:
        notes.add("left", code=repr(end.code), **of_error(end))
    except BaseException as error:
        notes.add("not loaded", **of_error(error))
    notes.add("done")
    _end_soon()


def _start_by(method: str | None) -> None:
    """Have a start method for the platform's: what a program starts on its way, and workers that import it,
    use it as well. set_start_method() would forbid the program to choose."""
    if method is not None:
        import multiprocessing.context as context

        default: Any = context._default_context
        default._default_context = default.get_context(method)


def _prepare(notes: Notes, taken: Callable[[Any], None] | None) -> None:
    """What is to be watched from the beginning, once it is imported."""
    watch_calls(notes)
    watch_making()
    torch: Any = sys.modules.get("torch")
    if taken is None or torch is None or not hasattr(torch, "utils"):
        return
    import torch.utils.data

    loader: Any = torch.utils.data.DataLoader
    if not hasattr(loader.__iter__, OWN):
        replace(loader, "__iter__", _iterated(loader.__iter__, taken))


def _iterated(original: Callable[[Any], Any], taken: Callable[[Any], None]) -> Callable[[Any], Any]:
    from torch.utils.data.dataloader import _BaseDataLoaderIter

    main = os.getpid()
    begun: list[bool] = []
    following: Callable[[Any], Any] = _BaseDataLoaderIter.__next__

    def take(loader: Any) -> None:
        # Loaders within workers, and those that are tried, are the program's own business.
        if os.getpid() == main and not begun:
            begun.append(True)
            taken(loader)
            raise _Done

    @functools.wraps(original)
    def iterate(self: Any) -> Any:
        maker = sys._getframe(1)
        if maker.f_code.co_name != "__init__" or maker.f_locals.get("self") is not self:
            take(self)
            return original(self)
        # A subclass makes its iterator beforehand: the loop begins with the first batch.
        iterator = original(self)
        iterator._dlint_loader = self
        return iterator

    @functools.wraps(following)
    def follow(self: Any) -> Any:
        loader = getattr(self, "_dlint_loader", None)
        if loader is not None:
            take(loader)
        return following(self)

    _BaseDataLoaderIter.__next__ = follow  # type: ignore[method-assign]
    return iterate


def _take_over(way: Way, notes: Notes, stacks: str | None) -> Callable[[Any], None]:
    def taken(loader: Any) -> None:
        PHASE.name = "main"
        notes.add("modules", files=loaded_files())
        conduct(loader, way, notes, stacks)

    return taken


def _end_soon() -> None:
    """Threads of the program may keep it from ending: they are not what is looked at any more."""

    def end() -> None:
        time.sleep(_TO_END)
        os._exit(0)

    threading.Thread(target=end, daemon=True).start()
