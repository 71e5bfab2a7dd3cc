"""What is wrong with a loader that was tried, one file a check.

A check looks at one trial, and beside it at the one without workers, and tells what it saw go wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from dlint.trial.trials import Trial
from dlint.trial.wrong import Wrong

Check = Callable[[Trial, Trial | None], Iterator[Wrong]]


def checks() -> list[Check]:
    """All checks, in the order in which they are asked: what ended a trial first."""
    from dlint.trial.checks import (
        endings,
        generators,
        growth,
        handles,
        options,
        order,
        pickling,
        pools,
        raised,
        seeds,
        settings,
        stillness,
        threads,
    )

    modules = (
        stillness,
        pickling,
        raised,
        options,
        endings,
        handles,
        generators,
        seeds,
        order,
        threads,
        pools,
        settings,
        growth,
    )
    return [module.check for module in modules]
