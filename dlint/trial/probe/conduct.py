"""Tries one loader in one way: some epochs of some items, with everything noted that happens."""

from __future__ import annotations

import contextlib
import copy
import itertools
import math
import time
from typing import Any, NamedTuple

from dlint.trial.probe.calls import PLACE, watch_calls
from dlint.trial.probe.describe import described
from dlint.trial.probe.fetching import record_fetchers, record_with, recording
from dlint.trial.probe.holds.generators import Held
from dlint.trial.probe.holds.handles import open_files
from dlint.trial.probe.holds.refused import refused
from dlint.trial.probe.holds.sizes import settings, sizes
from dlint.trial.probe.notes import Notes
from dlint.trial.probe.parts import loaded_files
from dlint.trial.probe.places import of_error
from dlint.trial.probe.recorder import Recorder
from dlint.trial.probe.start import Start

_ORDER = 1_000  # indices of an epoch that are compared with those of the next
_KEPT = 40  # batches that are kept to see whether they keep files open
# An epoch of the user's takes longer than one of ours: a worker_init_fn that seeds from time.time(), which is
# told in seconds, is to have another one in the next.
_SECOND = 1.05
_TO_END = 5.0  # seconds that a worker has to end once it is killed
_FROM_SAMPLER = ("sampler", "batch_sampler")


class Way(NamedTuple):
    """How a loader is tried: ``workers`` with the start method ``method``, None where there are none or the
    loader's own are to be used; ``items`` an epoch; ``keep``: whether to see what kept batches cost."""

    workers: int
    method: str | None
    items: int = 32
    epochs: int = 2
    keep: bool = False


class NoLoader(Exception):
    """What the user has named gives no DataLoader or Dataset. One line."""


def as_loader(found: Any, notes: Notes) -> Any:
    """A DataLoader of what the user has named. Raises NoLoader."""
    from torch.utils.data import DataLoader, Dataset

    # accelerate's own loaders read another one, which has the workers.
    inner = getattr(found, "__dict__", {}).get("base_dataloader")
    if isinstance(inner, DataLoader):
        notes.add("inner", name="base_dataloader")
        return inner
    if isinstance(found, DataLoader):
        return found
    if isinstance(found, (tuple, list, dict)):
        entries = list(found.items()) if isinstance(found, dict) else list(enumerate(found))
        loaders = [(key, each) for key, each in entries if isinstance(each, (DataLoader, Dataset))]
        if loaders:
            notes.add("of several", keys=[str(key) for key, _ in loaders])
            return as_loader(loaders[0][1], notes)
    elif isinstance(found, Dataset) or (_is_sequence(found) and not isinstance(found, (str, bytes))):
        notes.add("dataset alone")
        loader: Any = DataLoader(found, batch_size=None)
        loader.__dict__[PLACE] = None  # no line of the user's makes it
        return loader
    for name in ("loader", "dataloader", "data_loader"):
        inner = getattr(found, name, None)
        if isinstance(inner, DataLoader):
            notes.add("inner", name=name)
            return inner
    raise NoLoader(f"it gives a {type(found).__name__}, and no DataLoader or Dataset")


def _is_sequence(found: Any) -> bool:
    """Whether a DataLoader would take it for a dataset."""
    return hasattr(type(found), "__getitem__") and hasattr(type(found), "__len__")


def conduct(given: Any, way: Way, notes: Notes, stacks: str | None = None) -> None:
    """Read some epochs of a DataLoader in one way. What it raises is noted, and not raised again."""
    notes.add("loader", **described(given))
    notes.add("loaded", files=loaded_files())
    record_fetchers()
    watch_calls(notes)
    loader = _with_workers(given, way)
    original = loader.worker_init_fn
    inherited = open_files()
    if way.workers:
        generators = Held([("dataset", loader.dataset)])
        generators.look()
        notes.add("parent", settings=settings(), kinds=generators.kinds(), **sizes())
    else:
        record_with(Recorder(notes, [("dataset", loader.dataset)]))
    try:
        for epoch in range(way.epochs):
            _set_epoch(loader, epoch)
            if way.workers:
                if epoch and original is not None:
                    time.sleep(_SECOND)
                loader.worker_init_fn = Start(original, notes, epoch, inherited, stacks)
            else:
                _recorder_epoch(epoch)
            if not epoch:
                _renew_iterators(loader)
            if not _epoch(loader, epoch, way, notes):
                return
    finally:
        record_with(None)
    loader._iterator = None  # workers that are kept are not needed any more
    if not way.workers:
        _orders(given, notes)
    if way.keep and way.workers:
        _keep(loader, original, notes)


def _recorder_epoch(epoch: int) -> None:
    recorder = recording()
    if recorder is not None:
        recorder.epoch = epoch


