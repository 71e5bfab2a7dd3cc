"""Devices that methods set on other objects than those that workers have: ``table = Rows().on("cuda")``."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.fork.gpu.placed import may_be_cuda
from dlint.knowledge.processes.devices import DEVICE_KEYWORDS, MOVES
from dlint.source.statements import FunctionNode, self_name
from dlint.values.frame import Frame, Point
from dlint.values.values import Class, Instance, Value
from dlint.values.worlds import HERE, World

if TYPE_CHECKING:
    from dlint.fork.program import Program


def is_told_to_others(program: Program, call: ast.Call, point: Point) -> bool:
    """Whether the device that a method names is an attribute of its object (``self.device``) that is no GPU
    once the object is made, and that other methods set, all of which are called on other objects alone."""
    receiver = point.frame.receiver
    told = list(_told(call, point))
    if not (isinstance(receiver, Instance) and receiver.node is not None and told):
        return False
    return all(_is_left(program, receiver, each.attr) for each in told)


def _told(call: ast.Call, point: Point) -> Iterator[ast.Attribute]:
    """The attributes of its object by which a method names a device."""
    moves = isinstance(call.func, ast.Attribute) and call.func.attr in MOVES
    own = self_name(point.frame.scope) if isinstance(point.frame.scope, FunctionNode) else ""
    given = [keyword.value for keyword in call.keywords if keyword.arg in DEVICE_KEYWORDS]
    for each in (*given, *(call.args[:1] if moves else ())):
        match each:
            case ast.Attribute(value=ast.Name(id=name)) if name == own:
                yield each


def _is_left(program: Program, owner: Instance, name: str) -> bool:
    mark = ("device of other objects", owner.key, name)
    if mark not in program.answers:
        methods = [
            each
            for each in program.evaluator.attributes.stored.storing(owner, name)
            if each[1].name != "__init__"
        ]
        program.answers[mark] = (
            bool(methods)
            and all(_is_called_on_others(program, owner, *each) for each in methods)
            and not any(
                may_be_cuda(program.evaluator, value, world)
                for value, world in _when_made(program, owner, name)
            )
        )
    return bool(program.answers[mark])


def _when_made(program: Program, owner: Instance, name: str) -> list[tuple[Value, World]]:
    """What an attribute holds once its object is made."""
    evaluator = program.evaluator
    found = [
        each
        for _, path, at, world in evaluator.construction.stores(owner, HERE, (name,))
        if at.statement is not None
        for each in evaluator.names.defined(at.statement, path, at.frame, world)
    ]
    return found or [(value, HERE) for value, _ in evaluator.classes.member(owner.cls, name)]


def _is_called_on_others(program: Program, owner: Instance, cls: Class, method: FunctionNode) -> bool:
    """Whether a method is called, and all its calls are on objects that are made elsewhere than one, and than
    any that workers have."""
    evaluator = program.evaluator
    outer = Frame(cls.module, cls.node, cls.frame)
    sites = evaluator.sites.of(method, Frame(cls.module, method, outer, receiver=owner, owner=cls))
    shared = {
        id(each.node)
        for use in program.uses
        for each in (use.dataset, *use.code.instances.values())
        if isinstance(each, Instance)
    }
    for site in sites:
        match site.call.func:
            case ast.Attribute(value=held):
                found = [value for value, _ in evaluator.values(held, site.point)]
                if not found or any(
                    not isinstance(each, Instance) or each.node is None or id(each.node) in shared
                    for each in found
                ):
                    return False
            case _:
                return False
    return bool(sites) and evaluator.sites.are_all(method)
