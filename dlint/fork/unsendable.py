"""What objects keep that pickle refuses, whatever its name: modules, generators, objects of OpenCV.

As measured: ``TypeError: cannot pickle 'module' object``, ``'generator' object``.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.fork.shipped import says_its_state
from dlint.knowledge.processes.pickling import SENT_FROM, is_module, refused
from dlint.values.frame import Point
from dlint.values.functions import is_generator
from dlint.values.values import External, Function, Instance, Made, ModuleValue, Value
from dlint.values.worlds import World

if TYPE_CHECKING:
    from dlint.calls.evaluator import Evaluator
    from dlint.source.module import Module

_GENERATOR = "generator"


class Kept(NamedTuple):
    """What an attribute of an object keeps: where it is stored, the kind of thing as pickle calls it, and the
    Python that can send it, "" where none does."""

    attribute: str
    node: ast.expr
    module: Module
    kind: str
    sent_from: str


def kept_unsendable(evaluator: Evaluator, instance: Instance, world: World) -> Iterator[Kept]:
    """The attributes of an object, once it is made, that pickle cannot take along."""
    if says_its_state(evaluator, instance.cls):
        return
    for name, path, point, w in evaluator.construction.stores(instance, world):
        match point.statement:
            case ast.Assign(targets=[ast.Attribute() as target], value=node) if ast.unparse(target) == path:
                kind = _kind(evaluator, node, point, w)
                if kind is not None:
                    yield Kept(f"{instance.cls.name}.{name}", node, point.frame.module, *kind)


def _kind(evaluator: Evaluator, node: ast.expr, point: Point, world: World) -> tuple[str, str] | None:
    if isinstance(node, ast.GeneratorExp):
        return _GENERATOR, ""
    if isinstance(node, ast.Call):
        callees = [value for value, _ in evaluator.values(node.func, point, world)]
        if callees and all(isinstance(callee, Function) and _generates(callee) for callee in callees):
            return _GENERATOR, ""
    kinds = {_kind_of(value) for value, _ in evaluator.values(node, point, world)}
    return kinds.pop() if len(kinds) == 1 else None


def _generates(function: Function) -> bool:
    return (
        isinstance(function.node, ast.FunctionDef)
        and not function.node.decorator_list
        and is_generator(function.node)
    )


def _kind_of(value: Value) -> tuple[str, str] | None:
    match value:
        case ModuleValue():
            return "module", ""
        case External(owner=None, name=name) if is_module(name):
            return "module", ""
        case Made(name=name):
            kind = refused(name)
            return (kind, SENT_FROM.get(name, "")) if kind is not None else None
    return None
