"""Streams that are gone through one after another, as ``chain.from_iterable`` does."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from dlint.source.nodes import walk
from dlint.source.statements import target_names
from dlint.streams.sources.calls_inside import calls_in
from dlint.streams.sources.file_names import FileNames
from dlint.streams.sources.kinds import DATA, Kinds, known_together, together
from dlint.streams.sources.records import Records
from dlint.values.frame import Arguments, Point
from dlint.values.functions import given_names
from dlint.values.values import External, Function
from dlint.values.worlds import World

if TYPE_CHECKING:
    from dlint.calls.evaluator import Evaluator
    from dlint.streams.sources.kinds import Streams


class Chained:
    """Tells what streams read of which one is gone through after the other."""

    def __init__(self, streams: Streams, names: FileNames, records: Records, evaluator: Evaluator) -> None:
        self._streams = streams
        self._names = names
        self._records = records
        self._evaluator = evaluator

    def of(self, node: ast.expr, point: Point, world: World, far: int) -> Kinds:
        """What ``chain.from_iterable`` gives of the streams that an expression makes one after another."""
        match node:
            case ast.List(elts=parts) | ast.Tuple(elts=parts):
                if any(isinstance(part, ast.Starred) for part in parts):
                    return None
                return known_together(
                    [self._streams.of_expression(part, point, world, far) for part in parts]
                )
            case ast.Name(id=name) if name not in point.locals and name in point.frame.layout.binds:
                return self._of_made_before(name, point, world, far)
            case (
                ast.GeneratorExp(elt=elt, generators=[generator])
                | ast.ListComp(elt=elt, generators=[generator])
                | ast.DictComp(value=elt, generators=[generator])
            ):
                inside = self._evaluator.inside(node, point)
                names = set(target_names(generator.target))
                calls = [(call, inside) for call in walk(elt) if isinstance(call, ast.Call)]
                return together(
                    [
                        self._names.of(generator.iter, names, calls, point, world, far),
                        self._streams.of_expression(elt, inside, world, far),
                    ]
                )
            case ast.Call(args=[function, source]) if self._is_map(node, point, world):
                found: list[Kinds] = []
                for callee, w in self._evaluator.values(function, point, world):
                    if isinstance(callee, External) and callee.name == "builtins.iter":
                        return self.of(source, point, w, far)
                    if not isinstance(callee, Function):
                        return None
                    frame = self._evaluator.calls.enter(callee, Arguments(), None, None)
                    first = set(given_names(callee)[:1])
                    found.append(self._names.of(source, first, calls_in(callee, frame), point, w, far))
                    found.append(self._streams.of_function(callee, frame, w, far))
                return together(found)
        return self._of_elements(node, point, world, far)

    def _of_elements(self, node: ast.expr, point: Point, world: World, far: int) -> Kinds:
        """The same, of the streams that an object keeps (``self.sources``) or a generator gives."""
        kinds = self._streams.of_expression(node, point, world, far)
        if kinds is None:
            return None
        each = [
            self._streams.of_value(stream, w, far)
            for value, w in self._evaluator.values(node, point, world)
            for stream in self._evaluator.iterated(value, node, point, w)
        ]
        read = known_together(each)
        if read is None:
            return DATA if self._records.are_in(node, point, world, 0) else None
        return together([kinds, read])

    def _of_made_before(self, name: str, point: Point, world: World, far: int) -> Kinds:
        """The same, where a variable stands for the streams, and nothing is put to them later."""
        found: list[Kinds] = []
        for statement, w in self._evaluator.flow.definitions(name, point, world):
            match statement:
                case ast.Assign(
                    targets=[ast.Name()], value=ast.List() | ast.Tuple() | ast.ListComp() as streams
                ):
                    found.append(self.of(streams, Point(point.frame, statement), w, far))
                case _:
                    return None
        return known_together(found)

    def _is_map(self, node: ast.Call, point: Point, world: World) -> bool:
        callees = self._evaluator.values(node.func, point, world)
        return all(isinstance(value, External) and value.name == "builtins.map" for value, _ in callees)
