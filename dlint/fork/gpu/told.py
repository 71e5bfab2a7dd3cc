"""What calls are told of the device, as they are written, and what chooses one itself."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from dlint.knowledge.processes.devices import (
    CHOOSE_DEVICE,
    DEVICE_KEYWORDS,
    DEVICE_MAP,
    MOVES,
    SPREAD,
    TYPED,
    is_cuda,
)
from dlint.values.frame import Point
from dlint.values.values import Const, External, Function, Items, Table, Value
from dlint.values.worlds import HERE, World

if TYPE_CHECKING:
    from dlint.calls.evaluator import Evaluator


def told_devices(value: Value) -> list[Value]:
    """What may be a device of an argument, or of the arguments that ``.to(*args, **kwargs)`` hands on."""
    if isinstance(value, Table):
        return [value.items[name] for name in DEVICE_KEYWORDS if name in value.items]
    return list(value.items[:1]) if isinstance(value, Items) else [value]


def asks_for_worker(evaluator: Evaluator, node: ast.expr, point: Point) -> bool:
    """Whether a function gives something that asks which worker this is: ``.to(device_here())``."""
    return isinstance(node, ast.Call) and any(
        isinstance(callee, Function) and "get_worker_info" in callee.module.text_of(callee.node)
        for callee, _ in evaluator.values(node.func, point)
    )


def may_name_device(call: ast.Call) -> bool:
    """Whether a call may say on which device something is to be."""
    method = call.func.attr if isinstance(call.func, ast.Attribute) else ""
    name = call.func.id if isinstance(call.func, ast.Name) else method
    named = any(keyword.arg in DEVICE_KEYWORDS for keyword in call.keywords)
    return named or method in MOVES or method == TYPED or name.endswith("Tensor")


def chooses_gpu(evaluator: Evaluator, member: External, world: World = HERE) -> bool:
    """Whether the owner of a method or attribute chooses the device itself, and takes a GPU where it can."""
    made = member.owner
    if made is None or made.name not in CHOOSE_DEVICE:
        return False
    keyword, position, on_gpu = CHOOSE_DEVICE[made.name]
    arguments = made.arguments
    if arguments.spread or arguments.splats:
        return False
    given = arguments.keywords.get(keyword)
    if given is None and position is not None:
        given = next(iter(arguments.positional[position : position + 1]), None)
    return given is None or any(
        isinstance(value, Const) and value.value in on_gpu for value, _ in evaluator.value_of(given, world)
    )


def is_mapped(evaluator: Evaluator, call: ast.Call, point: Point, world: World) -> bool:
    """Whether a network is loaded to GPUs: ``from_pretrained(name, device_map="auto")``."""
    return (
        isinstance(call.func, ast.Attribute)
        and call.func.attr == "from_pretrained"
        and any(
            isinstance(value, Const) and (value.value in SPREAD or is_cuda(value.value))
            for keyword in call.keywords
            if keyword.arg == DEVICE_MAP
            for value, _ in evaluator.values(keyword.value, point, world)
        )
    )
