"""Makes a thread pool in each process that uses it, keyed on the process id, and keeps it out of pickles.

A pool that was made in the parent has no threads in a forked worker and cannot be sent to a spawned one. A
pool made for every item becomes one that its process keeps.
"""

from __future__ import annotations

from dlint.finding import Finding
from dlint.rewriting.each_process.keepers.of_module import as_function
from dlint.rewriting.each_process.made import Made, made_at
from dlint.rewriting.each_process.per_process import PerProcess
from dlint.rewriting.each_process.unpickled import as_unpickled_property
from dlint.rewriting.each_process.when_needed import reopen_in_each_process
from dlint.rewriting.edits import Edits
from dlint.rewriting.refusal import CannotRepair
from dlint.rewriting.source import Source

_WHY = "A pool's threads do not survive a fork, so each process has its own."
_NEEDED_BY_HAND = "make it in each worker, keyed on os.getpid(), and leave it out of __getstate__"
_OF_PROCESSES = ("multiprocessing.Pool", "multiprocessing.pool.Pool", "ProcessPoolExecutor")


def repair(source: Source, finding: Finding, edits: Edits) -> None:
    """Turn the pool that the finding points at into one per process."""
    if finding.remedy and finding.remedy.data.get("kind") == "per-item":
        from dlint.rewriting.each_process.pool_in_method import keep_pool

        keep_pool(source, finding, edits)
        return
    if finding.remedy and finding.remedy.data.get("kind") == "needed":
        _reopen(source, finding, edits)
        return
    made = made_at(source, finding)
    _check(source, made)
    if reopen_in_each_process(source, edits, made, _WHY):
        return
    if made.owner is None:
        as_function(source, edits, made, PerProcess(_WHY, source.code(made.value)))
    else:
        as_unpickled_property(source, edits, made, _WHY, "size")


def _reopen(source: Source, finding: Finding, edits: Edits) -> None:
    """Have each process make a pool that is made when it is first needed, where a test asks for that."""
    made = made_at(source, finding)
    _check(source, made)
    if not reopen_in_each_process(source, edits, made, _WHY):
        raise CannotRepair(_NEEDED_BY_HAND)


def _check(source: Source, made: Made) -> None:
    meant = source.qualified(made.value.func) or ""
    if meant.endswith(_OF_PROCESSES):
        raise CannotRepair("a worker cannot have processes of its own: call the function directly")
