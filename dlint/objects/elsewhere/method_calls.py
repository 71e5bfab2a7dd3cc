"""The calls of methods of objects, by others than the object itself."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.source.module import Module
from dlint.source.statements import (
    FunctionNode,
    is_self,
)
from dlint.values.frame import Argument, Arguments, Point, arguments_of
from dlint.values.values import Function, Instance

if TYPE_CHECKING:
    from dlint.objects.interface import Evaluator

# So many calls of one name are looked at.
_MOST = 24


class Given(NamedTuple):
    """A statement that may give something to an object: the object, what is called, with which arguments."""

    holder: ast.expr
    point: Point
    arguments: Arguments
    node: ast.AST


class MethodCalls:
    """Who calls the methods of objects, found by their names."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator
        self._given: dict[str, list[Given]] = {}

    def handed_on(self, name: str) -> Iterator[Given]:
        """The calls of a method; those by a method on what its own object keeps (``self.steps.add(step)``)
        also as they are for each object on which others call that method."""
        for given in self.of(name):
            yield given
            scope = given.point.frame.scope
            if not (
                isinstance(scope, FunctionNode)
                and isinstance(given.node, ast.Call)
                and isinstance(given.holder, ast.Attribute)
                and is_self(given.holder.value)
            ):
                continue
            for outer in self.of(scope.name):
                for value, _ in self._evaluator.values(outer.holder, outer.point):
                    if not isinstance(value, Instance) or value.node is None:
                        continue
                    for bound in self._evaluator.classes.methods(value, scope.name):
                        if bound.node is scope:
                            frame = self._evaluator.calls.enter(
                                bound, outer.arguments, outer.node, outer.point
                            )
                            point = Point(frame, given.point.statement)
                            yield Given(given.holder, point, arguments_of(given.node, point), given.node)

    def of(self, name: str) -> list[Given]:
        """The calls of a method by others than its own object, and the functions that it decorates."""
        known = self._given.get(name)
        if known is None:
            known = self._given[name] = []
            word = re.escape(name.encode())
            by_others = re.compile(rb"(?<!\bself)(?<!\bcls)\.\s*%b\s*\(|@[\w.]*\.%b\b" % (word, word))
            index = self._evaluator.modules.index
            files = (
                each
                for each in index.naming(name)
                if len(known) < _MOST and by_others.search(index.data(each))
            )
            for module in self._evaluator.modules.each(files):
                for trail in module.paths_to(name):
                    given = self._given_by(trail, module) if len(known) < _MOST else None
                    if given is not None:
                        known.append(given)
        return known

    def _given_by(self, trail: list[ast.AST], module: Module) -> Given | None:
        node, above = trail[-1], trail[-2] if len(trail) > 1 else None
        if not isinstance(node, ast.Attribute) or is_self(node.value):
            return None
        point = self._evaluator.sites.point_of(module, trail)
        if isinstance(above, ast.Call) and above.func is node:
            return Given(node.value, point, arguments_of(above, point), above)
        if isinstance(above, ast.FunctionDef) and any(node is each for each in above.decorator_list):
            decorated = Argument(None, None, Function(above, point.frame))
            return Given(node.value, point, Arguments([decorated]), node)
        return None