def _epoch(loader: Any, epoch: int, way: Way, notes: Notes) -> bool:
    """Read an epoch; whether it came to its end, or as far as it was asked for."""
    enough = max(math.ceil(way.items / _batch_size(loader)), 2 * max(1, way.workers))
    notes.add("epoch", epoch=epoch)
    begin = time.perf_counter()
    times: list[float] = []
    whole = False
    iterator: Any = None
    try:
        iterator = iter(loader)
        while len(times) < enough:
            try:
                next(iterator)
            except StopIteration:
                whole = True
                break
            times.append(time.perf_counter() - begin)
    except BaseException as error:
        notes.add("raised", epoch=epoch, batches=len(times), **of_error(error))
        if not times and way.method in ("spawn", "forkserver"):
            _tell_refused(loader, notes)
        _end_workers(iterator)
        if not isinstance(error, Exception):
            raise
        return False
    notes.add("ending", epoch=epoch)
    iterator = None  # its workers end
    notes.add("epoch ended", epoch=epoch, batches=len(times), whole=whole, times=times, **sizes())
    return True


def _batch_size(loader: Any) -> int:
    """How many items a batch has, as far as the loader or its own batch sampler tells."""
    size = loader.batch_size or getattr(loader.batch_sampler, "batch_size", None)
    return size if isinstance(size, int) and size > 0 else 1


def _end_workers(iterator: Any) -> None:
    """End the workers at once: who keeps the traceback would keep them as well."""
    with contextlib.suppress(Exception):
        if hasattr(iterator, "_shutdown_workers"):
            iterator._shutdown_workers()
    for worker in getattr(iterator, "_workers", ()):
        with contextlib.suppress(Exception):
            worker.kill()
            worker.join(_TO_END)


def _with_workers(given: Any, way: Way) -> Any:
    """The loader as it would be with other workers; batches are small enough for all workers to have some."""
    loader = copy.copy(given)
    own = loader.__dict__
    own["_iterator"] = None
    own["num_workers"] = way.workers
    own["timeout"] = 0  # who watches from outside sees more than a timeout says
    if way.workers:
        own["prefetch_factor"] = given.prefetch_factor or 2
        loader.multiprocessing_context = way.method
    else:
        own["prefetch_factor"] = None
        own["_DataLoader__multiprocessing_context"] = None
        own["persistent_workers"] = False
    most = max(1, way.items // (2 * max(1, way.workers)))
    if (loader.batch_size or 0) > most and type(loader.batch_sampler).__name__ == "BatchSampler":
        batches = copy.copy(loader.batch_sampler)
        batches.batch_size = most
        own["batch_sampler"], own["batch_size"] = batches, most
    return loader


def _renew_iterators(loader: Any) -> None:
    """Make those again that a subclass has made beforehand and reads for ever: theirs are the old workers."""
    from torch.utils.data.dataloader import DataLoader, _BaseDataLoaderIter

    own = loader.__dict__
    for name, found in list(own.items()):
        if isinstance(found, _BaseDataLoaderIter):
            if hasattr(found, "_shutdown_workers"):
                found._shutdown_workers()
            own[name] = DataLoader.__iter__(loader)


def _samplers(loader: Any) -> list[Any]:
    found: list[Any] = []
    for name in _FROM_SAMPLER:
        sampler = getattr(loader, name, None)
        for each in (sampler, getattr(sampler, "sampler", None)):
            if each is not None and not any(each is known for known in found):
                found.append(each)
    return found


def _set_epoch(loader: Any, epoch: int) -> None:
    """As a training loop ought to."""
    for each in (*_samplers(loader), loader.dataset):
        if hasattr(type(each), "set_epoch"):
            each.set_epoch(epoch)


def _orders(loader: Any, notes: Notes) -> None:
    """The orders of two epochs of a sampler that is to be told the epoch, when nobody does."""
    sampler = next((each for each in _samplers(loader) if hasattr(type(each), "set_epoch")), None)
    if sampler is None:
        return
    try:
        orders = [list(itertools.islice(iter(sampler), _ORDER)) for _ in range(2)]
    except Exception as error:
        notes.add("order", **of_error(error))
        return
    notes.add("order", sampler=type(sampler).__name__, same=orders[0] == orders[1], count=len(orders[0]))


def _keep(loader: Any, original: Any, notes: Notes) -> None:
    """How many files stay open for batches that are kept."""
    loader.worker_init_fn = original
    before = sizes().get("files", 0)
    kept = []
    try:
        for batch in itertools.islice(iter(loader), _KEPT):
            kept.append(batch)
    except Exception as error:
        notes.add("kept", batches=len(kept), **of_error(error))
        return
    notes.add("kept", batches=len(kept), files=sizes().get("files", 0) - before)


def _tell_refused(loader: Any, notes: Notes) -> None:
    start = loader.worker_init_fn
    original = start.worker_init_fn if isinstance(start, Start) else start
    for name, root in (
        ("dataset", loader.dataset),
        ("collate_fn", loader.collate_fn),
        ("worker_init_fn", original),
    ):
        found = refused(root, name)
        if found is not None:
            notes.add("refused", **found._asdict())
