"""Python's search for garbage, while a program is looked at."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dlint.analysis.kept import Kept


class _State:
    """Whether this process looks at a program, so that nobody searches."""

    looking = False


@contextmanager
def unsearched(kept: Kept | None = None) -> Iterator[None]:
    """There is no search for garbage inside, and then one of what was made inside.

    Trees and values live as long as their program does: to search among them finds nothing, and costs as much
    as the analysis. What was there before is none of ours: it may be an editor, a test suite, a linter with
    the files of ten thousand others, and a search through all that takes longer than most checks do. What is
    ``kept`` is no garbage as long as it is, and no search goes through it.
    """
    if _State.looking:
        yield
        return
    collecting = gc.isenabled()
    gc.disable()
    gc.freeze()
    _State.looking = True
    try:
        yield
        if kept is None or not kept.holds:
            search()
    finally:
        _State.looking = False
        if kept is None or not kept.holds:
            gc.unfreeze()
        else:
            gc.freeze()
        if collecting:
            gc.enable()


def search() -> None:
    """Finds what garbage there is among what was made since nobody searches.

    All of that is young, for only a search makes it old. A search of the old would be taken by Python for the
    measure of all there is, and it would soon go through that.
    """
    gc.collect(1)
