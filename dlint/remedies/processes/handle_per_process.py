"""Opens a file handle in each process that reads it, keyed on the process id, and keeps it out of pickles.

Forked workers share the position of an inherited handle and read each other's bytes; spawned ones cannot
be sent it. What a process may open only once is closed where it was inherited. An object that only pickle
refuses (``"kind": "object"``) is made so, too: of the same arguments it does the same everywhere; and a lock
(``"kind": "lock"``), which no process shares with another anyway.
"""

from __future__ import annotations

from dlint.finding import Finding
from dlint.rewriting.each_process.keepers.of_module import as_function
from dlint.rewriting.each_process.keepers.several import as_several
from dlint.rewriting.each_process.made import HandedOn, StaysShared, made_at, made_or_none
from dlint.rewriting.each_process.opened_later import check_as_made, check_opened_later
from dlint.rewriting.each_process.parts import PARTS_BY_HAND, parts_of
from dlint.rewriting.each_process.per_process import PerProcess
from dlint.rewriting.each_process.unpickled import as_unpickled_property
from dlint.rewriting.each_process.when_needed import reopen_in_each_process
from dlint.rewriting.edits import Edits
from dlint.rewriting.refusal import CannotRepair
from dlint.rewriting.source import Source

_WHY = "Workers cannot share a handle: each process opens its own."
_ONCE = "No process opens it twice: a worker closes the inherited one first."

_SEVERAL_BY_HAND = "open them in each process, keyed on os.getpid(), and leave them out of __getstate__"
_REFUSED = "Pickle refuses it: each process makes its own."
_LOCK_REFUSED = "Pickle refuses a lock: each process makes its own."
_OBJECT_BY_HAND = "make it where it is first used, in each process"


def repair(source: Source, finding: Finding, edits: Edits) -> None:
    """Turn the handle that the finding points at into one per process."""
    data = finding.remedy.data if finding.remedy else {}
    if data.get("kind") in ("object", "lock"):
        _repair_object(source, finding, edits, is_lock=data["kind"] == "lock")
        return
    if data.get("kind") == "several":
        try:
            as_several(source, finding, edits, _WHY)
        except CannotRepair as error:
            # What is said of one handle and what to do with it, is said of a list of them here.
            why = error.why if isinstance(error, StaysShared) else ""
            raise CannotRepair(f"{why}: {_SEVERAL_BY_HAND}" if why else _SEVERAL_BY_HAND) from error
        return
    once, keeper = bool(data.get("once")), str(data.get("class", ""))
    try:
        _repair(source, finding, edits, keeper, once=once, has_parts=bool(data.get("parts")))
    except HandedOn as error:
        if data.get("parts"):
            raise CannotRepair(_told(PARTS_BY_HAND, once=once)) from error
        raise CannotRepair(_of(keeper, once=once) if keeper else _told(error, once=once)) from error
    except CannotRepair as error:
        raise CannotRepair(_told(error, once=once)) from error


def _repair(
    source: Source, finding: Finding, edits: Edits, keeper: str, *, once: bool, has_parts: bool
) -> None:
    made = made_or_none(source, finding)
    if made.owner is None and keeper:
        raise HandedOn  # a function in its place would still be called before there are workers
    why = _ONCE if once else _WHY
    if reopen_in_each_process(source, edits, made, why, once=once):
        return
    check_opened_later(source, made)
    if made.owner is None:
        as_function(source, edits, made, PerProcess(why, source.code(made.value), once=once))
    else:
        parts = parts_of(source, made) if has_parts and made.part is None else []
        as_unpickled_property(source, edits, made, why, "path", once=once, parts=parts)


def _repair_object(source: Source, finding: Finding, edits: Edits, *, is_lock: bool) -> None:
    try:
        made = made_at(source, finding)
        if made.owner is None:
            raise StaysShared("it is no attribute", _OBJECT_BY_HAND)
        if is_lock:
            as_unpickled_property(source, edits, made, _LOCK_REFUSED, "source", by_threads=True)
            return
        check_as_made(source, made)
        as_unpickled_property(source, edits, made, _REFUSED, "source")
    except StaysShared as error:
        raise CannotRepair(f"{error.why}: {_OBJECT_BY_HAND}" if error.why else _OBJECT_BY_HAND) from error


def _of(keeper: str, *, once: bool) -> str:
    """What to do with a handle that the class that keeps it is given."""
    how = f"give {keeper} the path, and open it there in each process, keyed on os.getpid()"
    return _told(f"{keeper} is given it open: {how}", once=once)


def _told(reason: object, *, once: bool) -> str:
    """A reason with what else is to be done by hand with what a process opens only once."""
    return f"{reason}; close the inherited one first" if once else str(reason)
