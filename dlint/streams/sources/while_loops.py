"""What a ``while`` goes over: a file to its end, what it takes one after the other until there is no more,
what it counts through."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.knowledge.iterables import READS, READS_NEXT, opens
from dlint.regex import regex
from dlint.source.nodes import walk
from dlint.source.statements import dotted, own_names, own_nodes, statements_in
from dlint.streams.sources.calls_inside import calls_of
from dlint.streams.sources.kinds import DATA, NOTHING, Kinds
from dlint.streams.sources.passages import Loop
from dlint.streams.sources.turns import Turns, ends_when_empty, shortens
from dlint.values.frame import Frame, Point
from dlint.values.values import Const, External, Made
from dlint.values.worlds import World

if TYPE_CHECKING:
    from dlint.calls.evaluator import Evaluator
    from dlint.streams.sources.kinds import Streams

# How a path is called, and what is read from a camera.
_CALLED_CAMERA = regex(r"cam(?:$|_|era)|live", re.IGNORECASE)
_CALLED_PATH = regex(r"(?:^|[._])(?:path|file|file_?name|file_?path|fname)$")


class WhileLoops:
    """Follows the loops that go on as long as a test holds."""

    def __init__(self, streams: Streams, turns: Turns, evaluator: Evaluator) -> None:
        self._streams = streams
        self._turns = turns
        self._evaluator = evaluator

    def of(
        self,
        loop: ast.While,
        around: tuple[Loop, ...],
        inside: tuple[Loop, ...],
        frame: Frame,
        world: World,
    ) -> Kinds:
        """A ``while`` that reads a file to its end goes over it; any other that may end adds nothing to what
        the loops around it and the rest of the function read."""
        if self._reads_to_end(loop, bool(around), frame, world):
            return DATA
        taken = self.taken_to_end(loop, frame, world)
        if taken is not None:
            return taken[0]
        counted = _counted_through(loop)
        if counted is not None:
            return self._streams.of_expression(counted, Point(frame, loop), world)
        read = self._read_by_cursor(loop, frame, world)
        if read is not None:
            return self._streams.of_expression(*read, world)
        if self._is_left(loop, frame, world):
            return NOTHING
        return None if inside or isinstance(loop.test, ast.Constant) else NOTHING

    def _read_by_cursor(self, loop: ast.While, frame: Frame, world: World) -> tuple[ast.expr, Point] | None:
        """What a loop reads at a number that it counts up to the end of that, and where its length is asked
        for: ``n = len(self.tokens) // size``, ``while self.at < n: ... self.tokens[self.at * size]``."""
        match loop.test:
            case ast.Compare(left=left, ops=[ast.Lt() | ast.LtE() | ast.NotEq()], comparators=[most]):
                cursor, at = _cursor_in(left), Point(frame, loop)
            case _:
                return None
        counts = [each for each in statements_in(loop.body) if cursor in own_names(each)]
        if not counts or not all(
            isinstance(each, ast.AugAssign) and isinstance(each.op, ast.Add) for each in counts
        ):
            return None
        if isinstance(most, ast.Name):
            most, at = self._evaluator.flow.assigned(most.id, at, world) or (most, at)
        whole = _whose_length(most)
        if whole is None or cursor is None or not _reads_at(loop, whole, cursor):
            return None
        return whole, at

    def _is_left(self, loop: ast.While, frame: Frame, world: World) -> bool:
        """Whether each round comes to a test that surely leaves the loop, as what it asks for is known (``if
        not self.infinite: break``) or counts the rounds up to a known number, or at last lets down the flag
        that it goes on by (``more = self.infinite``)."""
        if any(isinstance(each, ast.Continue) for each in statements_in(loop.body)):
            return False
        if self._lets_down(loop, frame, world):
            return True
        for statement in loop.body:
            if not isinstance(statement, ast.If):
                continue
            point = Point(frame, statement)
            for leaving, block in ((True, statement.body), (False, statement.orelse)):
                if block and isinstance(block[-1], ast.Break | ast.Return):
                    results = {result for result, _ in self._evaluator.truth(statement.test, point, world)}
                    if results == {leaving} or (
                        leaving and self._counts_up(loop, statement.test, point, world)
                    ):
                        return True
        return False

    def _lets_down(self, loop: ast.While, frame: Frame, world: World) -> bool:
        """Whether what each round stores last in the flag that a loop goes on by surely ends it."""
        going_on = not (isinstance(loop.test, ast.UnaryOp) and isinstance(loop.test.op, ast.Not))
        flag = dotted(_operand(loop.test))
        stored = [each for each in statements_in(loop.body) if flag in own_names(each)] if flag else []
        match stored:
            case [*_, ast.Assign(targets=[_], value=value) as last] if last in loop.body:
                results = {r for r, _ in self._evaluator.truth(value, Point(frame, last), world)}
                return results == {not going_on}
        return False

    def _counts_up(self, loop: ast.While, test: ast.expr, point: Point, world: World) -> bool:
        """Whether a test asks whether a number that each round counts up has come to one that is known."""
        match test:
            case ast.Compare(left=counted, ops=[ast.Eq() | ast.Gt() | ast.GtE()], comparators=[most]):
                path = dotted(counted)
                counts = [each for each in statements_in(loop.body) if path in own_names(each)]
                return (
                    bool(counts)
                    and all(_is_count(each) and each in loop.body for each in counts)
                    and all(
                        isinstance(value, Const) and isinstance(value.value, int)
                        for value, _ in self._evaluator.values(most, point, world)
                    )
                )
        return False

    def _reads_to_end(self, loop: ast.While, named: bool, frame: Frame, world: World) -> bool:
        calls = [
            (call, call.func, at)
            for call, at in calls_of([loop], frame)
            if isinstance(call.func, ast.Attribute)
        ]
        if any(func.attr == "seek" and _is_start(call) for call, func, _ in calls):
            return False  # begins again
        return any(
            func.attr in READS
            and at.statement is not None
            and _ends_with(loop, call, set(own_names(at.statement)))
            and self._is_file(func.value, named, at, world)
            for call, func, at in calls
        )

    def taken_to_end(
        self, loop: ast.While, frame: Frame, world: World
    ) -> tuple[Kinds, ast.expr, Point] | None:
        """What a loop takes one after the other until an error says that there is no more, and where that
        stands: ``pickle.load(file)`` up to EOFError, ``next(rows)`` up to StopIteration."""
        for trying, error in self._ended_by(loop, frame, world):
            for call, at in calls_of(trying.body, frame):
                for callee, w in self._evaluator.values(call.func, at, world) if call.args else ():
                    reads = isinstance(callee, External) and (
                        callee.name in READS_NEXT
                        if error == "EOFError"
                        else callee.name == "builtins.next" and len(call.args) == 1
                    )
                    kinds = self._streams.of_expression(call.args[0], at, w) if reads else None
                    if kinds is None and reads and error == "StopIteration":
                        kinds = self._turns.of(call.args[0], at, w)
                    if kinds is not None:
                        return kinds, call.args[0], at
        return None

    def _ended_by(self, loop: ast.While, frame: Frame, world: World) -> Iterator[tuple[ast.Try, str]]:
        """The statements whose handler of an error ends a loop, in it or around it: it leaves the loop, or
        sets what the loop goes on by."""
        inside = list(statements_in(loop.body))
        deeper = {
            id(each)
            for other in inside
            if isinstance(other, ast.For | ast.AsyncFor | ast.While)
            for each in statements_in(other.body)
        }
        for statement in (*inside, *statements_in(frame.layout.body)):
            if not isinstance(statement, ast.Try):
                continue
            within = statement in inside
            if not within and all(each is not loop for each in statements_in(statement.body)):
                continue
            for handler in statement.handlers:
                if within:
                    done = self._taken_path(handler.body, frame, world)
                    leaves = bool(done) and isinstance(done[-1], ast.Break | ast.Return)
                    leaves = leaves and (isinstance(done[-1], ast.Return) or id(statement) not in deeper)
                    if not leaves and not _stops(loop.test, done) and not _empties(loop, done):
                        continue
                for caught in walk(handler.type) if handler.type is not None else ():
                    if isinstance(caught, ast.Name) and caught.id in ("EOFError", "StopIteration"):
                        yield statement, caught.id

    def _taken_path(self, body: list[ast.stmt], frame: Frame, world: World) -> list[ast.stmt]:
        """The statements of a block that surely run, of a last ``if`` those of the branch that is taken."""
        last = body[-1]
        if not isinstance(last, ast.If):
            return body
        values = [value for value, _ in self._evaluator.values(last.test, Point(frame, last), world)]
        if values and all(isinstance(value, Const) and not value.value for value in values):
            return [*body[:-1], *(self._taken_path(last.orelse, frame, world) if last.orelse else ())]
        return body

    def _is_file(self, node: ast.expr, named: bool, point: Point, world: World) -> bool:
        if self._streams.of_expression(node, point, world) is not None:
            return True
        # What may be no file otherwise (a camera) is one where a loop goes over names.
        of_camera = _CALLED_CAMERA.search(dotted(node) or "") is not None
        return all(
            isinstance(value, Made)
            and opens(value.name)
            and (named or (not of_camera and self._is_of_path(value, w)))
            for value, w in self._evaluator.values(node, point, world)
        )

    def _is_of_path(self, opened: Made, world: World) -> bool:
        """Whether what is opened is a file, by its text or by what the program calls it: no camera, whose
        number is given, and no address."""
        given = opened.arguments.positional[:1]
        written = given[0].expression if given else None
        match written:
            case ast.Call(func=ast.Name(id="str") | ast.Attribute(attr="fspath"), args=[inner]):
                written = inner
        called = _CALLED_PATH.search(dotted(written) or "") if written is not None else None
        values = [value for value, _ in self._evaluator.value_of(given[0], world)] if given else []
        return bool(values) and all(
            isinstance(value.value, str) and "." in value.value and "://" not in value.value
            if isinstance(value, Const)
            else called is not None or getattr(value, "is_path", False)
            for value in values
        )


