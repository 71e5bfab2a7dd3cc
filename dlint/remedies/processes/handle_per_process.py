"""Opens a file handle in each process that reads it, keyed on the process id, and keeps it out of pickles.

Forked workers share the position of an inherited handle and read each other's bytes; spawned ones cannot
be sent it. What a process may open only once is closed where it was inherited.
"""

from __future__ import annotations

from dlint.finding import Finding
from dlint.rewriting.each_process.made import made_or_none
from dlint.rewriting.each_process.opened_later import check_opened_later
from dlint.rewriting.each_process.per_process import PerProcess, as_function
from dlint.rewriting.each_process.unpickled import as_unpickled_property
from dlint.rewriting.edits import Edits
from dlint.rewriting.source import Source

_WHY = "Workers cannot share a handle: each process opens its own."
_ONCE = "LMDB opens nothing twice: a worker closes the inherited one first."


def repair(source: Source, finding: Finding, edits: Edits) -> None:
    """Turn the handle that the finding points at into one per process."""
    made = made_or_none(source, finding)
    check_opened_later(source, made)
    once = bool(finding.remedy and finding.remedy.data.get("once"))
    why = _ONCE if once else _WHY
    if made.owner is None:
        as_function(source, edits, made, PerProcess(why, source.code(made.value), once=once))
    else:
        as_unpickled_property(source, edits, made, why, "path", once=once)
