"""Counting: what a loop over bare numbers gives: the numbers, things they are the index of, or neither.

``for i in range(n): yield data[i]`` goes through the data; ``for _ in range(n): yield queue.get()`` only
counts, and what it gives comes from elsewhere.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from enum import IntEnum
from typing import TYPE_CHECKING

from dlint.knowledge.iterables import PICKS, draws, gives_all, opens
from dlint.source.layout import Layout
from dlint.source.nodes import children, walk
from dlint.source.statements import changed_names, dotted, expressions, own_names, statements_in, target_names
from dlint.streams.sources.kinds import COUNT, DATA, RANGE, Kinds
from dlint.values.frame import Arguments, Frame, Point, arguments_of
from dlint.values.functions import given_names, passed
from dlint.values.values import Class, External, Function, Made, Partial, Unknown, Value
from dlint.values.worlds import World

if TYPE_CHECKING:
    from dlint.calls.evaluator import Evaluator
    from dlint.streams.sources.kinds import Streams

_FAR = 4
# Libraries whose functions only reckon.
_OF_NUMBERS = ("builtins.", "math.", "numpy.", "torch.")


class Part(IntEnum):
    """What an expression has from the numbers; of several parts the greatest tells."""

    NOTHING = 0
    NUMBERS = 1
    ELSEWHERE = 2  # something that nobody knows had a hand in it
    DATA = 3  # what the numbers are the index or the name of


class Counting:
    """Follows the numbers of a loop to what it gives."""

    def __init__(self, streams: Streams, evaluator: Evaluator) -> None:
        self._streams = streams
        self._evaluator = evaluator
        # What the loops that are looked at count the items of.
        self._counted: list[str] = []

    def of_loops(self, loops: list[ast.For], given: ast.expr | None, point: Point, world: World) -> Part:
        """What a loop over numbers, with those inside it, gives at a ``yield``."""
        parts = {name: Part.NUMBERS for loop in loops for name in target_names(loop.target)}
        before, self._counted = (
            self._counted,
            [whole for loop in loops for whole in _measured(loop.iter, point.frame.layout)],
        )
        self._read(loops[0].body, parts, point.frame, world, 0)
        part = self._of(given, parts, point, world, 0) if given is not None else Part.NOTHING
        self._counted = before
        return part

    def of_element(self, node: ast.expr, names: set[str], point: Point, world: World) -> Part:
        """What a comprehension over numbers makes of each."""
        return self._of(node, dict.fromkeys(names, Part.NUMBERS), point, world, 0)

    def of_mapped(self, callee: Value, world: World) -> Part:
        """What ``map`` over numbers gives."""
        if isinstance(callee, Function):
            first = given_names(callee)[:1]
            frame = self._evaluator.calls.enter(callee, Arguments(), None, None)
            return self._of_function(callee, dict.fromkeys(first, Part.NUMBERS), frame, world, 0)
        return _of_library(callee, Part.NUMBERS)

    def of_range(self, given: Sequence[ast.expr], point: Point, world: World) -> Kinds:
        """What numbers are; not known where they begin at one that a function says which nobody sees, as one
        may that divides them: ``lo, hi = bounds(n)``, ``range(lo, hi)``."""
        match given:
            case [ast.Name(id=name), _, *_] if name in point.frame.layout.binds and name not in point.locals:
                for statement, w in self._evaluator.flow.definitions(name, point, world):
                    call = statement.value if isinstance(statement, ast.Assign) else None
                    if isinstance(call, ast.Call) and self._is_unseen(
                        call.func, Point(point.frame, statement), w
                    ):
                        return None
        return RANGE

    def _is_unseen(self, callee: ast.expr, point: Point, world: World) -> bool:
        return any(
            isinstance(value, Unknown)
            or (isinstance(value, External) and not value.name.startswith(_OF_NUMBERS))
            for value, _ in self._evaluator.values(callee, point, world)
        )

    def _read(
        self, block: list[ast.stmt], parts: dict[str, Part], frame: Frame, world: World, far: int
    ) -> None:
        """Notes what the variables of a block hold, after any number of rounds."""
        for _ in range(2):
            for statement in statements_in(block):
                names = {*own_names(statement), *changed_names(statement)}
                if not names:
                    continue
                point = Point(frame, statement)
                sources = [
                    e for e in expressions(statement) if not isinstance(getattr(e, "ctx", 0), ast.Store)
                ]
                if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
                    sources = statement.value.args  # buffer.append(item)
                part = max((self._of(e, parts, point, world, far) for e in sources), default=Part.NOTHING)
                for name in names:
                    parts[name] = max(part, parts.get(name, Part.NOTHING))

    def _of(self, node: ast.expr, parts: dict[str, Part], point: Point, world: World, far: int) -> Part:
        match node:
            case ast.Name(id=name):
                return parts.get(name, Part.NOTHING)
            case ast.Lambda():
                return Part.NOTHING
            case ast.Attribute(value=value):
                known = parts.get(dotted(node) or "")
                return known if known is not None else self._of(value, parts, point, world, far)
            case ast.Subscript(value=value, slice=index):
                base = self._of(value, parts, point, world, far)
                at = self._of(index, parts, point, world, far)
                if at is Part.NUMBERS and base is not Part.DATA:
                    return Part.DATA if self._is_known(value, point, world) else Part.ELSEWHERE
                return max(base, at)
            case ast.Call():
                return self._of_call(node, parts, point, world, far)
            case ast.ListComp() | ast.SetComp() | ast.GeneratorExp() | ast.DictComp():
                parts = dict(parts)
                for generator in node.generators:
                    source = self._of(generator.iter, parts, point, world, far)
                    parts.update(dict.fromkeys(target_names(generator.target), source))
                point = self._evaluator.inside(node, point)
        return max(
            (
                self._of(child, parts, point, world, far)
                for child in children(node)
                if isinstance(child, ast.expr)
            ),
            default=Part.NOTHING,
        )

    def _is_known(self, node: ast.expr, point: Point, world: World) -> bool:
        """Whether an expression is a container that every worker has whole."""
        if self._streams.of_expression(node, point, world) is not None:
            return True
        values = [value for value, _ in self._evaluator.values(node, point, world)]
        if ast.unparse(node) in self._counted and all(isinstance(value, Unknown | Made) for value in values):
            return self._streams.keeps(node, point, world)  # what has a length and items by their numbers
        return all(isinstance(value, External) and gives_all(value.name) for value in values)

    def _of_call(self, node: ast.Call, parts: dict[str, Part], point: Point, world: World, far: int) -> Part:
        given = [self._of(argument, parts, point, world, far) for argument in node.args]
        given += [self._of(keyword.value, parts, point, world, far) for keyword in node.keywords]
        owner = Part.NOTHING
        if isinstance(node.func, ast.Attribute):
            owner = self._of(node.func.value, parts, point, world, far)
        part = max(owner, *given, Part.NOTHING)
        if part >= Part.ELSEWHERE or owner is Part.NUMBERS:
            return part
        match node.func:
            case ast.Attribute(value=whole, attr=method) if part is Part.NUMBERS and method in PICKS:
                return Part.DATA if self._is_known(whole, point, world) else Part.ELSEWHERE
        found: list[Part] = []
        for callee, w in self._evaluator.values(node.func, point, world):
            if not isinstance(callee, Function):
                found.append(_of_library(callee, part))
            elif far < _FAR:
                names = {
                    name: self._of(value, parts, point, w, far)
                    for name, value in passed(callee, node).items()
                }
                frame = self._evaluator.calls.enter(callee, arguments_of(node, point), node, point)
                found.append(self._of_function(callee, names, frame, w, far + 1))
        return Part.ELSEWHERE if Part.ELSEWHERE in found else max(found, default=Part.ELSEWHERE)

    def _of_function(
        self, function: Function, parts: dict[str, Part], frame: Frame, world: World, far: int
    ) -> Part:
        node = function.node
        if isinstance(node, ast.Lambda):
            return self._of(node.body, parts, Point(frame, None), world, far)
        self._read(node.body, parts, frame, world, far)
        return max(
            (
                self._of(statement.value, parts, Point(frame, statement), world, far)
                for statement in statements_in(node.body)
                if isinstance(statement, ast.Return) and statement.value is not None
            ),
            default=Part.ELSEWHERE,
        )


def _measured(iterable: ast.expr, layout: Layout) -> list[str]:
    """What a loop counts the items of: ``range(len(self.dataset))``, or places between: ``range(0,
    len(self.rows) - size)``, be it by a name (``n = len(self.rows)``)."""
    match iterable:
        case ast.Call(func=ast.Name(id="range"), args=given):
            pass
        case _:
            return []
    named = [
        made.value
        for argument in given
        for node in walk(argument)
        if isinstance(node, ast.Name)
        for made in layout.binders(node.id)
        if isinstance(made, ast.Assign) and len(made.targets) == 1
    ]
    return [
        ast.unparse(node.args[0])
        for each in (*given, *named)
        for node in walk(each)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "len"
        and len(node.args) == 1
        and isinstance(node.args[0], ast.Attribute)
    ]


def _of_library(callee: Value, part: Part) -> Part:
    """What a call of anything but a function of the program gives, with such arguments."""
    if isinstance(callee, Class):
        return part
    if isinstance(callee, Partial):
        callee = callee.callee
    if not isinstance(callee, External) or draws(callee.name) or callee.name == "builtins.next":
        return Part.ELSEWHERE
    holds = gives_all(callee.name) or opens(callee.name) or callee.name.startswith("builtins.dict.")
    if part is Part.NUMBERS and holds and callee.name != "builtins.range":
        return Part.DATA
    return part if callee.owner is None else Part.ELSEWHERE


def kinds_of(part: Part) -> Kinds:
    """What is read by who goes over numbers of which such a part is given."""
    if part is Part.DATA:
        return DATA
    return RANGE if part is Part.NUMBERS else COUNT
