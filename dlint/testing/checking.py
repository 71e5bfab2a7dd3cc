"""``check_loader``: a loader is read in this very process, and judged."""

from __future__ import annotations

import multiprocessing
import random
import shutil
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from dlint.finding import LEVELS, Level
from dlint.project.paths import absolute
from dlint.running.runner import Result
from dlint.testing.failures import Failure, LoaderError, of_confirmed, of_shown
from dlint.testing.watching import Watch
from dlint.trial.expected import findings_from_outside, is_ignored, is_silenced
from dlint.trial.judging import Verdict, judge
from dlint.trial.probe.calls import PHASE, put_back, watch_calls, watch_making
from dlint.trial.probe.conduct import NoLoader, Way, as_loader, conduct
from dlint.trial.probe.notes import Notes
from dlint.trial.probe.places import of_error
from dlint.trial.records import Records, read
from dlint.trial.trials import Limits, Trial, ways

# Confirmed by a clock alone: what another machine, or a busy one, measures otherwise fails no test.
_BY_CLOCK = ("DL305", "DL306", "DL307")
# What torch raises once its workers have been ended is no news of the loader.
_OF_THE_END = ("raised", "refused", "init raised")


def check_loader(
    loader: Any,
    *,
    workers: Sequence[int] = (0, 2),
    start_methods: Sequence[str] | None = None,
    items: int = 32,
    ignore: Sequence[str] = (),
    level: Level = "note",
    still: float = 15.0,
) -> Verdict:
    """Read a loader in every way that is asked for, two epochs each, and say what is wrong with it.

    ``loader`` is a DataLoader, a dataset, or a function without parameters that returns one of them. A
    function is called for each way, so that nothing that one way leaves in a dataset (a file that is open, a
    pool) is there in the next. ``workers`` are the numbers of workers to try, in place of the loader's own;
    ``start_methods`` how they are started, by default as the loader says or else as this Python does.
    ``items`` are read in each epoch.

    ``ignore`` are codes of rules, or their beginnings, that are no failure, beside what the project's own
    configuration ignores and a ``# noqa`` silences. ``level`` is from where on something is one: "error"
    leaves out what costs only time, memory or threads. ``still`` are the seconds that workers and this thread
    may stand still until that is a hang: then the workers are ended.

    Gives what the runs have shown, also of what is ignored. Raises LoaderError where something is wrong,
    TypeError where there is no loader, ValueError for an option, and what a function raises that no rule is
    about. The streams of random, NumPy and torch are afterwards where they were.
    """
    __tracebackhide__ = True
    return check(
        loader,
        workers=workers,
        start_methods=start_methods,
        items=items,
        ignore=ignore,
        level=level,
        still=still,
    )


def check(
    given: Any,
    *,
    workers: Sequence[int] = (0, 2),
    start_methods: Sequence[str] | None = None,
    items: int = 32,
    ignore: Sequence[str] = (),
    level: Level = "note",
    still: float = 15.0,
    once: bool = False,
) -> Verdict:
    """As :func:`check_loader`; ``once``: a function is to be called only once."""
    __tracebackhide__ = True
    ignored = _codes(ignore)
    _check_options(workers, start_methods, items, level, still)
    source = _Source(given, once)
    trials: list[Trial] = []
    with _streams_kept():
        # What reading without workers leaves open in this process, workers would have from it.
        for number in sorted(set(workers), key=lambda each: (each == 0, each)):
            trials += source.tried([number], start_methods, items, still)
            if source.error is not None:
                break
    trials.sort(key=lambda trial: list(workers).index(trial.way.workers))
    verdict = judge(trials, findings_from_outside)
    failures = [each for each in _failures(verdict) if _counts(each, ignored, level)]
    if source.error is not None and not any(failure.code for failure in failures):
        raise source.error
    if failures:
        raise LoaderError(failures, verdict) from source.error
    return verdict


class _Source:
    """Where loaders come from. ``error`` is what a function has raised."""

    def __init__(self, given: Any, once: bool) -> None:
        self._given = given
        self._once = once
        self.error: Exception | None = None

    def tried(
        self, workers: Sequence[int], methods: Sequence[str] | None, items: int, still: float
    ) -> list[Trial]:
        """The trials with a number of workers."""
        __tracebackhide__ = True
        found: list[Trial] = []
        wanted: list[Way | None] = list(ways(workers, methods, items, keep=True)) if methods else [None]
        for way in wanted:
            found.append(self._trial(way or Way(workers[0], None, items, keep=workers[0] == 1), still))
            if self.error is not None:
                break
        return found

    def _trial(self, way: Way, still: float) -> Trial:
        __tracebackhide__ = True
        folder = Path(tempfile.mkdtemp(prefix="dlint-testing-"))
        try:
            notes_in = folder / "notes"
            notes_in.mkdir()
            dump = folder / "stacks"
            notes = Notes(str(notes_in))
            begin = time.monotonic()
            try:
                watch = Watch(still, dump, notes_in)
                with _noting(notes), watch:
                    way = self._read(way, notes, dump, watch)
            finally:
                notes.close()
            seconds = time.monotonic() - begin
            records = read(notes_in)
            if watch.stands_still:
                left = {kind: told for kind, told in records.notes.items() if kind not in _OF_THE_END}
                records = Records(records.events, left)
            end = "still" if watch.stands_still else "exit"
            result = Result(end, 0, seconds, stacks=watch.stacks)
            return Trial(way, result, records, Limits(still=still))
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def _read(self, way: Way, notes: Notes, dump: Path, watch: Watch) -> Way:
        """Read a loader; the way with the start method that it was read by."""
        __tracebackhide__ = True
        try:
            found = self._found()
        except Exception as error:
            self.error = error
            notes.add("not loaded", **of_error(error))
            return way._replace(method=way.method or _default()) if way.workers else way
        loader = _loader_of(found, notes)
        if way.workers and way.method is None:
            context = loader.multiprocessing_context
            way = way._replace(method=_default() if context is None else context.get_start_method())
        try:
            with PHASE.of("main"):
                conduct(loader, way, notes, str(dump))
        except RuntimeError:
            # torch may tell of a worker that was ended at any time, also after it has told of another.
            if not watch.stands_still:
                raise
        if not watch.stands_still:
            notes.add("done")
        return way

    def _found(self) -> Any:
        """What was given, or what a function gives now."""
        __tracebackhide__ = True
        if not _is_function(self._given):
            return self._given
        with PHASE.of("load"):
            found = self._given()
        if self._once:
            self._given, self._once = found, False
            return self._found() if _is_function(found) else found
        return found


