"""Networks, which move where they are, and whether what they make of tensors stays where those are."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from dlint.knowledge.processes.devices import ON_CPU, TRAINED_NETWORKS, is_network, may_bring_back
from dlint.values.frame import Arguments, Point
from dlint.values.values import Function, Instance, Made, Value
from dlint.values.worlds import World

if TYPE_CHECKING:
    from dlint.calls.evaluator import Evaluator

_RUNS = "forward"


def is_a_network(evaluator: Evaluator, value: Value) -> bool:
    """Whether a value is a network, of the program's or of a library's."""
    if isinstance(value, Instance):
        return any(is_network(name) for name in evaluator.classes.libraries(value.cls))
    return isinstance(value, Made) and is_network(value.name)


def moved_by_trainer(evaluator: Evaluator, device: ast.expr, point: Point, world: World) -> bool:
    """Whether a device is that of a network which its trainer moves to the GPU where there is one: ``device``
    of a LightningModule, unless some trainer is told to stay on the CPU."""
    match device:
        case ast.Attribute(value=network, attr="device"):
            moved = any(
                isinstance(value, Instance)
                and not evaluator.classes.member(value.cls, "device")
                and not TRAINED_NETWORKS.isdisjoint(evaluator.classes.libraries(value.cls))
                for value, _ in evaluator.values(network, point, world)
            )
            texts = evaluator.modules.index.texts("accelerator") if moved else ()
            return moved and not any(map(ON_CPU.search, texts))
    return False


def gives_there(evaluator: Evaluator, network: Value) -> bool:
    """Whether what a network makes of tensors stays where they are: nothing in its classes may bring it back,
    and neither functions of the program nor such networks in it have a hand in it."""
    if not is_a_network(evaluator, network):
        return False
    waiting = [network]
    seen = set()
    for each in waiting:  # grows meanwhile
        if not isinstance(each, Instance) or each.cls.key in seen:
            continue
        seen.add(each.cls.key)
        line = evaluator.classes.line(each.cls)
        if any(may_bring_back(cls.module.text_of(cls.node)) for cls in line):
            return False
        for method in evaluator.classes.methods(each, _RUNS):
            called = _called(evaluator, method)
            if any(isinstance(value, Function) and value.receiver is None for value in called):
                return False
            waiting += called
    return True


def _called(evaluator: Evaluator, method: Function) -> list[Value]:
    """What a method calls, and what its object's other methods do that it calls."""
    found: list[Value] = []
    waiting = [method]
    seen = set()
    for each in waiting:  # grows meanwhile
        if id(each.node) in seen:
            continue
        seen.add(id(each.node))
        frame = evaluator.calls.enter(each, Arguments(), None, None)
        for node in frame.layout.nodes:
            if isinstance(node, ast.Call):
                values = [value for value, _ in evaluator.values(node.func, Point(frame, None))]
                found += values
                waiting += [value for value in values if isinstance(value, Function) and value.receiver]
    return found
