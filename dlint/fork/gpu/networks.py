"""Networks, which move where they are, and whether what they make of tensors stays where those are."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Set
from typing import TYPE_CHECKING

from dlint.knowledge.processes.devices import (
    DEVICE_KEYWORDS,
    MOVES,
    ON_CPU,
    TRAINED_NETWORKS,
    is_network,
    may_bring_back,
)
from dlint.regex import regex
from dlint.source.nodes import walk
from dlint.source.statements import self_name
from dlint.values.frame import Arguments, Point
from dlint.values.values import Function, Instance, Made, Value
from dlint.values.worlds import World

if TYPE_CHECKING:
    from dlint.calls.evaluator import Evaluator
    from dlint.workers.events import Visit

_RUNS = "forward"
# The device of what a network has been moved to: ``next(self.parameters()).device``.
_OF_OWN = regex(r"\bself\.(?:parameters|buffers)\(\)\W.{0,1000}\.device\b", re.DOTALL)


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


def uses_of_networks(
    evaluator: Evaluator, visits: Iterable[Visit], owners: Set[object]
) -> Iterator[tuple[Visit, ast.expr, bool]]:
    """Where methods of some networks, by their keys, use what these consist of, or the device that they are
    on, and whether they call that."""
    for visit in visits:
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
