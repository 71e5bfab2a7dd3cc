"""What workers execute, as a tree: the functions of the project, and the calls of libraries in them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from dlint.overview.views import CallView
from dlint.workers.events import Visit
from dlint.workers.worker import WorkerCode


def tree_of(codes: Iterable[WorkerCode]) -> tuple[CallView, ...]:
    """The entries of the workers with all that they lead to. A function stands where the shortest chain of
    calls comes to it, and once among those that one function calls."""
    inside: dict[int | None, list[Visit]] = {}
    library: dict[int, Counter[str]] = {}
    entries: list[Visit] = []
    for code in codes:
        links = {id(visit.link) for visit in code.visits}
        for visit in code.visits:
            above = visit.link.above
            if above is None or id(above) not in links:
                entries.append(visit)
            else:
                inside.setdefault(id(above), []).append(visit)
        for event in code.events:
            if not event.name.startswith("builtins."):
                library.setdefault(id(event.link), Counter())[event.name] += 1

    def view(visit: Visit, depth: int) -> CallView:
        below = inside.get(id(visit.link), []) if depth < _DEEPEST else []
        node = visit.function.node
        return CallView(
            visit.link.name,
            visit.function.module.relative,
            node.lineno,
            node.end_lineno or node.lineno,
            tuple(sorted(library.get(id(visit.link), Counter()).items())),
            _folded(view(each, depth + 1) for each in below),
        )

    return _folded(view(visit, 0) for visit in entries)


_DEEPEST = 40


def _folded(calls: Iterable[CallView]) -> tuple[CallView, ...]:
    """Each function once, with how often it was there."""
    found: dict[tuple[str, str, int], CallView] = {}
    times: Counter[tuple[str, str, int]] = Counter()
    for call in calls:
        mark = (call.name, call.path, call.line)
        times[mark] += call.times
        known = found.get(mark)
        found[mark] = call if known is None else _joined(known, call)
    return tuple(
        CallView(c.name, c.path, c.line, c.end_line, c.library, c.calls, times[mark])
        for mark, c in found.items()
    )


def _joined(one: CallView, other: CallView) -> CallView:
    library = Counter(dict(one.library))
    for name, count in other.library:
        library[name] = max(library[name], count)
    calls = _folded((*one.calls, *(each for each in other.calls if each not in one.calls)))
    return CallView(
        one.name, one.path, one.line, one.end_line, tuple(sorted(library.items())), calls, one.times
    )
