"""Samplers of the program's own classes that give whole batches of indices, and datasets that take one."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from dlint.knowledge.epochs import BATCHES
from dlint.source.nodes import walk
from dlint.source.statements import FunctionNode, parameters
from dlint.values.frame import Arguments, Point
from dlint.values.values import Function, Instance, Items, Value
from dlint.values.worlds import HERE

if TYPE_CHECKING:
    from dlint.calls.evaluator import Evaluator

_SAMPLER, _SIZE = "torch.utils.data.Sampler", "batch_size"


def gives_batches(evaluator: Evaluator, sampler: Value | None) -> bool:
    """Whether a sampler surely gives lists: one below torch's batch sampler, or one that is made with a
    ``batch_size`` and yields nothing else."""
    if not isinstance(sampler, Instance):
        return False
    libraries = evaluator.classes.libraries(sampler.cls)
    if BATCHES in libraries:
        return True
    made_with_size = any(
        isinstance(init, Function) and any(each.arg == _SIZE for each in parameters(init.node))
        for init, _ in evaluator.classes.member(sampler.cls, "__init__")
    )
    return _SAMPLER in libraries and made_with_size and _yields_lists(evaluator, sampler)


def _yields_lists(evaluator: Evaluator, sampler: Instance) -> bool:
    found: list[Value] = []
    for method in evaluator.classes.methods(sampler, "__iter__"):
        if _yields_slices(method.node):
            return True
        point = Point(evaluator.calls.enter(method, Arguments(), None, None), None)
        for value, _ in evaluator.calls.returns(method, Arguments(), method.node, point, HERE):
            if not isinstance(value, Items) or value.open or not value.items:
                return False
            found += value.items
    return bool(found) and all(isinstance(value, Items) and value.kind == "list" for value in found)


def _yields_slices(method: ast.AST) -> bool:
    """Whether all that a method yields is cut out of something: ``yield order[i : i + self.batch_size]``."""
    given = [node for node in walk(method) if isinstance(node, ast.Yield | ast.YieldFrom)]
    return bool(given) and all(
        isinstance(each, ast.Yield)
        and isinstance(each.value, ast.Subscript)
        and isinstance(each.value.slice, ast.Slice)
        for each in given
    )


def takes_one(evaluator: Evaluator, dataset: Value | None) -> bool:
    """Whether a dataset's ``__getitem__`` surely takes a single index: it only reckons with it, or looks
    something up."""
    if not isinstance(dataset, Instance):
        return False
    methods = evaluator.classes.methods(dataset, "__getitem__")
    return bool(methods) and all(
        isinstance(each.node, FunctionNode) and _takes_number(each.node) for each in methods
    )


def _takes_number(method: FunctionNode) -> bool:
    given = [each.arg for each in parameters(method)][1:2]
    used: list[bool] = []
    for node in walk(method):
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.Name) and child.id in given:
                used.append(_is_number_there(node, child))
    return bool(used) and all(used)


def _is_number_there(around: ast.AST, index: ast.Name) -> bool:
    """Whether a place asks for a number."""
    match around:
        case ast.Subscript(slice=part):
            return part is index
        case ast.BinOp(left=left, right=right):
            return isinstance(right if left is index else left, ast.Constant | ast.Attribute)
        case ast.Call(func=ast.Name(id="int" | "str")):
            return True
        case ast.FormattedValue():
            return True
    return False
