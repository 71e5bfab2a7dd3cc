"""Opens a file handle in each process that reads it, keyed on the process id, and keeps it out of pickles.

Forked workers share the position of an inherited handle and read each other's bytes; spawned ones cannot
be sent it. What a process may open only once is closed where it was inherited.
"""

from __future__ import annotations

from dlint.finding import Finding
from dlint.rewriting.edits import Edits
from dlint.rewriting.per_process import as_function, as_property, made_at
from dlint.rewriting.source import Source

_WHY = "Workers that share a handle share its position, so each process opens its own."
_ONCE = "Each process opens its own. LMDB opens none twice in a process: the inherited one is closed."


def repair(source: Source, finding: Finding, edits: Edits) -> None:
    """Turn the handle that the finding points at into one per process."""
    made = made_at(source, finding)
    once = bool(finding.remedy and finding.remedy.data.get("once"))
    if made.owner is None:
        as_function(source, edits, made, _ONCE if once else _WHY, close=once)
    else:
        # lmdb.open is a class that pickle does not find under its name.
        as_property(source, edits, made, _ONCE if once else _WHY, close=once, by_name=once)
