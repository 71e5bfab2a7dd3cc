"""What worker uses have in common.

Many loaders may get one dataset, and datasets of one shape have one worker code. What depends on the code
or the dataset alone is looked at once for all their uses.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from dlint.budget.accounts import Shared

if TYPE_CHECKING:
    from dlint.values.values import Key
    from dlint.workers.events import Event
    from dlint.workers.uses import WorkerUse
    from dlint.workers.worker import WorkerCode


def codes_of(uses: Iterable[WorkerUse]) -> Sequence[WorkerCode]:
    """The worker codes of some uses, each once."""
    found: dict[int, tuple[WorkerCode, str | None]] = {}
    for use in uses:
        found.setdefault(id(use.code), (use.code, use.file))
    return Shared([code for code, _ in found.values()], lambda code: found[id(code)][1])


def by_code(uses: Iterable[WorkerUse]) -> Sequence[list[WorkerUse]]:
    """The uses that have one worker code, together."""
    found: dict[int, list[WorkerUse]] = {}
    for use in uses:
        found.setdefault(id(use.code), []).append(use)
    return Shared(found.values(), lambda alike: alike[0].file)


def by_dataset(uses: Iterable[WorkerUse]) -> Sequence[list[WorkerUse]]:
    """The uses that differ in their loader only, together: those of one dataset, in one world."""
    found: dict[tuple[int, Key, int], list[WorkerUse]] = {}
    for use in uses:
        dataset = use.dataset.key if use.dataset is not None else None
        found.setdefault((id(use.code), dataset, id(use.world)), []).append(use)
    return Shared(found.values(), lambda alike: alike[0].file)


def nearest(events: Iterable[Event]) -> list[Event]:
    """Of the events of one name at one place those with the shortest reach: no other is ever reported,
    where all are judged alike."""
    found: dict[tuple[int, str], list[Event]] = {}
    for event in events:
        known = found.setdefault((id(event.node), event.name), [])
        if known and event.link.length < known[0].link.length:
            known.clear()
        if not known or event.link.length == known[0].link.length:
            known.append(event)
    return [event for known in found.values() for event in known]
