"""What a project leaves open, and a hazard hangs on: the conditions that findings tell.

A condition is a clause that stands behind "if": ``torch is older than 1.9``. None says that it is so in the
project as it stands, with its default settings, on today's Linux.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from dlint.evaluation.options import option_of
from dlint.fork.start_method import STARTS_ANEW
from dlint.loaders.loaders import is_zero
from dlint.values.values import Const, Instance

if TYPE_CHECKING:
    from dlint.loaders.loaders import Loader
    from dlint.program.program import Program
    from dlint.workers.uses import WorkerUse
    from dlint.workers.worker import WorkerCode

NOT_FORKED = "workers are not forked (macOS, Windows, Python 3.14)"
# Of arguments that contradict each other where the program comes one way, and not where it comes another.
SOME_WAYS = "the program comes a way to this call that gives both"


def both(*conditions: str | None) -> str | None:
    """Several conditions as one."""
    return " and ".join(dict.fromkeys(each for each in conditions if each)) or None


def started_anew(program: Program, use: WorkerUse) -> str | None:
    """What must be so for the workers of a use to begin anew, where nothing says that they are forked."""
    return None if program.start_method_of(use) in STARTS_ANEW else NOT_FORKED


def with_workers(loader: Loader) -> str | None:
    """What must be so for a loader to have workers: an option that is 0 where nobody says otherwise."""
    values = loader.values("num_workers")
    known = [value for value in values if isinstance(value, Const) or value is None]
    if not known or not all(map(is_zero, known)):
        return None
    others = [value for value in values if value is not None and not is_zero(value)]
    options = {option_of(value) for value in others}
    if len(options) != 1 or None in options:
        return None
    return f"the option {options.pop()} is above 0 (its default is 0)"


def loaded(use: WorkerUse) -> str | None:
    """What must be so for workers to execute the code of a use."""
    if use.loader is not None:
        return with_workers(use.loader)
    name = use.dataset.cls.name if isinstance(use.dataset, Instance) else "the dataset"
    return f"a DataLoader with workers reads {name}"


def any_loaded(uses: Iterable[WorkerUse]) -> str | None:
    """The same for one of several uses: what needs no condition decides."""
    found: list[str] = []
    for use in uses:
        condition = loaded(use)
        if condition is None:
            return None
        found.append(condition)
    return found[0] if found else None


def executed(program: Program, code: WorkerCode) -> str | None:
    """The same for worker code, whichever use has it."""
    return any_loaded(use for use in program.uses if use.code is code or use.beside is code)
