"""Nothing of one file spoils what is found in another: what fails, or lasts too long, is left aside."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from dlint.budget import BUDGET, Exhausted
from dlint.files import display_path
from dlint.finding import Trouble

# Of what Python says of a fault, so many characters.
_LONGEST_REASON = 200


def guarded(work: Callable[[], None], name: str, root: Path, troubles: set[Trouble]) -> None:
    """Does some work for the program at ``root``, and adds to ``troubles`` what stood in the way.

    A file that makes the work fail, or last longer than there is room for, is left aside, and the work is
    begun again without it; what it has given so far stands. What took too long once is not tried again by
    other work; a fault may concern this work alone. With DLINT_TRACEBACK set a fault is raised.
    """
    given_up = BUDGET.left_aside
    while True:
        BUDGET.restart()
        try:
            work()
            break
        except Exhausted as error:
            file = error.file
            troubles.add(_too_much(root, file))
            if file is not None:
                given_up |= {file}
        except Exception as error:
            if os.environ.get("DLINT_TRACEBACK"):
                raise
            file = BUDGET.file_at_fault
            why = f"{type(error).__name__}: {error}".partition("\n")[0][:_LONGEST_REASON]
            message = f"{name} failed here, the rest was checked; please report it ({why})"
            troubles.add(Trouble(_shown(root, file), message))
        if file is None or file in BUDGET.left_aside:
            break  # there is nothing to leave aside that is not already
        BUDGET.left_aside |= {file}
    BUDGET.left_aside = given_up


def _too_much(root: Path, file: str | None) -> Trouble:
    """Says what took too much work, of a file or of the program."""
    eater = BUDGET.eater_of(file)
    line = None
    what = "what is here"
    if eater is not None and eater.path == file:
        what, line = f"`{eater.name}`", eater.line
    elif eater is not None:
        what = f"what leads to `{eater.name}` ({_shown(root, eater.path)}:{eater.line})"
    message = (
        f"{what} takes more work than there is for a program of this size: the findings here may not be all, "
        "the rest was checked"
    )
    return Trouble(_shown(root, file), message, line)


def _shown(root: Path, file: str | None) -> str:
    return display_path(root / (file or ""))
