"""How the workers of a loader are started: by what the loader, the user or the project says."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.loaders.loaders import Loader, is_zero
from dlint.regex import regex
from dlint.values.facts import is_above
from dlint.values.values import Const, Made, Value, is_none
from dlint.values.worlds import HERE, World

if TYPE_CHECKING:
    from dlint.fork.program import Program
    from dlint.workers.uses import WorkerUse

METHODS = ("fork", "forkserver", "spawn")
# loky's processes begin anew, and are sent what they need by cloudpickle: functions without a name, too.
# Measured with joblib 1.6: a local collate_fn and a lambda work, and no main guard is needed.
LOKY = "loky"
_ARGUMENT = "multiprocessing_context"
STARTS_ANEW = ("spawn", "forkserver", LOKY)  # a worker imports its libraries itself
# What Linux has where nothing is set, from this Python on; macOS and Windows have spawn.
_NEW, _SINCE = "forkserver", (3, 14)
SETTER = "multiprocessing.set_start_method"
_NOUGHT = (0, True)  # what any number of workers lies above
_CONTEXT = "multiprocessing.get_context"
_LOKY_CONTEXT = regex(r"(?:joblib\.externals\.)?loky\..*\bget_context")


def start_method_of(program: Program, use: WorkerUse) -> str | None:
    """The start method of a use's workers, None where it may be any.

    A ``multiprocessing_context`` given to the loader decides, then the option, then the project's own
    ``set_start_method`` on the way to the loader, then what the Python has that it runs on.
    """
    if use.loader is not None:
        own = _of_context(program, use.loader)
        if own is not None:
            return own or None
    if program.start_method is not None:
        return program.start_method
    if python_starts_anew(program):
        return _NEW
    found = [
        method
        for method in METHODS
        if program.protections(SETTER, method).shelter(use, use.modules) is not None
    ]
    return found[0] if len(found) == 1 else None


def surely_starts_anew(program: Program, use: WorkerUse) -> bool:
    """Whether the workers of a use surely are no copies of the parent: the start method is set for them, and
    not only on a condition, as by what prepares distributed training."""
    if use.loader is not None and use.loader.may_get(_ARGUMENT):
        said = set(_always_said(program, use.loader))
        if said and None not in said:
            return said <= {*STARTS_ANEW}
    method = start_method_of(program, use)
    if method not in STARTS_ANEW:
        return False
    if method == program.start_method or python_starts_anew(program):
        return True
    return program.protections(SETTER, method, always=True).shelter(use, use.modules) is not None


def scripts_that_start_anew(program: Program, use: WorkerUse) -> dict[str, str]:
    """The scripts that surely set another start method than fork before they make a loader, where others use
    it as well and do not, each with the method; nothing where something else decides."""
    if use.loader is None or start_method_of(program, use) is not None:
        return {}
    if not program.modules.index.naming("set_start_method") or _of_context(program, use.loader) is not None:
        return {}
    ways = program.boundaries.ways_to(use.loader.point)
    return {
        script: method
        for script in dict.fromkeys(way.module.relative for way in ways if way.whole)
        for method in METHODS
        if method in STARTS_ANEW
        and program.protections(SETTER, method, always=True).shelter(use, use.modules, script) is not None
    }


def python_starts_anew(program: Program) -> bool:
    """Whether no process is forked because of the Python that the project asks for: nothing in the project
    sets another way."""
    return program.releases.python_is_from(_SINCE) and not program.modules.index.naming("set_start_method")


def _of_context(program: Program, loader: Loader) -> str | None:
    """What the loader's own ``multiprocessing_context`` says: None nothing, "" several things."""
    if not loader.may_get(_ARGUMENT):
        return None
    names = {
        _said(program, value, world)
        for way, world in loader.ways(_ARGUMENT)
        if (value := way[_ARGUMENT]) is not None
    }
    names.discard(None)
    if not names:
        return None
    return names.pop() if len(names) == 1 else ""


def _said(program: Program, value: Value | None, world: World) -> str | None:
    """The start method that a context names; that of an option is its default, where workers start anew by
    it and the user asks for nothing else."""
    told = program.evaluator.options.default(value, world) if value is not None else None
    if told is not None and told.value in STARTS_ANEW:
        return str(told.value)
    return _method(program, value)


def _always_said(program: Program, loader: Loader) -> Iterator[str | None]:
    """What the loader's ``multiprocessing_context`` says on each way on which it has workers: ``"spawn" if
    debug else None`` says nothing where ``debug`` is off."""
    for way, world in loader.ways("num_workers", _ARGUMENT):
        workers = way["num_workers"]
        if (
            workers is not None
            and not is_zero(workers)
            and is_above(world.about(workers.key), _NOUGHT) is not False
        ):
            yield _said(program, way[_ARGUMENT], world)


def _method(program: Program, value: Value | None) -> str | None:
    """The start method that a context names; None for no context."""
    if value is None or is_none(value):
        return None
    if isinstance(value, Made) and value.name == _CONTEXT:
        given = value.arguments.positional[:1] or list(value.arguments.keywords.values())[:1]
        found = [name for argument in given for name, _ in program.evaluator.value_of(argument, HERE)]
        value = found[0] if len(found) == 1 else value
    if isinstance(value, Made) and _LOKY_CONTEXT.fullmatch(value.name):
        given = value.arguments.all()[:1]
        found = [name for argument in given for name, _ in program.evaluator.value_of(argument, HERE)]
        if all(isinstance(name, Const) and str(name.value).startswith(LOKY) for name in found):
            return LOKY
        value = found[0] if len(found) == 1 else value
    if isinstance(value, Const) and value.value in METHODS:
        return str(value.value)
    return ""
