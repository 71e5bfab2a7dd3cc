"""DataLoader's own fetchers, whose reads are recorded: the user's objects stay what they are."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from dlint.trial.probe.calls import OWN, replace
from dlint.trial.probe.recorder import Recorder

# The recorder of this process; a forked worker has its parent's until it makes its own.
_current: list[Recorder] = []


def record_with(recorder: Recorder | None) -> None:
    """Record what is fetched in this process from now on, or nothing any more."""
    _current[:] = [] if recorder is None else [recorder]


def recording() -> Recorder | None:
    """The recorder in use."""
    return _current[0] if _current else None


class _Items:
    """A dataset as a fetcher sees it: read by an index."""

    def __init__(self, dataset: Any, recorder: Recorder) -> None:
        self._dataset = dataset
        self._recorder = recorder
        if getattr(dataset, "__getitems__", None):
            self.__getitems__ = self._many

    def __getitem__(self, index: object) -> object:
        with self._recorder.event("item", index) as returned:
            item = self._dataset[index]
            returned(item)
            return item

    def _many(self, indices: object) -> object:
        with self._recorder.event("items", indices) as returned:
            found = self._dataset.__getitems__(indices)
            returned(found)
            return found


class _Stream:
    """The iterator of a dataset as a fetcher sees it."""

    def __init__(self, iterator: Iterator[Any], recorder: Recorder) -> None:
        self._iterator = iterator
        self._recorder = recorder
        self._count = 0

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> object:
        with self._recorder.event("item", self._count) as returned:
            item = next(self._iterator)
            returned(item)
        self._count += 1
        return item


def record_fetchers() -> None:
    """Have the fetchers of this process's torch record, where a recorder is set."""
    from torch.utils.data._utils import fetch

    mapped: Any = fetch._MapDatasetFetcher
    streamed: Any = fetch._IterableDatasetFetcher
    if hasattr(mapped.fetch, OWN):
        return
    replace(mapped, "fetch", _recorded(mapped.fetch, _wrap_dataset))
    replace(streamed, "fetch", _recorded(streamed.fetch, _wrap_iterator))
    replace(mapped, "__init__", _begun(mapped.__init__))
    replace(streamed, "__init__", _begun(streamed.__init__, "iter"))


def _wrap_dataset(fetcher: Any, recorder: Recorder) -> Callable[[], None]:
    dataset = fetcher.dataset
    fetcher.dataset = _Items(dataset, recorder)

    def back() -> None:
        fetcher.dataset = dataset

    return back


def _wrap_iterator(fetcher: Any, recorder: Recorder) -> Callable[[], None]:
    if not isinstance(fetcher.dataset_iter, _Stream):
        fetcher.dataset_iter = _Stream(fetcher.dataset_iter, recorder)
    return lambda: None


def _recorded(
    original: Callable[..., Any], wrap: Callable[[Any, Recorder], Callable[[], None]]
) -> Callable[..., Any]:
    def fetch(self: Any, index: Any) -> Any:
        recorder = recording()
        if recorder is None:
            return original(self, index)
        back = wrap(self, recorder)
        collate = self.collate_fn

        def collated(data: Any) -> Any:
            with recorder.event("collate") as returned:
                batch = collate(data)
                returned(batch)
                return batch

        self.collate_fn = collated
        try:
            return original(self, index)
        finally:
            self.collate_fn = collate
            back()

    return fetch


def _begun(original: Callable[..., None], event: str | None = None) -> Callable[..., None]:
    def init(self: Any, *args: Any, **kwargs: Any) -> None:
        recorder = recording()
        if recorder is None:
            original(self, *args, **kwargs)
            return
        recorder.new_fetcher()
        if event is None:
            original(self, *args, **kwargs)
            return
        with recorder.event(event):  # __iter__ may draw or shuffle
            original(self, *args, **kwargs)

    return init
