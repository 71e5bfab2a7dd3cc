"""Networks on the GPU of which a loader is given a method: ``collate_fn=encoder.collate``."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.fork.gpu.held import OnGpu, put_of_attribute
from dlint.fork.gpu.moves import Put
from dlint.fork.gpu.networks import is_a_network
from dlint.fork.gpu.placed import where_put
from dlint.fork.program import Program
from dlint.knowledge.processes.devices import DEVICE_KEYWORDS, MOVES
from dlint.regex import regex
from dlint.source.nodes import walk
from dlint.source.statements import self_name
from dlint.values.frame import Point
from dlint.values.values import Instance
from dlint.values.worlds import World

if TYPE_CHECKING:
    from dlint.calls.evaluator import Evaluator
    from dlint.workers.events import Visit
    from dlint.workers.uses import WorkerUse

_GIVEN = ("collate_fn", "worker_init_fn")
# The device of what a network has been moved to: ``next(self.parameters()).device``.
_OF_OWN = regex(r"\bself\.(?:parameters|buffers)\(\)\W.*\.device\b", re.DOTALL)


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
                used = next(_used(evaluator, use, owners), None) if owners else None
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


def _used(
    evaluator: Evaluator, use: WorkerUse, owners: set[object]
) -> Iterator[tuple[Visit, ast.expr, bool]]:
    """Where worker code uses what such a network consists of, or the device that it is on, and whether it
    calls that."""
    for visit in use.code.visits:
        receiver, node = visit.function.receiver, visit.function.node
        if not isinstance(receiver, Instance) or receiver.key not in owners:
            continue
        own = self_name(node)
        for call in walk(node):
            if not isinstance(call, ast.Call):
                continue
            match call.func:
                case ast.Attribute(value=ast.Name(id=name)) as part if name == own:
                    held = [value for value, _ in evaluator.values(part, Point(visit.frame, None))]
                    if held and all(is_a_network(evaluator, value) for value in held):
                        yield visit, part, True
            if any(_is_own_device(evaluator, receiver, own, each) for each in _devices(call)):
                yield visit, call, False


def _devices(call: ast.Call) -> Iterator[ast.expr]:
    """The expressions by which a call may say a device."""
    yield from (keyword.value for keyword in call.keywords if keyword.arg in DEVICE_KEYWORDS)
    if isinstance(call.func, ast.Attribute) and call.func.attr in MOVES:
        yield from call.args[:1]


def _is_own_device(evaluator: Evaluator, owner: Instance, own: str, device: ast.expr) -> bool:
    """Whether an expression is the device on which its object's parameters are."""
    match device:
        case ast.Attribute(value=ast.Name(id=name), attr=attr) if name == own:
            getters = evaluator.classes.properties(owner.cls).get(attr, ())
            return bool(getters) and all(
                _OF_OWN.search(getter.module.text_of(getter.node)) is not None for getter, _ in getters
            )
    return _OF_OWN.search(ast.unparse(device).replace(f"{own}.", "self.")) is not None
