"""Networks on the GPU of which a loader is given a method: ``collate_fn=encoder.collate``."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.fork.gpu.held import OnGpu, put_of_attribute
from dlint.fork.gpu.moves import Put
from dlint.fork.gpu.networks import is_a_network, uses_of_networks
from dlint.fork.gpu.placed import where_put
from dlint.fork.program import Program
from dlint.values.frame import Point
from dlint.values.values import Instance
from dlint.values.worlds import World

if TYPE_CHECKING:
    from dlint.calls.evaluator import Evaluator
    from dlint.workers.uses import WorkerUse

_GIVEN = ("collate_fn", "worker_init_fn")


def bound_on_gpu(program: Program, use: WorkerUse, worlds: list[World]) -> Iterator[OnGpu]:
    """The networks that a use's loader has a method of, which are on the GPU when it is made, and whose
    layers or device worker code uses."""
    evaluator, loader = program.evaluator, use.loader
    if loader is None or use.dataset is not None:
        return
    worker = {id(visit.function.node) for visit in use.code.visits}
    for name in _GIVEN:
        match loader.written(name):
            case ast.Attribute(value=held):
                owners = {
                    value.key
                    for value, _ in evaluator.values(held, loader.point)
                    if isinstance(value, Instance) and is_a_network(evaluator, value)
                }
                used = next(uses_of_networks(evaluator, use.code.visits, owners), None) if owners else None
                if used is None:
                    continue
                put = next(_puts(evaluator, held, loader.point, worlds), None)
                if put is not None and id(put.point.frame.scope) not in worker:
                    visit, node, runs = used
                    yield OnGpu(ast.unparse(held), put, visit, node, runs)


def _puts(evaluator: Evaluator, held: ast.expr, point: Point, worlds: list[World]) -> Iterator[Put]:
    """What has put on the GPU what a name stands for, or what an object keeps under one."""
    for world in worlds:
        put = where_put(evaluator, held, point, world)
        if put is not None:
            yield put
        elif isinstance(held, ast.Attribute):
            for value, w in evaluator.values(held.value, point, world):
                if isinstance(value, Instance):
                    yield from put_of_attribute(evaluator, value, held.attr, w)