def _stops(test: ast.expr, done: list[ast.stmt]) -> bool:
    """Whether statements set the flag that a loop goes on by."""
    flag = test.operand if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not) else test
    path = dotted(flag)
    return path is not None and any(
        isinstance(statement, ast.Assign) and path in own_names(statement) for statement in done
    )


def _empties(loop: ast.While, done: list[ast.stmt]) -> bool:
    """Whether statements take one of those out that a loop goes on for as long as it has some."""
    return any(shortens(statement, several) for several in ends_when_empty(loop) for statement in done)


def _is_start(call: ast.Call) -> bool:
    return len(call.args) == 1 and isinstance(call.args[0], ast.Constant) and call.args[0].value == 0


def _counted_through(loop: ast.While) -> ast.expr | None:
    """What a loop takes one after the other by a number that it counts up: ``while at < len(self.rows):``."""
    match loop.test:
        case ast.Compare(
            left=ast.Name(id=number),
            ops=[ast.Lt() | ast.NotEq()],
            comparators=[ast.Call(func=ast.Name(id="len"), args=[ast.Attribute() as whole])],
        ):
            counts = [each for each in statements_in(loop.body) if number in own_names(each)]
            if counts and all(isinstance(each, ast.AugAssign) for each in counts):
                return whole
    return None


