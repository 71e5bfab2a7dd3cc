"""Wholes: what is read or opened in one go (a file of arrays, a dataset by its name), and its parts: by name,
by a slice, by an entry of a dict that is made of them."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from dlint.calls.parameters.written import written
from dlint.knowledge.iterables import SELECTS, gives_all, is_setting, may_be_indexed
from dlint.source.statements import FunctionNode, statements_in, target_names
from dlint.streams.sources.kinds import DATA, RANGE, Kinds, known_together
from dlint.values.frame import Point, arguments_of
from dlint.values.values import Const, External, Function, Made, Value
from dlint.values.worlds import World

if TYPE_CHECKING:
    from dlint.calls.evaluator import Evaluator
    from dlint.streams.sources.kinds import Streams

_FAR = 12


class Wholes:
    """Tells whether what is gone through is a whole, or a part of one that is the same in every worker."""

    def __init__(self, streams: Streams, evaluator: Evaluator) -> None:
        self._streams = streams
        self._evaluator = evaluator

    def of(self, node: ast.expr, point: Point, world: World) -> Kinds:
        """What was read or opened, or a part of it by name."""
        while isinstance(node, ast.Subscript) and self.is_part(node, point, world):
            node = node.value
        values = self._evaluator.values(node, point, world)
        return DATA if values and all(self._is_read(value, w) for value, w in values) else None

    def _is_read(self, value: Value, world: World) -> bool:
        """Whether something was read or opened, or is kept by what was (``file.variables``)."""
        match value:
            case Made() | External(owner=Made()) if may_be_indexed(value.name):
                return self.is_indexed(value, world)
            case Made() | External(owner=Made()):
                return gives_all(value.name)
        return False

    def is_indexed(self, made: Value, world: World) -> bool:
        """Whether a dataset of Hugging Face, a split of several, or one made of it, is surely none that is
        streamed."""
        if isinstance(made, External):
            return made.name.endswith("]") and made.owner is not None and self.is_indexed(made.owner, world)
        if not isinstance(made, Made):
            return False
        if made.name.endswith(SELECTS) and not self._selects(made, world):
            return False
        if "()" not in made.name:
            asked = made.arguments.keywords.get("streaming")
            given = self._evaluator.value_of(asked, world) if asked is not None else []
            sure = all(isinstance(value, Const) and not value.value for value, _ in given)
            return sure and not made.arguments.splats
        match made.node:
            case ast.Call(func=ast.Attribute(value=base)):
                values = self._evaluator.values(base, made.point, world)
                return bool(values) and all(self.is_indexed(value, w) for value, w in values)
        return False

    def _selects(self, made: Made, world: World) -> bool:
        """Whether the numbers of the items that are selected are known to be the same in all workers."""
        given = made.arguments.positional[:1] or [
            value for word, value in made.arguments.keywords.items() if word == "indices"
        ]
        return bool(given) and all(
            each.expression is not None
            and each.point is not None
            and self._streams.of_expression(each.expression, each.point, world) is not None
            for each in given
        )

    def is_part(self, node: ast.Subscript, point: Point, world: World) -> bool:
        """Whether an expression is a part by name of what was read, or as many as the program or its user
        say: ``data["images"]``, ``data[:]``, ``data[:1000]``."""
        match node.slice:
            case ast.Constant(value=str()):
                return True
            case ast.Name(id=name) if name in point.locals:
                return True  # the name that a comprehension has for each part
            case ast.Slice(lower=lower, upper=upper, step=None):
                bounds = [each for each in (lower, upper) if each is not None]
                return all(self._is_bound(each, point, world) for each in bounds)
        return False

    def _is_bound(self, node: ast.expr, point: Point, world: World) -> bool:
        """Whether a number is one that the program or its user says, or that a loop counts up."""
        match node:
            case ast.BinOp(left=left, right=right):
                return self._is_bound(left, point, world) and self._is_bound(right, point, world)
            case ast.Name(id=name) if name in point.frame.layout.binds:
                match self._evaluator.flow.definitions(name, point, world):
                    case [
                        (
                            ast.For(
                                target=ast.Name(),
                                iter=ast.Call(args=[_] | [ast.Constant(), *_]) as counted,
                            ) as loop,
                            w,
                        )
                    ]:  # from another number on, it may be some worker's part
                        return self._streams.of_expression(counted, Point(point.frame, loop), w) == RANGE
            case ast.Name(id=name) if (given := written_at(name, point)) is not None:
                return self._is_bound(*given, world)
        return all(
            isinstance(value, Const) or (isinstance(value, External) and is_setting(value.name))
            for value, _ in self._evaluator.values(node, point, world)
        )

    def of_entries(self, node: ast.expr, key: object, point: Point, world: World, far: int) -> Kinds:
        """What an entry of a dict is read from that is made here or by a function of the program: ``{name:
        data[name][:] for name in data}``."""
        if far > _FAR:
            return self._streams.too_far()
        found: list[Kinds] = []
        match node:
            case ast.Dict(keys=keys, values=values):
                for name, value in zip(keys, values, strict=True):
                    if not isinstance(name, ast.Constant):
                        return None
                    if name.value == key:
                        found.append(self._streams.of_expression(value, point, world, far + 1))
            case ast.DictComp(key=ast.Name(id=name), value=value, generators=[generator]) if (
                name in target_names(generator.target)
            ):
                inside = self._evaluator.inside(node, point)
                found.append(self._streams.of_expression(value, inside, world, far + 1))
            case ast.Name(id=name) if name in point.frame.layout.binds and name not in point.locals:
                for statement, w in self._evaluator.flow.definitions(name, point, world):
                    match statement:
                        case ast.Assign(targets=[ast.Name()], value=value):
                            at = Point(point.frame, statement)
                            found.append(self.of_entries(value, key, at, w, far + 1))
                        case _:
                            return None
            case ast.Call():
                for callee, w in self._evaluator.values(node.func, point, world):
                    if not isinstance(callee, Function) or not isinstance(callee.node, ast.FunctionDef):
                        return None
                    frame = self._evaluator.calls.enter(callee, arguments_of(node, point), node, point)
                    self._streams.passed.append((callee.node, frame))
                    for each in statements_in(callee.node.body):
                        if isinstance(each, ast.Return) and each.value is not None:
                            at = Point(frame, each)
                            found.append(self.of_entries(each.value, key, at, w, far + 1))
        return known_together(found)


def written_at(name: str, point: Point) -> tuple[ast.expr, Point] | None:
    """What a certain call gives to a parameter, as it is written there."""
    frame, scope = point.frame, point.frame.scope
    if frame.arguments is None or not isinstance(scope, FunctionNode) or name in point.locals:
        return None
    given = written(name, scope, frame.arguments, frame.receiver is not None)
    if given is None or given.expression is None or given.point is None:
        return None
    return given.expression, given.point
