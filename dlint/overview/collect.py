"""What a program shows of its loaders."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dlint.knowledge.randomness import draws_from
from dlint.loaders.loaders import Loader
from dlint.overview.describe import described
from dlint.overview.tree import tree_of
from dlint.overview.views import ArgumentView, LoaderView, PartView
from dlint.program.program import Program
from dlint.source.scopes import scope_at
from dlint.values.values import Function, Instance, Made, is_none
from dlint.workers.uses import WorkerUse

# In the order in which a reader asks for them.
_ARGUMENTS = (
    *("dataset", "batch_size", "shuffle", "sampler", "batch_sampler", "num_workers", "collate_fn"),
    *("worker_init_fn", "persistent_workers", "prefetch_factor", "pin_memory", "drop_last", "timeout"),
    *("multiprocessing_context", "generator"),
)
_SEEDS_NUMPY = (1, 9)  # the torch that gives each worker a NumPy state of its own
_DRAWN = ("NumPy", "random", "torch")
_MOST_VALUES = 8
_MOST_PARTS = 40


def loaders_of(program: Program) -> Iterator[LoaderView]:
    """Every loader of the program, by file and line."""
    for loader in program.loaders:
        if not loader.inherited:
            yield _view(program, loader)


def _view(program: Program, loader: Loader) -> LoaderView:
    program.evaluator.start()
    call, module = loader.call, loader.module
    uses = program.uses_of(loader)
    codes = [use.code for use in uses]
    return LoaderView(
        module.relative,
        call.lineno,
        call.end_lineno or call.lineno,
        module.column(call.lineno, call.col_offset),
        loader.kind.name,
        scope_at(module.tree, call.lineno),
        tuple(_arguments(loader)),
        loader.may_have_workers,
        program.start_method_of(uses[0]) if uses else None,
        _datasets(uses),
        tree_of(codes),
        tuple(_draws(program, loader, uses)),
        tuple(_parts(program, uses)),
        tuple(_shelters(program, uses)),
    )


def _arguments(loader: Loader) -> Iterator[ArgumentView]:
    for name in _ARGUMENTS:
        if not loader.may_get(name):
            continue
        values = list(dict.fromkeys(described(value) for value in loader.values(name)))
        if values == ["not given"]:
            continue
        more = ("...",) if len(values) > _MOST_VALUES else ()
        written = loader.written(name)
        text = ast.unparse(written) if written is not None else None
        yield ArgumentView(name, (*values[:_MOST_VALUES], *more), text)


def _datasets(uses: list[WorkerUse]) -> tuple[str, ...]:
    """The datasets' classes, with where they are defined."""
    found: dict[str, None] = {}
    for use in uses:
        match use.dataset:
            case Instance(cls=cls):
                found[f"{cls.name} ({cls.module.relative}:{cls.node.lineno})"] = None
            case None:
                pass
            case other:
                found[described(other)] = None
    return tuple(found)


def _draws(program: Program, loader: Loader, uses: list[WorkerUse]) -> Iterator[tuple[str, str]]:
    """From which library's own state workers draw, and who seeds that in each worker."""
    names = {event.name for use in uses for event in use.code.events}
    given = [value for value in loader.values("worker_init_fn") if value is not None]
    by_hand = [value for value in given if not is_none(value)]
    init = described(by_hand[0]) if by_hand else None
    releases = program.releases.of(loader.module.relative)
    for library in _DRAWN:
        if not any(draws_from(name, library) for name in names):
            continue
        if library != "NumPy" or loader.kind.seeds_workers:
            yield library, "torch, from base_seed + worker_id"
        elif init is not None:
            yield library, f"worker_init_fn {init}"
        elif releases.torch_is_from(_SEEDS_NUMPY) or releases.notebook_is_from(
            _SEEDS_NUMPY, loader.module.relative
        ):
            yield library, "torch, from base_seed + worker_id (since 1.9)"
        else:
            yield library, "nobody before torch 1.9, torch since"


def _parts(program: Program, uses: list[WorkerUse]) -> Iterator[PartView]:
    """What goes to workers with the dataset: objects of the program, of libraries, and functions."""
    seen: set[tuple[str, str]] = set()
    for use in uses:
        for part in program.shipped(use)[:_MOST_PARTS]:
            plain = isinstance(part.value, Made) and part.value.name.startswith(("os.path.", "pathlib."))
            if isinstance(part.value, Instance | Made | Function) and not plain:
                view = PartView(part.place, described(part.value), part.pickled)
                if (view.place, view.what) not in seen:
                    seen.add((view.place, view.what))
                    yield view


def _shelters(program: Program, uses: list[WorkerUse]) -> Iterator[str]:
    """The calls that protect workers from OpenCV's and torch's threads."""
    seen: set[str] = set()
    for name, value in (("cv2.setNumThreads", 0), ("torch.set_num_threads", 1)):
        for use in uses:
            if use.dataset is None:
                continue
            shelter = program.protections(name, value).shelter(use, use.modules)
            if shelter is not None and not shelter.lost:
                effect = shelter.effect
                said = f"{name}({value}) at {effect.module.relative}:{effect.call.lineno}"
                if said not in seen:
                    seen.add(said)
                    yield said
