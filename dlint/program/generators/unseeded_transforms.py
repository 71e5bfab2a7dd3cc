"""Transforms of libraries whose generator no loader but the library's own seeds in workers: MONAI's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dlint.fork.sides import init_visits
from dlint.knowledge.augmentation import monai
from dlint.source.statements import functions_in
from dlint.values.values import External, Instance, Made, Partial, Unknown, Value

if TYPE_CHECKING:
    from dlint.program.program import Program
    from dlint.workers.uses import WorkerUse

_OWN_STATE = ".R."


def unseeded_transforms(program: Program, use: WorkerUse, *, forked: bool) -> list[str]:
    """The names of the transforms that the workers of a use get, and that draw the same numbers in each of
    them: nothing seeds them there. Where workers are not ``forked``, only those that bring a state along."""
    loader = use.loader
    if loader is None or loader.kind.seeds_workers or not program.modules.index.mentioning(monai.LIBRARY):
        return []
    if any(map(_may_seed, loader.values("worker_init_fn"))):
        return []
    runs = {visit.function.receiver.key for visit in use.code.visits if visit.function.receiver is not None}
    # A library's dataset calls its transform; of the program's own the calls are seen.
    by_library = isinstance(use.dataset, Made)
    calls = by_library or any(
        event.owner is not None and monai.is_transform(event.owner.name) for event in use.code.events
    )
    if not calls and not any(
        _name(program, visit.function.receiver)
        for visit in use.code.visits
        if visit.function.receiver is not None
    ):
        return []  # what the dataset holds besides is not drawn from
    found: dict[str, None] = {}
    shipped = program.shipped(use)
    sent = any(isinstance(part.value, Made) and monai.gives_states(part.value.name) for part in shipped)
    if not (forked or sent):
        return []
    for part in shipped:
        value = part.value
        name = _name(program, value)
        if name is not None and (calls if isinstance(value, Made) else value.key in runs):
            found[name] = None
    if not found:
        return []
    begins = [visit.function.module.text_of(visit.function.node) for visit in init_visits(program, use)]
    run = [visit.function.module.text_of(visit.function.node) for visit in use.code.visits]
    if any(map(_renews, [*begins, *run])):
        return []
    renewing = {
        function.name
        for part in program.shipped(use)
        if isinstance(part.value, Instance)
        for function in functions_in(part.value.cls.node.body)
        if _renews(part.value.cls.module.text_of(function))
    }
    return [] if any(f".{name}(" in text for name in renewing for text in begins) else list(found)


def _renews(text: str) -> bool:
    return any(word in text for word in monai.RENEWS)


def _name(program: Program, value: Value) -> str | None:
    """What a transform is called that draws from MONAI's state."""
    match value:
        case Made(name=name) if monai.draws(name):
            return name.rpartition(".")[2]
        case Instance(cls=cls) if monai.are_random(program.evaluator.classes.libraries(cls)):
            return cls.name if _OWN_STATE in cls.module.text_of(cls.node) else None
    return None


def _may_seed(value: Value | None) -> bool:
    """Whether a ``worker_init_fn`` is the library's, or one that nobody can see."""
    while isinstance(value, Partial):
        value = value.callee
    if isinstance(value, External):
        return value.name in monai.SEEDS_WORKERS
    return isinstance(value, Unknown | Made)
