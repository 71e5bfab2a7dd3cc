"""A project's own loaders, tried in its tests.

``check_loader`` reads a loader as a training run would, without workers and with some, and raises
``LoaderError`` where something is wrong with it. ``plugin`` has the same for pytest. Linux: elsewhere it does
not see a loader that stands still.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dlint.testing.checking import check_loader as check_loader
    from dlint.testing.failures import LoaderError as LoaderError

__all__ = ["LoaderError", "check_loader"]


# Whoever has dlint installed has its plugin loaded by every run of pytest: what is not used is not imported.
def __getattr__(name: str) -> Any:
    if name == "check_loader":
        from dlint.testing.checking import check_loader

        return check_loader
    if name == "LoaderError":
        from dlint.testing.failures import LoaderError

        return LoaderError
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