def _is_function(given: Any) -> bool:
    if isinstance(given, type):
        return True
    return callable(given) and not any(
        hasattr(given, name) for name in ("__getitem__", "__iter__", "loader", "dataloader", "data_loader")
    )


class NotALoader(TypeError):
    """What was given, or what a function gives, is no DataLoader or dataset."""


def _loader_of(found: Any, notes: Notes) -> Any:
    __tracebackhide__ = True
    kind = type(found).__name__
    if isinstance(found, (tuple, list, dict)):
        raise NotALoader(f"a {kind}, and no DataLoader or dataset: give its entries one by one")
    try:
        return as_loader(found, notes)
    except NoLoader:
        raise NotALoader(
            f"{'None' if found is None else f'a {kind}'}, and no DataLoader or dataset"
        ) from None


def _default() -> str:
    """How this Python starts processes; nothing is set by asking."""
    return multiprocessing.get_start_method(allow_none=True) or multiprocessing.get_all_start_methods()[0]


@contextmanager
def _noting(notes: Notes) -> Iterator[None]:
    """Have calls noted; afterwards everything is as it was."""
    watch_calls(notes)
    watch_making()
    try:
        with warnings.catch_warnings():
            # There is one thread more in this process, which watches: it keeps no lock at a fork.
            warnings.filterwarnings("ignore", ".*multi-threaded, use of", DeprecationWarning)
            yield
    finally:
        put_back()


@contextmanager
def _streams_kept() -> Iterator[None]:
    """What is drawn meanwhile from the streams that everybody shares, nobody notices."""
    backs: list[Callable[[], object]] = []
    state = random.getstate()
    backs.append(lambda: random.setstate(state))
    numpy: Any = sys.modules.get("numpy.random")
    if numpy is not None:
        of_numpy = numpy.get_state()
        backs.append(lambda: numpy.set_state(of_numpy))
    torch: Any = sys.modules.get("torch")
    if torch is not None:
        of_torch = torch.get_rng_state()
        backs.append(lambda: torch.set_rng_state(of_torch))
    try:
        yield
    finally:
        for back in backs:
            back()


def _failures(verdict: Verdict) -> Iterator[Failure]:
    yield from (of_shown(shown, verdict) for shown in verdict.shown)
    yield from (
        of_confirmed(finding, how, verdict)
        for finding, how in verdict.confirmed
        if finding.code not in _BY_CLOCK
    )


def _counts(failure: Failure, ignored: tuple[str, ...], level: Level) -> bool:
    """Whether nobody has said that it does not matter."""
    code, finding = failure.code, failure.finding
    if LEVELS.index(failure.level) > LEVELS.index(level):
        return False
    if code is None:
        return True
    places = [(failure.path, failure.line)]
    if finding is not None and finding.cell is None:
        places.append((finding.path, finding.line))
    known = [(absolute(path), line) for path, line in places if path is not None and line is not None]
    return not (
        code.startswith(ignored)
        or any(is_ignored(code, path) or is_silenced(code, path, line) for path, line in known)
    )


def _codes(ignore: Sequence[str]) -> tuple[str, ...]:
    """Codes, or beginnings of such. Raises ValueError for what no rule has."""
    __tracebackhide__ = True
    from dlint.rules import all_codes

    if isinstance(ignore, str):
        raise ValueError(f"ignore: a sequence of codes, not {ignore!r}")
    for each in ignore:
        if not each or not any(code.startswith(each) for code in all_codes()):
            raise ValueError(f"ignore: no rule is called {each!r}")
    return tuple(ignore)


def _check_options(
    workers: Sequence[int], methods: Sequence[str] | None, items: int, level: str, still: float
) -> None:
    """Raises ValueError for an option that means nothing."""
    __tracebackhide__ = True
    if not workers or any(each < 0 for each in workers):
        raise ValueError(f"workers: numbers of workers, not {workers!r}")
    known = multiprocessing.get_all_start_methods()
    if isinstance(methods, str) or (methods is not None and not set(methods) <= set(known)):
        raise ValueError(f"start_methods: some of {', '.join(known)}, not {methods!r}")
    if items < 1:
        raise ValueError(f"items: at least one, not {items!r}")
    if level not in LEVELS:
        raise ValueError(f"level: one of {', '.join(LEVELS)}, not {level!r}")
    if not still > 0:
        raise ValueError(f"still: seconds, not {still!r}")
