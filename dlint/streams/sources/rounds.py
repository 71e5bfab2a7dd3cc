"""Rounds: what the loops around a ``yield`` go over, and whether each comes to an end with it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, TypeAlias

from dlint.knowledge.iterables import (
    PASSES_ON,
    READS,
    READS_NEXT,
    gives_all,
    gives_records,
    is_setting,
    opens,
)
from dlint.source.nodes import walk
from dlint.source.statements import changed_names, dotted, expressions, own_names, statements_in, target_names
from dlint.streams.sources.kinds import DATA, NOTHING, Kinds, known_together, together
from dlint.streams.sources.passages import Loop, passages
from dlint.streams.sources.turns import Turns, ends_when_empty, shortens
from dlint.values.frame import Arguments, Frame, Point, arguments_of
from dlint.values.functions import given_names, passed
from dlint.values.values import Const, External, Function, Instance, Made, Unknown, Value
from dlint.values.worlds import World

if TYPE_CHECKING:
    from dlint.calls.evaluator import Evaluator
    from dlint.streams.sources.kinds import Streams

_FAR = 3
# How a path is called, and what is read from a camera.
_CALLED_CAMERA = re.compile(r"cam(?:$|_|era)|live", re.IGNORECASE)
_CALLED_PATH = re.compile(r"(?:^|[._])(?:path|file|file_?name|file_?path|fname)$")
_Calls: TypeAlias = Iterable[tuple[ast.Call, Point]]


class Rounds:
    """Follows the loops of a generator."""

    def __init__(self, streams: Streams, evaluator: Evaluator) -> None:
        self._streams = streams
        self._evaluator = evaluator
        self._turns = Turns(self.of_chained, evaluator)

    def of_loops(self, loops: tuple[Loop, ...], frame: Frame, world: World, far: int) -> list[Kinds]:
        """What each of some loops goes over, the outermost first."""
        return [
            self._of_for(loop, loops[:at], frame, world, far)
            if isinstance(loop, ast.For)
            else self._of_while(loop, loops[:at], loops[at + 1 :], frame, world)
            if isinstance(loop, ast.While)
            else None
            for at, loop in enumerate(loops)
        ]

    def is_made_of(
        self, node: ast.expr, around: tuple[Loop, ...], frame: Frame, world: World, far: int = 0
    ) -> bool:
        """Whether an expression is made of the records that a loop around it reads, whatever makes it: what a
        tokenizer gives for a line, a buffer that is full."""
        read = {each.id for each in walk(node) if isinstance(each, ast.Name)}
        for loop in around:
            source = self._records(loop, frame, world) if not read.isdisjoint(_bound(loop)) else None
            if source is not None and self._has_records(*source, world, far):
                return True
        return False

    def is_made_inside(
        self, node: ast.expr, around: list[ast.comprehension], inside: Point, world: World
    ) -> bool:
        """The same of what a comprehension goes through, for what it goes through before that."""
        read = {each.id for each in walk(node) if isinstance(each, ast.Name)}
        return any(
            not read.isdisjoint(target_names(each.target)) and self._has_records(each.iter, inside, world, 0)
            for each in around
        )

    def _has_records(self, source: ast.expr, point: Point, world: World, far: int) -> bool:
        """Whether what is gone through gives records, or hands on those that it reads."""
        bare, at = self._bare(source, point, world)
        values = [value for value, _ in self._evaluator.values(bare, at, world)]
        if values and all(map(_gives_records, values)):
            return True
        return far < _FAR and isinstance(bare, ast.Call) and self._yields_records(bare, at, world, far)

    def _yields_records(self, node: ast.Call, point: Point, world: World, far: int) -> bool:
        """Whether a call is one of a generator of the program that hands on the records which it reads."""
        callees = self._evaluator.values(node.func, point, world)
        for callee, w in callees:
            if not isinstance(callee, Function) or not isinstance(callee.node, ast.FunctionDef):
                return False
            frame = self._evaluator.calls.enter(callee, arguments_of(node, point), node, point)
            gives = list(passages(callee.node.body, ()))
            if not gives:
                return False
            for each in gives:
                given = each.node.value
                if given is None:
                    return False
                if isinstance(each.node, ast.YieldFrom):
                    bare, at = self._bare(given, Point(frame, each.statement), w)
                    values = [value for value, _ in self._evaluator.values(bare, at, w)]
                    if values and all(map(_gives_records, values)):
                        continue
                if not self.is_made_of(given, each.loops, frame, w, far + 1):
                    return False
        return bool(callees)

    def _records(self, loop: Loop, frame: Frame, world: World) -> tuple[ast.expr, Point] | None:
        """What a loop takes one after the other, and where that stands."""
        if isinstance(loop, ast.For):
            return loop.iter, Point(frame, loop)
        taken = self._taken_to_end(loop, frame, world) if isinstance(loop, ast.While) else None
        return taken[1:] if taken is not None else None

    def of_chained(self, node: ast.expr, point: Point, world: World, far: int) -> Kinds:
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
            ):
                inside = self._evaluator.inside(node, point)
                names = set(target_names(generator.target))
                calls = [(call, inside) for call in walk(elt) if isinstance(call, ast.Call)]
                return together(
                    [
                        self._of_names(generator.iter, names, calls, point, world, far),
                        self._streams.of_expression(elt, inside, world, far),
                    ]
                )
            case ast.Call(args=[function, source]) if self._is_map(node, point, world):
                found: list[Kinds] = []
                for callee, w in self._evaluator.values(function, point, world):
                    if isinstance(callee, External) and callee.name == "builtins.iter":
                        return self.of_chained(source, point, w, far)
                    if not isinstance(callee, Function):
                        return None
                    frame = self._evaluator.calls.enter(callee, Arguments(), None, None)
                    first = set(given_names(callee)[:1])
                    found.append(self._of_names(source, first, _calls_in(callee, frame), point, w, far))
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
            return DATA if self._has_records(node, point, world, 0) else None
        return together([kinds, read])

    def _of_made_before(self, name: str, point: Point, world: World, far: int) -> Kinds:
        """The same, where a variable stands for the streams, and nothing is put to them later."""
        found: list[Kinds] = []
        for statement, w in self._evaluator.flow.definitions(name, point, world):
            match statement:
                case ast.Assign(
                    targets=[ast.Name()], value=ast.List() | ast.Tuple() | ast.ListComp() as streams
                ):
                    found.append(self.of_chained(streams, Point(point.frame, statement), w, far))
                case _:
                    return None
        return known_together(found)

    def _is_map(self, node: ast.Call, point: Point, world: World) -> bool:
        callees = self._evaluator.values(node.func, point, world)
        return all(isinstance(value, External) and value.name == "builtins.map" for value, _ in callees)

    def _of_for(self, loop: ast.For, around: tuple[Loop, ...], frame: Frame, world: World, far: int) -> Kinds:
        names = set(target_names(loop.target))
        calls = _calls_of(loop.body, frame)
        kinds = self._of_names(loop.iter, names, calls, Point(frame, loop), world, far)
        if kinds is None and (
            any(self._goes_through_element(loop, outer, frame, world) for outer in around)
            or self.is_made_of(loop.iter, around, frame, world)
        ):
            return DATA
        return kinds

    def _of_names(
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
        bare, at = self._bare(node, point, world)
        return isinstance(bare, ast.Name | ast.Attribute) and all(
            isinstance(value, Unknown) or (isinstance(value, External) and is_setting(value.name))
            for value, _ in self._evaluator.values(bare, at, world)
        )

    def _bare(self, node: ast.expr, point: Point, world: World) -> tuple[ast.expr, Point]:
        """What ``enumerate``, ``sorted`` and the like pass on, and variables hold, and where it stands."""
        for _ in range(_FAR):
            match node:
                case ast.Call(args=[first, *_]):
                    callees = self._evaluator.values(node.func, point, world)
                    if not all(isinstance(v, External) and v.name in PASSES_ON for v, _ in callees):
                        break
                    node = first
                case ast.Name(id=name) if name in point.frame.layout.binds and name not in point.locals:
                    match self._evaluator.flow.definitions(name, point, world, anew=True):
                        case [(ast.Assign(targets=[ast.Name()], value=value) as statement, _)]:
                            node, point = value, Point(point.frame, statement)
                        case _:
                            break
                case _:
                    break
        return node, point

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
        return self._opened(inner, _calls_in(callee, frame), world, far + 1)

    def _goes_through_element(self, loop: ast.For, outer: Loop, frame: Frame, world: World) -> bool:
        """Whether a loop goes through what one around it reads: rows of a chunk, words of a line."""
        root = loop.iter
        while not isinstance(root, ast.Name):
            if isinstance(root, ast.Attribute | ast.Subscript):
                root = root.value
            elif isinstance(root, ast.Call) and isinstance(root.func, ast.Attribute):
                root = root.func
            else:
                return False
        if not isinstance(outer, ast.For) or root.id not in target_names(outer.target):
            return False
        point = Point(frame, outer)
        source, at = self._bare(outer.iter, point, world)
        return all(
            isinstance(value, Made) and gives_all(value.name)
            for value, _ in self._evaluator.values(source, at, world)
        )

    def _of_while(
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
        taken = self._taken_to_end(loop, frame, world)
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
            match [each for each, _ in self._evaluator.flow.definitions(most.id, at, world)]:
                case [ast.Assign(targets=[ast.Name()], value=most) as defined]:
                    at = Point(frame, defined)
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
            for call, at in _calls_of([loop], frame)
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

    def _taken_to_end(
        self, loop: ast.While, frame: Frame, world: World
    ) -> tuple[Kinds, ast.expr, Point] | None:
        """What a loop takes one after the other until an error says that there is no more, and where that
        stands: ``pickle.load(file)`` up to EOFError, ``next(rows)`` up to StopIteration."""
        for trying, error in self._ended_by(loop, frame, world):
            for call, at in _calls_of(trying.body, frame):
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


def _calls_of(block: list[ast.stmt], frame: Frame) -> Iterator[tuple[ast.Call, Point]]:
    for statement in statements_in(block):
        for expression in expressions(statement):
            for node in walk(expression):
                if isinstance(node, ast.Call):
                    yield node, Point(frame, statement)


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


def _bound(loop: Loop) -> set[str]:
    """The names that a loop sets, or fills, in each round."""
    found = set() if isinstance(loop, ast.While) else set(target_names(loop.target))
    for statement in statements_in(loop.body):
        found.update(own_names(statement))
        found.update(changed_names(statement))
    return found


def _gives_records(value: Value) -> bool:
    """Whether a source gives records, and not the names of what has them."""
    if isinstance(value, External):
        return value.name.endswith("]") and gives_records(value.name)
    return isinstance(value, Instance) or (isinstance(value, Made) and gives_records(value.name))


def _calls_in(function: Function, frame: Frame) -> Iterator[tuple[ast.Call, Point]]:
    if isinstance(function.node, ast.Lambda):
        for node in walk(function.node.body):
            if isinstance(node, ast.Call):
                yield node, Point(frame, None)
    else:
        yield from _calls_of(function.node.body, frame)


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
        for expression in expressions(statement):
            for node in walk(expression):
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
