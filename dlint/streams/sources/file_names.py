"""Names of files, of which nothing is known but that what goes through them opens each."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import TYPE_CHECKING, TypeAlias

from dlint.knowledge.iterables import is_setting, opens
from dlint.streams.sources.calls_inside import calls_in
from dlint.streams.sources.kinds import DATA, Kinds
from dlint.streams.sources.records import unwrapped
from dlint.values.frame import Point, arguments_of
from dlint.values.functions import passed
from dlint.values.values import External, Function, Unknown, Value
from dlint.values.worlds import World

if TYPE_CHECKING:
    from dlint.calls.evaluator import Evaluator
    from dlint.streams.sources.kinds import Streams

_FAR = 3
_Calls: TypeAlias = Iterable[tuple[ast.Call, Point]]


class FileNames:
    """Tells what is read by who goes through names, and may open the files that have them."""

    def __init__(self, streams: Streams, evaluator: Evaluator) -> None:
        self._streams = streams
        self._evaluator = evaluator

    def of(
        self, source: ast.expr, names: set[str], calls: _Calls, point: Point, world: World, far: int
    ) -> Kinds:
        """What a loop goes over; names of files where nothing is known but that it opens each of them."""
        kinds = self._streams.of_expression(source, point, world, far)
        if (
            kinds is None
            and self._may_be_names(source, point, world)
            and self._opened(names, calls, world, 0)
        ):
            return DATA
        return kinds

    def _may_be_names(self, node: ast.expr, point: Point, world: World) -> bool:
        bare, at = unwrapped(self._evaluator, node, point, world)
        return isinstance(bare, ast.Name | ast.Attribute) and all(
            isinstance(value, Unknown) or (isinstance(value, External) and is_setting(value.name))
            for value, _ in self._evaluator.values(bare, at, world)
        )

    def _opened(self, names: set[str], calls: _Calls, world: World, far: int) -> bool:
        """Whether one of some calls opens the file that one of some variables names."""
        for call, at in calls:
            if any(isinstance(argument, ast.Name) and argument.id in names for argument in call.args):
                callees = self._evaluator.values(call.func, at, world)
                if callees and all(self._opens(value, call, names, at, w, far) for value, w in callees):
                    return True
        return False

    def _opens(
        self, callee: Value, call: ast.Call, names: set[str], at: Point, world: World, far: int
    ) -> bool:
        if isinstance(callee, External):
            first = call.args[0]
            return opens(callee.name) and isinstance(first, ast.Name) and first.id in names
        if not isinstance(callee, Function) or far >= _FAR:
            return False
        frame = self._evaluator.calls.enter(callee, arguments_of(call, at), call, at)
        given = passed(callee, call).items()
        inner = {name for name, value in given if isinstance(value, ast.Name) and value.id in names}
        return self._opened(inner, calls_in(callee, frame), world, far + 1)
