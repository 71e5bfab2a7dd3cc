"""A worker that is started afresh is sent the dataset, and pickle refuses a part of it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from dlint.trial.trials import Trial
from dlint.trial.wrong import Wrong

_POOLS = re.compile(
    r"\.pool\.|ThreadPool|Executor|_thread\.(lock|RLock)|SimpleQueue|queue\.Queue|threading\."
)
_FILES = re.compile(
    r"^(_io|io)\.|zipfile|tarfile|sqlite3|h5py|lmdb|Environment|VideoCapture|\bgzip|\bbz2|lzma|netCDF4|rasterio"
)
_MADE = {
    "builtins.generator": ("a generator", "keep a list of what it gives"),
    "builtins.module": ("a module", "import it where it is used, or keep its name"),
}
_DEFINED = ("builtins.function", "builtins.type", "builtins.method")


def check(trial: Trial, plain: Trial | None) -> Iterator[Wrong]:
    """What cannot be sent, by its path."""
    for note in trial.records.of("refused"):
        path, cls, name = str(note["path"]), str(note["cls"]), str(note["name"])
        code, others, what, cure = _kind(cls, path, name)
        yield Wrong(
            code,
            f"{path} cannot be sent to a worker that is started afresh: it is {what} ({note['message']})",
            cure,
            "error",
            near=trial.records.files,
            or_rules=others,
            about=path,
        )
    lost = next((event.refused for event in trial.records.events if event.refused), None)
    if lost is not None and trial.outcome != "still":
        yield Wrong(
            "DL506",
            f"workers cannot send {lost[0]} to the main process: it is a {lost[1]} ({lost[2]})",
            "return only what pickle takes: no generator, lambda, lock or open file",
            "hang",
            near=trial.records.files,
            about=lost[0],
        )


def _kind(cls: str, path: str, name: str) -> tuple[str, tuple[str, ...], str, str]:
    """The rule, other rules that it may be, what it is, and the cure."""
    others = ("DL401", "DL403", "DL102", "DL203")
    if "<locals>" in cls:
        return (
            "DL401",
            others,
            f"of the local class {cls.split('.<locals>.')[-1]}",
            "define the class at the top level of a module",
        )
    if cls in _MADE:
        what, cure = _MADE[cls]
        return "DL401", others, what, cure
    if cls in _DEFINED:
        what = (
            "a lambda"
            if "<lambda>" in name
            else f"the local {'class' if cls.endswith('type') else 'function'} {name}"
        )
        return (
            "DL401",
            others,
            what,
            "define it at the top level of a module, and bind what it needs with functools.partial",
        )
    if _FILES.search(cls):
        # Surely that, whatever else static analysis finds in the same file.
        return (
            "DL403",
            ("DL401",),
            f"an open {cls}",
            "open it in the worker, at its first use in each process",
        )
    if _POOLS.search(cls) or _POOLS.search(path):
        return "DL102", others, f"a {cls}", "make it in the worker, at its first use in each process"
    return (
        "DL401",
        others,
        f"a {cls}",
        "make it in the worker, or leave it out of what is pickled (__getstate__)",
    )
