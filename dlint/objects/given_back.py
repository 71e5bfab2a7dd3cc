"""What a function stores in an object before it gives that back: ``args = quick_args()``, ``args.workers``.

A path belongs to the object, so it crosses calls: what was stored under it where the object comes from is
there, until the caller stores something else.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from dlint.source.nodes import walk
from dlint.source.statements import statements_in
from dlint.values.frame import Frame, Point, arguments_of
from dlint.values.values import Function

if TYPE_CHECKING:
    from dlint.objects.interface import Evaluator
    from dlint.values.outcomes import Outcome
    from dlint.values.worlds import World

_DEEPEST = 6


class GivenBack:
    """Questions about attributes of what the program's functions give."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator
        # The paths that are asked for where the functions return, each by the id of the name and attribute.
        self._asked: dict[tuple[int, str], ast.Attribute] = {}

    def member(
        self, node: ast.Name | ast.Call, attribute: str, point: Point, world: World
    ) -> list[Outcome] | None:
        """The values of ``node.attribute`` where functions of the program give what a name stands for, or
        what is called is one, and store that in it themselves; None where they do not."""
        if point.frame.depth > _DEEPEST:
            return None
        if isinstance(node, ast.Call):
            return self._of_call(node, attribute, point, world)
        found: list[Outcome] = []
        for statement, w in self._evaluator.flow.definitions(node.id, point, world):
            match statement:
                case ast.Assign(targets=[ast.Name()], value=ast.Call() as call):
                    held = self._of_call(call, attribute, Point(point.frame, statement), w)
                    if held is None:
                        return None
                    found += held
                case _:
                    return None
        return found or None

    def _of_call(self, call: ast.Call, attribute: str, point: Point, world: World) -> list[Outcome] | None:
        found: list[Outcome] = []
        for callee, w in self._evaluator.values(call.func, point, world):
            if not isinstance(callee, Function) or not isinstance(callee.node, ast.FunctionDef):
                return None
            if callee.node.decorator_list:
                return None
            frame = self._evaluator.calls.enter(callee, arguments_of(call, point), call, point)
            held = self._held(callee.node, attribute, frame, w)
            if held is None:
                return None
            found += held
        return found or None

    def _held(
        self, function: ast.FunctionDef, attribute: str, frame: Frame, world: World
    ) -> list[Outcome] | None:
        """What stands under an attribute of all that a function returns."""
        found: list[Outcome] = []
        for statement in statements_in(function.body):
            if any(isinstance(node, ast.Yield | ast.YieldFrom) for node in walk(statement)):
                return None
            if not isinstance(statement, ast.Return):
                continue
            name = statement.value
            if not isinstance(name, ast.Name):
                return None
            at = Point(frame, statement)
            if f"{name.id}.{attribute}" not in frame.layout.binds:
                inner = self.member(name, attribute, at, world)
                if inner is None:
                    return None
                found += inner
                continue
            for w in self._evaluator.flow.reaching(at, world):
                found += self._evaluator.values(self._path(name, attribute), at, w)
        return found or None

    def _path(self, name: ast.Name, attribute: str) -> ast.Attribute:
        mark = (id(name), attribute)
        if mark not in self._asked:
            self._asked[mark] = ast.copy_location(ast.Attribute(name, attribute, ast.Load()), name)
        return self._asked[mark]