def _cursor_in(node: ast.expr) -> str | None:
    """The number that is compared with an end: ``at``, ``self.at``, ``self.at + size``."""
    while isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        node = node.left
    is_own = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
    return dotted(node) if isinstance(node, ast.Name) or is_own else None


def _whose_length(node: ast.expr) -> ast.expr | None:
    """What has the length that an end is worked out from: ``(len(self.tokens) - 1) // self.size``."""
    while isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub | ast.FloorDiv):
        node = node.left
    match node:
        case ast.Call(func=ast.Name(id="len"), args=[ast.Attribute() as whole]):
            return whole
    return None


def _reads_at(loop: ast.While, whole: ast.expr, cursor: str) -> bool:
    """Whether a loop takes a part of something at a number, or at one that it works out from that."""
    numbers = {cursor}

    def tells(node: ast.expr) -> bool:
        return any(isinstance(each, ast.expr) and dotted(each) in numbers for each in walk(node))

    for statement in statements_in(loop.body):
        for node in own_nodes(statement):
            if (
                isinstance(node, ast.Subscript)
                and ast.unparse(node.value) == ast.unparse(whole)
                and tells(node.slice)
            ):
                return True
        if isinstance(statement, ast.Assign) and tells(statement.value):
            numbers.update(own_names(statement))
    return False


def _operand(test: ast.expr) -> ast.expr:
    return test.operand if isinstance(test, ast.UnaryOp) else test


def _is_count(statement: ast.stmt) -> bool:
    match statement:
        case ast.AugAssign(op=ast.Add(), value=ast.Constant(value=1)):
            return True
    return False


def _ends_with(loop: ast.While, call: ast.Call, names: set[str]) -> bool:
    """Whether a loop ends because of what a call in it gave."""
    tests = [loop.test]
    for statement in statements_in(loop.body):
        if isinstance(statement, ast.If) and any(
            block and isinstance(block[-1], ast.Break | ast.Return)
            for block in (statement.body, statement.orelse)
        ):
            tests.append(statement.test)
    return any(
        node is call or (isinstance(node, ast.Name) and node.id in names)
        for test in tests
        for node in walk(test)
    )
