"""Which workers have an attribute as its class has left it, and for which other code may have set it.

``get_worker_info().dataset.file = open(path)`` sets it for the loaders whose workers run the function, and
for no others; so does a function that asks for its worker and stores in an object of the class, where the
workers of others are seen to run it. Another unknown object may be meant where the code around speaks of
datasets or workers, and some file imports both that code and the class.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING

from dlint.fork.together import beside
from dlint.knowledge.randomness import WORKER_INFO
from dlint.values.values import External, Instance, Made, Partial, Unknown, Value
from dlint.workers.worker_dataset import may_be_of

if TYPE_CHECKING:
    from dlint.fork.program import Program
    from dlint.loaders.loaders import Loader
    from dlint.objects.elsewhere.stores import Setting
    from dlint.values.frame import Frame
    from dlint.workers.uses import WorkerUse

_SPOKEN_OF = ("dataset", "worker")
# Callers of callers, of a function that asks for its worker's dataset.
_FAR = 3


def left_as_made(
    program: Program, uses: Iterable[WorkerUse], owner: Instance, name: str, but: Collection[ast.stmt] = ()
) -> list[WorkerUse]:
    """The uses for which nothing outside its class is seen to set an attribute of an object, ``but`` some
    statements."""
    settings = [
        each
        for each in program.evaluator.attributes.outside.settings(owner, name)
        if each.point.statement not in but
    ]
    return [use for use in uses if not any(_is_for(program, use, owner, each) for each in settings)]


def is_set_elsewhere(program: Program, uses: Iterable[WorkerUse], owner: Instance, name: str) -> bool:
    """Whether that may be for all of some uses."""
    return not left_as_made(program, uses, owner, name)


def _is_for(program: Program, use: WorkerUse, owner: Instance, setting: Setting) -> bool:
    """Whether an attribute may be set for the workers of a use, or before they start."""
    asking = _asking(program, setting)
    if isinstance(setting.holder, Instance):
        # An object like this one: not for these workers where others' code alone is seen to store in theirs.
        return asking is None or not _is_others_alone(program, use, asking)
    if asking is not None:
        held = [setting.holder] if setting.holder is not None else []
        return (not held or may_be_of(program.evaluator, use, held, owner.cls)) and _is_run(
            program, use, asking
        )
    frame = setting.point.frame
    is_test = program.modules.index.is_test
    if is_test(frame.module.relative) and not is_test(use.file or ""):
        return False
    text = frame.module.text_of(frame.scope).lower()
    return any(word in text for word in (*_SPOKEN_OF, owner.cls.name.lower())) and any(
        module.relative in beside(program, frame.module.relative)
        for module in (owner.cls.module, *use.modules)
    )


def _asking(program: Program, setting: Setting) -> Frame | None:
    """The function that asks for its worker's dataset, or gets an object from what starts the worker, and
    stores into that."""
    holder, frame = setting.holder, setting.point.frame
    made = holder.owner if isinstance(holder, External) else None
    if isinstance(made, Made) and made.name == WORKER_INFO:
        return made.point.frame
    if isinstance(frame.scope, ast.Module | ast.ClassDef):
        return None
    if WORKER_INFO.rpartition(".")[2] in frame.module.text_of(frame.scope):
        return frame
    return frame if program.given("worker_init_fn", frame.scope) else None


def _is_run(program: Program, use: WorkerUse, asking: Frame) -> bool:
    """Whether the workers of a use run a function, or may where it is not known which one their loader gets:
    one that nobody is seen to run, or that others get for such datasets as well."""
    running = _running(program, asking)
    if running & use.worker_functions:
        return True
    if use.loader is not None and not any(map(_is_unknown, use.loader.values("worker_init_fn"))):
        return False
    others = [each for each in program.uses if running & each.worker_functions]
    loaders = {id(each.loader): each.loader for each in others if each.loader is not None}
    loaders |= {id(each): each for each in program.given("worker_init_fn", asking.scope)}
    if not (others or loaders):
        return True
    return any(_gets_alike(program, loader, use) for loader in loaders.values())


def _is_others_alone(program: Program, use: WorkerUse, asking: Frame) -> bool:
    """Whether workers of other uses run a function that asks for its worker, and those of this one do not:
    they may have a method of the same name from the function that calls it."""
    own = id(asking.scope)
    if own in use.worker_functions:
        return False
    if use.loader is not None and any(map(_is_unknown, use.loader.values("worker_init_fn"))):
        return False
    if any(own in each.worker_functions for each in program.uses):
        return True
    running = _running(program, asking)
    if running & use.worker_functions:
        return False
    return any(running & each.worker_functions for each in program.uses)


def _is_unknown(value: Value | None) -> bool:
    while isinstance(value, Partial):
        value = value.callee
    return isinstance(value, Unknown | Made)


def _gets_alike(program: Program, loader: Loader, use: WorkerUse) -> bool:
    """Whether a loader may get a dataset of a class that the dataset of a use is of, or derived from."""
    line = program.evaluator.classes.line
    ours = use.dataset
    for value in loader.values("dataset"):
        if not (isinstance(value, Instance) and isinstance(ours, Instance)):
            return True
        if any(above.node is ours.cls.node for above in line(value.cls)) or any(
            above.node is value.cls.node for above in line(ours.cls)
        ):
            return True
    return False


def _running(program: Program, frame: Frame) -> frozenset[int]:
    """A function and those that come to it by calls, by id of their node."""
    mark = ("running", id(frame.scope))
    if mark not in program.answers:
        found: dict[int, Frame] = {id(frame.scope): frame}
        last = [frame]
        for _ in range(_FAR):
            callers = [
                site.point.frame
                for each in last
                if isinstance(each.scope, ast.FunctionDef | ast.AsyncFunctionDef)
                for site in program.evaluator.sites.of(each.scope, each)
            ]
            last = [each for each in callers if id(each.scope) not in found]
            found.update((id(each.scope), each) for each in last)
        program.answers[mark] = frozenset(
            node for node, each in found.items() if not isinstance(each.scope, ast.Module | ast.ClassDef)
        )
    answer: frozenset[int] = program.answers[mark]
    return answer
