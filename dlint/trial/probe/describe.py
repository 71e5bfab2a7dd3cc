"""A loader in words: what it was given, and where in the user's code that comes from."""

from __future__ import annotations

import inspect
import multiprocessing
import os
from collections.abc import Mapping
from typing import Any

from dlint.trial.probe.calls import PLACE
from dlint.trial.probe.holds.walk import held
from dlint.trial.probe.parts import files_of

_MANY = 10_000  # objects of one container, whose reference counts are copied to every worker


def described(loader: Any) -> Mapping[str, Any]:
    """The loader as plain values."""
    import torch
    from torch.utils.data import IterableDataset

    dataset = loader.dataset
    own: dict[str, Any] = loader.__dict__
    return {
        "cls": type(loader).__qualname__,
        "made": own.get(PLACE),
        "dataset": type(dataset).__qualname__,
        "dataset_at": _where(type(dataset)),
        "files": files_of((dataset, loader.collate_fn, loader.worker_init_fn)),
        "stream": isinstance(dataset, IterableDataset),
        "length": _length(dataset),
        "batch_size": loader.batch_size,
        "num_workers": loader.num_workers,
        "context": _method(loader.multiprocessing_context),
        "default_method": multiprocessing.get_start_method(allow_none=True),
        "timeout": loader.timeout,
        "prefetch_factor": loader.prefetch_factor,
        "drop_last": bool(loader.drop_last),
        "persistent": bool(loader.persistent_workers),
        "collate_fn": _name(loader.collate_fn),
        "collate_at": _where(loader.collate_fn),
        "worker_init_fn": _name(loader.worker_init_fn),
        "init_fn_is_bound": _is_bound(loader.worker_init_fn),
        "worker_init_fn_at": _where(loader.worker_init_fn),
        "given": own.get(f"{PLACE}_given"),
        "large": _large(dataset),
        "pid": os.getpid(),
        "torch": str(torch.__version__),
    }


def _large(dataset: Any) -> list[tuple[str, int]]:
    """The containers of many Python objects that a dataset holds, the largest first."""
    found = []
    for path, each in held(dataset, "dataset"):
        # No attribute is asked of what may be the user's.
        of_objects = type(each).__name__ == "ndarray" and bool(getattr(each, "dtype").hasobject)  # noqa: B009
        if (of_objects or type(each) in (list, dict, set)) and len(each) >= _MANY:  # type: ignore[arg-type]
            found.append((path, len(each)))  # type: ignore[arg-type]
    return sorted(found, key=lambda each: -each[1])[:5]


def _is_bound(function: Any) -> bool:
    """Whether a function has values of its own, which may be others for the next loader."""
    return function is not None and not (inspect.isfunction(function) and not function.__closure__)


def _method(context: Any) -> str | None:
    """The start method of a context that a loader was given."""
    return None if context is None else str(context.get_start_method())


def _length(dataset: Any) -> int | None:
    try:
        return len(dataset)
    except Exception:
        return None


def _name(found: Any) -> str | None:
    return None if found is None else str(getattr(found, "__qualname__", None) or type(found).__qualname__)


def _where(found: Any) -> tuple[str, int, str] | None:
    """The file and line where a class or a function begins."""
    if found is None:
        return None
    if not inspect.isclass(found) and not inspect.isroutine(found):
        found = getattr(found, "func", type(found))
    try:
        file = inspect.getsourcefile(found)
        line = inspect.getsourcelines(found)[1]
    except (OSError, TypeError):
        return None
    return (file, line, str(getattr(found, "__qualname__", ""))) if file else None
