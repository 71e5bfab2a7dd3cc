"""Nothing of one file spoils what is found in another: what fails, or lasts too long, is left aside."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from dlint.budget.budget import BUDGET, Exhausted, Place
from dlint.finding import Trouble
from dlint.project.paths import display_path

# Of what Python says of a fault, so many characters.
_LONGEST_REASON = 200


class GivenUp(NamedTuple):
    """A file of which no more was looked at, None for none in particular, and the function that took most."""

    file: str | None
    eater: Place | None


def guarded(
    work: Callable[[], None], name: str, root: Path, troubles: set[Trouble], given_up: set[GivenUp]
) -> None:
    """Does some work for the program at ``root``, and notes what stood in the way: the faults among the
    ``troubles``, and what took too long.

    A file that makes the work fail, or last longer than there is room for, is left aside, and the work is
    begun again without it; what it has given so far stands. What took too long once is not tried again by
    other work; a fault may concern this work alone. With DLINT_TRACEBACK set a fault is raised.
    """
    aside = BUDGET.left_aside
    while True:
        BUDGET.restart()
        try:
            work()
            break
        except Exhausted as error:
            file = error.file
            given_up.add(GivenUp(file, BUDGET.eater_of(file)))
            if file is not None:
                aside |= {file}
        except Exception as fault:
            if os.environ.get("DLINT_TRACEBACK"):
                raise
            file = BUDGET.file_at_fault
            why = f"{type(fault).__name__}: {fault}".partition("\n")[0][:_LONGEST_REASON]
            message = f"{name} failed here, the rest was checked; please report it ({why})"
            troubles.add(Trouble(_shown(root, file), message))
        if file is None or file in BUDGET.left_aside:
            break  # there is nothing to leave aside that is not already
        BUDGET.left_aside |= {file}
    BUDGET.left_aside = aside


def too_much(root: Path, given_up: set[GivenUp]) -> Trouble:
    """Says in one line what took too much work, whatever number of files lead to it."""
    files = sorted({each.file or "" for each in given_up})
    eaters = Counter(each.eater for each in given_up if each.eater is not None)
    eater = min(eaters, key=lambda each: (-eaters[each], each)) if eaters else None
    what, line = "what is here", None
    if eater is not None and files == [eater.path]:
        what, line = f"`{eater.name}`", eater.line
    elif eater is not None:
        what = f"what leads to `{eater.name}` ({_shown(root, eater.path)}:{eater.line})"
    others = len(files) - 1
    where = f"here and in {others} other file{'' if others == 1 else 's'}" if others else "here"
    message = (
        f"{what} takes more work than there is for a program of this size: "
        f"the findings {where} may not be all, the rest was checked"
    )
    return Trouble(_shown(root, files[0]), message, line)


def _shown(root: Path, file: str | None) -> str:
    return display_path(root / (file or ""))
