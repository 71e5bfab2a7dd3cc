"""Which library calls will call the functions they are given."""

from __future__ import annotations

_LAST = frozenset(
    {
        "map",
        "imap",
        "imap_unordered",
        "starmap",
        "filter",
        "submit",
        "apply",
        "apply_async",
        "map_async",
        "starmap_async",
        "Thread",
        "Timer",
        "reduce",
        "Lambda",
        "partial",
        "delayed",
        "run_in_executor",
        "progress_map",
    }
)


def takes_callbacks(name: str) -> bool:
    """Whether a call of this library name runs the callables among its arguments."""
    last = name.rpartition(".")[2]
    return last in _LAST or name in ("builtins.sorted", "builtins.min", "builtins.max")
