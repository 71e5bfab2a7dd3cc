"""Words of calls whose arguments decide what they do to worker code: where a tensor goes, what seeds a
generator, how many threads a pool has."""

from __future__ import annotations

from dlint.regex import regex

DECIDED_BY_ARGUMENTS = regex(
    r"cuda|device|\.to\(|seed|generator|random_state|\brng\b|(?:Pool|Executor|Threads?|Process)\b|num_threads|workers"
)

# Words of classes whose objects hold what two of them must not be taken to share.
HOLDS_ITS_OWN = regex(r"(?:Lock|Semaphore|Condition|Queue|Pool|Executor|Thread|Process)\b")
