"""Objects that a class makes of itself: ``return cls(args.root)`` in a class method."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from dlint.calls.parameters.written import is_class_method
from dlint.calls.site import Site
from dlint.source.statements import (
    FunctionNode,
    functions_in,
    own_nodes,
    self_name,
    statements_in,
)
from dlint.values.frame import Frame, Point, arguments_of
from dlint.values.values import Class, Function

if TYPE_CHECKING:
    from dlint.calls.interface import Evaluator


def sites_by_class(
    evaluator: Evaluator, scope: FunctionNode, owner: Class, heirs: Iterable[Class]
) -> Iterator[Site]:
    """The calls by which class methods call a constructor: those of its own class and of the classes above
    it, and of the heirs that have no other one."""
    classes = evaluator.classes
    own = [
        heir
        for heir in heirs
        for value, _ in classes.member(heir, "__init__")
        if isinstance(value, Function) and value.node is scope
    ]
    for cls in [*classes.line(owner), *own]:
        for method in functions_in(cls.node.body):
            name = self_name(method)
            if not name or f"{name}(" not in cls.module.text_of(method) or not is_class_method(method):
                continue
            frame = Frame(cls.module, method, Frame(cls.module, cls.node, cls.frame), owner=cls)
            for statement in statements_in(method.body):
                for node in own_nodes(statement):
                    match node:
                        case ast.Call(func=ast.Name(id=called)) if called == name:
                            point = Point(frame, statement)
                            yield Site(node, point, arguments_of(node, point))
