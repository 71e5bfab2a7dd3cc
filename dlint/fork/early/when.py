"""When the main process opens a handle that workers then share: before they start anyway, or by needing early
what is opened when it is first needed."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, NamedTuple

from dlint.fork.early.emptied import emptying, is_emptied
from dlint.fork.early.opened_late import (
    Opened,
    is_cached_by_constructor,
    is_opened_by,
    parent_run,
    use_that_opens,
)
from dlint.fork.early.reads import item_read_in_parent, length_asked_in_parent
from dlint.fork.early.used import used_before
from dlint.fork.kept.by_key import KeptByKey, drops_by_key
from dlint.fork.kept.same_key import is_kept_by
from dlint.source.module import Module
from dlint.values.frame import Arguments, Frame
from dlint.values.values import Const, Instance

if TYPE_CHECKING:
    from dlint.fork.program import Program
    from dlint.workers.uses import WorkerUse

_Place = tuple[Module, ast.expr]


class When(NamedTuple):
    """When a handle is opened, in words that follow "opened", and the place in the main process that does so,
    with what stands there, where it is another than that of the handle."""

    how: str
    at: _Place | None = None
    what: str = "at"


BEFORE = When("before the workers start")
BY_CONSTRUCTOR = When("in the parent too, by the constructor")


def needed_early(
    program: Program, use: WorkerUse, owner: Instance, opened: Opened, resets: frozenset[str]
) -> When | None:
    """How the parent comes to open a handle that an object opens when first needed; ``resets`` are methods
    that let go of it."""
    read = item_read_in_parent(program, use, owner.cls, resets=resets, by=opened.opener)
    return _by_reading(read) if read is not None else needed_besides(program, use, owner, opened, resets)


def needed_besides(
    program: Program, use: WorkerUse, owner: Instance, opened: Opened, resets: frozenset[str]
) -> When | None:
    """The same, otherwise than by reading an item."""
    return (
        _by_constructor(program, use, owner, opened)
        or _by_length(program, use, owner, opened, resets)
        or _by_use(program, use, owner, opened)
    )


def kept_before(
    program: Program, use: WorkerUse, owners: list[Instance], kept: KeptByKey
) -> tuple[When | None, bool]:
    """How the parent comes to keep a handle under a key, and whether it is surely one that workers need."""
    evaluator, name = program.evaluator, kept.place.rpartition(".")[2]
    for owner in owners:
        run = parent_run(program, [frame for _, frame in evaluator.initialisers.of(owner)])
        if is_kept_by(evaluator, kept, run) and not is_emptied(program, use, name, owner.node):
            return When(f"in the parent too, by the constructor of {owner.cls.name}"), True
    read = item_read_in_parent(program, use, empties=emptying(program, use, name))
    if read is not None:
        return _by_reading(read), kept.is_one
    dataset = use.dataset
    if use.loader is not None and isinstance(dataset, Instance):
        run = parent_run(program, _lengths(program, dataset))
        if is_kept_by(evaluator, kept, run) and not is_emptied(program, use, name, dataset.node):
            length = _length_asked(program, use, dataset)
            if length is not None:
                return length, True
    keeper = getattr(kept.visit.function.node, "name", name)
    for used in used_before(program, use, {keeper}, drops_by_key(name)):
        if getattr(used.run[0].scope, "name", "") == "__init__":
            continue  # in other runs it may be this dataset that is made there, or another in its place
        if is_kept_by(evaluator, kept, used.run) and not is_emptied(program, use, name, used.node):
            return When(f"in the parent too, by {used.shown}", (used.module, used.node)), True
    return None, False


def _by_reading(read: _Place) -> When:
    return When("in the parent too, by reading an item", read, "item read at")


def _by_constructor(program: Program, use: WorkerUse, owner: Instance, opened: Opened) -> When | None:
    """How the constructor of an object, or of what holds it, comes to open the object's handle; what its own
    leaves in an attribute is told by that."""
    if is_cached_by_constructor(program, opened, owner):
        return BY_CONSTRUCTOR
    initialisers = program.evaluator.initialisers.of
    for part in program.shipped(use):
        if isinstance(part.value, Instance) and part.value.key != owner.key:
            frames = [frame for _, frame in initialisers(part.value)]
            if is_opened_by(program, opened, owner, frames):
                return When(f"in the parent too, by the constructor of {part.value.cls.name}")
    return None


def _by_length(
    program: Program, use: WorkerUse, owner: Instance, opened: Opened, resets: frozenset[str]
) -> When | None:
    """How the parent comes to ask a dataset for its length, where that opens a handle."""
    dataset = use.dataset
    if use.loader is None or not isinstance(dataset, Instance):
        return None
    if not is_opened_by(program, opened, owner, _lengths(program, dataset)):
        return None
    return _length_asked(program, use, dataset, resets)


def _lengths(program: Program, dataset: Instance) -> list[Frame]:
    evaluator = program.evaluator
    return [
        evaluator.calls.enter(method, Arguments(), None, None)
        for method in evaluator.classes.methods(dataset, "__len__")
    ]


def _length_asked(
    program: Program, use: WorkerUse, dataset: Instance, resets: frozenset[str] = frozenset()
) -> When | None:
    """Who asks a dataset for its length in the parent: the program, or a loader that shuffles."""
    asked = length_asked_in_parent(program, use, dataset.cls, resets)
    if asked is not None:
        return When("in the parent too, by len()", asked)
    if use.loader is not None and any(
        isinstance(value, Const) and value.value for value in use.loader.values("shuffle")
    ):
        return When("in the parent too, by the __len__ that a shuffling loader calls")
    return None


def _by_use(program: Program, use: WorkerUse, owner: Instance, opened: Opened) -> When | None:
    """What else the parent does with a dataset that opens a handle."""
    used = use_that_opens(program, use, opened, owner)
    if used is None:
        return None
    return When(f"in the parent too, by {used.shown}", (used.module, used.node))
