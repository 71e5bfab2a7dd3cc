"""What a project leaves open, and a hazard hangs on: the conditions that findings tell.

A condition is a clause that stands behind "if": ``torch is older than 1.9``. None says that it is so in the
project as it stands, with its default settings, on today's Linux.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import TYPE_CHECKING

from dlint.evaluation.options.option import option_of, setting_of
from dlint.fork.start_method import SETTER, STARTS_ANEW, python_starts_anew, surely_starts_anew
from dlint.loaders.loaders import is_zero
from dlint.program.asked import for_calls, for_dataset, for_entry, for_events, for_loader, for_workers
from dlint.values.values import Const, Instance

if TYPE_CHECKING:
    from dlint.fork.boundaries import Way
    from dlint.loaders.loaders import Loader
    from dlint.program.program import Program
    from dlint.workers.events import Event
    from dlint.workers.uses import WorkerUse
    from dlint.workers.worker import WorkerCode

NOT_FORKED = "workers are not forked (macOS, Windows, Python 3.14)"
# Of arguments that contradict each other where the program comes one way, and not where it comes another.
SOME_WAYS = "the program comes a way to this call that gives both"


def both(*conditions: str | None) -> str | None:
    """Several conditions as one."""
    return " and ".join(dict.fromkeys(each for each in conditions if each)) or None


def started_anew(program: Program, use: WorkerUse | None) -> str | None:
    """What must be so for the workers of a use to begin anew, where nothing says that they always do; None
    for those of which nothing else is known."""
    sure = surely_starts_anew(program, use) if use is not None else python_starts_anew(program)
    return None if sure else NOT_FORKED


def start_by_default(program: Program, use: WorkerUse) -> str | None:
    """The start method of a use's workers, None where it may be any: also where the project sets one only for
    those who ask for it by an option, which is off by default."""
    method = program.start_method_of(use)
    if method not in STARTS_ANEW or surely_starts_anew(program, use):
        return method
    mark = ("asked to start anew", method)
    if mark not in program.answers:
        program.answers[mark] = for_calls(program, program.protections(SETTER, method).calls())
    return None if program.answers[mark] else method


def called(program: Program, loader: Loader) -> str | None:
    """What must be so for a loader to be made: an option that is off by default is given, or somebody else
    calls a function that this project only has."""
    return both(_by_others(program, loader), for_loader(program, loader))


def _by_others(program: Program, loader: Loader) -> str | None:
    names: set[str] = set()
    for way in program.boundaries.ways_to(loader.point):
        outermost = way.functions[-1] if way.functions else None
        if way.whole or not isinstance(outermost, ast.FunctionDef) or not _is_left_alone(program, way):
            return None
        names.add(outermost.name)
    return f"a program calls {sorted(names)[0]}()" if names else None


def _is_left_alone(program: Program, way: Way) -> bool:
    """Whether nothing in the project speaks of the outermost function of a way but where it is defined,
    imported and exported. What is decorated, a test and a script's own main are called by others, and what
    a configuration has called is, too."""
    function = way.functions[-1]
    assert isinstance(function, ast.FunctionDef)
    name, index = function.name, program.modules.index
    if function not in way.module.tree.body or function.decorator_list:
        return False
    if name == "main" or index.is_test(way.module.relative) or "Fire(" in way.module.text:
        return False
    home = way.module.relative
    return not program.evaluator.named.configured.is_target(name) and all(
        index.only_exports(relative, name)
        for relative in index.naming(name)
        if index.may_mean(relative, name, home)
    )


def with_workers(program: Program, loader: Loader) -> str | None:
    """What must be so for a loader to have workers: that it is made, and not with an option that is 0 where
    nobody says otherwise."""
    made, above = called(program, loader), _by_option(program, loader)
    if made is not None and above is not None and above.startswith(made.removesuffix("is given")):
        return made  # who asks for the loader by the number of its workers asks for workers
    return both(made, above)


def _by_option(program: Program, loader: Loader) -> str | None:
    values = loader.values("num_workers")
    others = [value for value in values if value is not None and not is_zero(value)]
    if not others or any(isinstance(value, Const) for value in others):
        return None
    found = {program.evaluator.options.unasked(value) for value in others}
    asked = found.pop() if len(found) == 1 else None
    # Nobody knows what a file says, and where the 0 is stored may be a branch for debugging.
    if asked is None or (asked.default is None and option_of(others[0]) is None):
        return None
    nought = asked.default is not None and is_zero(asked.default)
    if len(others) == len(values) and not (nought and asked.default != Const(None)):
        return None
    if not nought and asked.default is not None and setting_of(others[0]) is not None:
        return for_workers(program, loader)  # as the settings stand it is another number: `0 if cfg.debug`
    # Where that is another number the program itself has stored the 0, and has not where none is written.
    by_default = nought or asked.default is None
    return f"{asked.words} is above 0{' (its default is 0)' if by_default else ''}"


def loaded(program: Program, use: WorkerUse, event: Event | None = None) -> str | None:
    """What must be so for workers to execute the code of a use, and to come to an event of it."""
    reached = for_events(program, use.code, event) if event is not None else None
    if use.loader is not None:
        given = _given(program, use, event) if event is not None else None
        return both(with_workers(program, use.loader), for_dataset(program, use), given, reached)
    name = use.dataset.cls.name if isinstance(use.dataset, Instance) else "the dataset"
    return both(f"a DataLoader with workers reads {name}", reached)


def _given(program: Program, use: WorkerUse, event: Event) -> str | None:
    """What must be so for a loader to get the function of its own by which worker code comes to an event."""
    code = use.beside if use.beside is not None and use.dataset is not None else use.code
    return for_entry(program, use, event.role, (each.link for each in code.each_way([event])))


def any_loaded(program: Program, uses: Iterable[WorkerUse], event: Event | None = None) -> str | None:
    """The same for one of several uses: what needs no condition decides, else the fewest; of single ones each
    will do."""
    found: list[str] = []
    for use in uses:
        condition = both(loaded(program, use), _given(program, use, event) if event is not None else None)
        if condition is None:
            return None
        found.append(condition)
    single = {each for each in found if " and " not in each}
    return (
        " or ".join(sorted(single))
        if single
        else min(found, key=lambda each: (each.count(" and "), each), default=None)
    )


def executed(program: Program, code: WorkerCode, event: Event | None = None) -> str | None:
    """The same for worker code, whichever use has it."""
    reached = for_events(program, code, event) if event is not None else None
    uses = (use for use in program.uses if use.code is code or use.beside is code)
    return both(any_loaded(program, uses, event), reached)
