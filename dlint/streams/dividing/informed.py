"""What a function knows of the worker that it runs in: by ``get_worker_info()``, and by what it is told."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from dlint.source.nodes import walk, ways_of
from dlint.source.statements import FunctionNode, dotted, parameters, self_name, target_names
from dlint.streams.dividing.orders import Orders, end, is_within, start
from dlint.values.frame import Point
from dlint.values.places import LOOPS, places_around, tests_around

_INFO = "get_worker_info"
# By a test's outcome: how many more there may be than the number that is compared with.
_MORE: dict[bool, dict[type[ast.cmpop], int]] = {
    True: {ast.Eq: 0, ast.LtE: 0, ast.Lt: -1},
    False: {ast.NotEq: 0, ast.Gt: 0, ast.GtE: -1},
}


class Told(NamedTuple):
    """The parameters by which a caller tells a function which worker it runs in, and attributes of its object
    that do: those that are what ``get_worker_info()`` gives, the worker's number or made with it, that number
    alone, how many workers there are, and the worker's slice, which is its part of any list."""

    infos: frozenset[str] = frozenset()
    numbers: frozenset[str] = frozenset()
    own: frozenset[str] = frozenset()
    totals: frozenset[str] = frozenset()
    slices: frozenset[str] = frozenset()

    def joined(self, other: Told) -> Told:
        return Told(*(mine | theirs for mine, theirs in zip(self, other, strict=True)))


UNTOLD = Told()


class Part(NamedTuple):
    """What a part of what a function gives is made of: of ``get_worker_info()`` itself, of the worker's
    number, that number alone, of how many workers there are, or the worker's slice."""

    info: bool
    number: bool
    own: bool
    total: bool
    slice: bool

    def called(self, name: str) -> Told:
        """What a function is told that reads the part under a name."""
        return Told(*(frozenset([name] if each else ()) for each in self))


# By the id of a call: what it gives, part by part.
Given: TypeAlias = Mapping[int, Sequence[Part]]


class Informed(Orders):
    """The names of a function that stand for its worker, the number of that, or how many there are."""

    def __init__(self, function: FunctionNode, told: Told = UNTOLD, given: Given | None = None) -> None:
        super().__init__(function)
        self._given = given or {}
        self._loops = [each for each in self._statements if isinstance(each, LOOPS)]
        self._infos = set(told.infos)
        # Names that the worker's number decides, each with what makes it so: above, it may be another thing
        # (``rows = rows[info.id :: info.num_workers]``).
        self._numbers: dict[str, list[ast.AST]] = {
            name: [each]
            for each in parameters(function)
            for name in told.numbers
            if name.partition(".")[0] == each.arg
        }
        self._totals = set(told.totals)
        self._own = set(told.own)
        self._slices = set(told.slices)
        self._find_names()

    def is_one(self, name: str, at: ast.AST) -> bool:
        """Whether a name stands for something that the worker's number decides, a part already, where control
        has come past an expression."""
        return any(
            start(value) < end(at) or self._is_round_of(value, at) for value in self._numbers.get(name, ())
        )

    def is_of_some(self, point: Point) -> bool:
        """Whether the worker's number decides whether control comes to a place: ``if info.id == 0:``."""
        return any(
            isinstance(place.owner, ast.If) and self._is_told(place.owner.test)
            for place in places_around(point)
        )

    def is_of_one(self, point: Point) -> bool:
        """Whether one worker alone comes to a place, or all but one: the others surely do not the same."""
        return any(
            isinstance(place.owner, ast.If) and not place.owner.orelse and self._picks_one(place.owner.test)
            for place in places_around(point)
        )

    def is_of_lone(self, point: Point) -> bool:
        """Whether control comes to a place only where there is one worker: ``if info.num_workers == 1:``."""
        return any(self._is_lone(test, outcome) for test, outcome, _ in tests_around(point))

    def _counts(self, node: ast.AST, seen: set[str]) -> bool:
        """Whether how many workers there are is in an expression, or in what the names in it were made of."""
        read = (dotted(each) for each in walk(node) if isinstance(each, ast.Name | ast.Attribute))
        names = {name for name in read if name} - seen
        return self._is_total(node) or any(
            self._counts(value, seen | names) for name in names for value in self._numbers.get(name, ())
        )

    def results(self) -> list[Part]:
        """What the function gives, part by part, where it gives as many on all ways: ``info.id,
        info.num_workers``, or ``0, 1`` where there is no worker."""
        returns = [each.value for each in self._statements if isinstance(each, ast.Return)]
        ways = [way for value in returns if value is not None for way in ways_of(value)]
        parts = [way.elts if isinstance(way, ast.Tuple) else [way] for way in ways]
        if len(set(map(len, parts))) != 1:
            return []
        return [
            Part(
                any(map(self._is_info, each)),
                any(map(self._is_told, each)),
                any(map(self._is_number, each)),
                any(map(self._is_total, each)),
                any(map(self.is_slice, each)),
            )
            for each in zip(*parts, strict=True)
        ]

    def telling(self, given: Mapping[str, ast.expr]) -> Told:
        """Which parameters of a function are told of the worker by what they are given here."""

        def those(test: Callable[[ast.expr], bool]) -> frozenset[str]:
            return frozenset(name for name, each in given.items() if test(each))

        infos = those(self._is_info)
        numbers, slices = those(self._is_told), those(self.is_slice)
        return Told(infos, numbers, those(self._is_number), those(self._is_total), slices)

    def kept(self, owner: str) -> Told:
        """What the function keeps of the worker as attributes of its object, as another method reads it that
        calls that ``owner``."""
        own = self_name(self._function)

        def those(names: Iterable[str]) -> frozenset[str]:
            parts = (name.partition(".") for name in names)
            return frozenset(f"{owner}.{name}" for holder, _, name in parts if name and holder == own)

        return Told(*map(those, (self._infos, self._numbers, self._own, self._totals, self._slices)))

    def _find_names(self) -> None:
        before, known = -1, 0
        while before != known:
            before = known
            for statement in self._statements:
                for target, value in _bindings(statement):
                    for name, part in self._parts(target, value):
                        self._bind(name, part, value)
                    if any(self._is_info(node) for node in walk(value)) and not self._is_told(value):
                        self._infos.update(target_names(target))
                    if self._is_told(value):
                        for name in target_names(target):
                            givers = self._numbers.setdefault(name, [])
                            if not any(each is value for each in givers):
                                givers.append(value)
                        if self._is_number(value):
                            self._own.update(target_names(target))
                        if self.is_slice(value):
                            self._slices.update(target_names(target))
                    elif self._is_total(value):
                        self._totals.update(target_names(target))
            known = len(self._infos) + sum(map(len, self._numbers.values()))

    def _parts(self, target: ast.expr, value: ast.expr) -> Iterator[tuple[str, Part]]:
        """The names that get what a call of a function gives which is known, each with its part."""
        given = self._given.get(id(value), ())
        targets = target.elts if isinstance(target, ast.Tuple) else [target]
        if len(targets) == len(given):
            for each, part in zip(targets, given, strict=True):
                for name in target_names(each):
                    yield name, part

    def _bind(self, name: str, part: Part, value: ast.expr) -> None:
        if part.info:
            self._infos.add(name)
        if part.number:
            givers = self._numbers.setdefault(name, [])
            if value not in givers:
                givers.append(value)
        elif part.total:
            self._totals.add(name)
        if part.own:
            self._own.add(name)
        if part.slice:
            self._slices.add(name)

    def _is_info(self, node: ast.AST) -> bool:
        match node:
            case ast.Call(func=ast.Name(id=name)) | ast.Call(func=ast.Attribute(attr=name)):
                return name == _INFO
            case ast.Name() | ast.Attribute():
                return dotted(node) in self._infos
        return False

    def _is_told(self, node: ast.AST) -> bool:
        """Whether the worker's number is in an expression."""
        return any(
            (isinstance(each, ast.Attribute) and each.attr == "id" and self._is_info(each.value))
            or (
                isinstance(each, ast.Name | ast.Attribute)
                and any(
                    end(value) <= start(each) or self._is_round_of(value, each)
                    for value in self._numbers.get(dotted(each) or "", ())
                )
            )
            for each in walk(node)
        )

    def _is_round_of(self, one: ast.AST, other: ast.AST) -> bool:
        """Whether a loop may come from one place to another, in its next round."""
        return any(is_within(one, loop) and is_within(other, loop) for loop in self._loops)

    def _is_number(self, node: ast.AST) -> bool:
        """Whether an expression is the worker's number itself."""
        match node:
            case ast.Attribute():
                return dotted(node) in self._own or (node.attr == "id" and self._is_info(node.value))
            case ast.IfExp(body=body, orelse=orelse):
                return self._is_number(body) or self._is_number(orelse)
            case ast.Name():
                return node.id in self._own
        return False

    def is_slice(self, node: ast.AST) -> bool:
        """Whether an expression is the slice by which a worker has its part: ``slice(info.id, None, n)``."""
        match node:
            case ast.Slice() | ast.Call(func=ast.Name(id="slice")):
                return self._is_told(node)
            case ast.Name() | ast.Attribute():
                return dotted(node) in self._slices
            case ast.IfExp(body=body, orelse=orelse):
                return self.is_slice(body) or self.is_slice(orelse)
        return False

    def _picks_one(self, test: ast.expr) -> bool:
        match test:
            case ast.UnaryOp(op=ast.Not(), operand=number):
                return self._is_number(number)
            case ast.Compare(
                left=number, ops=[ast.Eq() | ast.NotEq()], comparators=[ast.Constant(value=int())]
            ):
                return self._is_number(number)
        return False

    def _is_total(self, node: ast.AST) -> bool:
        """Whether how many workers there are is in an expression."""
        return any(
            (isinstance(each, ast.Attribute) and each.attr == "num_workers" and self._is_info(each.value))
            or (isinstance(each, ast.Name | ast.Attribute) and dotted(each) in self._totals)
            for each in walk(node)
        )

    def _is_lone(self, test: ast.expr, outcome: bool) -> bool:
        """Whether a test's outcome says that there is one worker, or none."""
        match test:
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return self._is_info(operand) if outcome else self._is_lone(operand, True)
            case ast.BoolOp(op=op, values=parts):
                each = (self._is_lone(part, outcome) for part in parts)
                return any(each) if isinstance(op, ast.And) is outcome else all(each)
            case ast.Compare(left=left, ops=[ast.Is()], comparators=[ast.Constant(value=None)]):
                return outcome and self._is_info(left)
            case ast.Compare(left=left, ops=[op], comparators=[ast.Constant(value=int(number))]):
                more = _MORE[outcome].get(type(op))
                return more is not None and number + more <= 1 and self._is_total(left)
        return False


def _bindings(statement: ast.stmt) -> list[tuple[ast.expr, ast.expr]]:
    """What a statement binds by itself, each with what it is bound to."""
    match statement:
        case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Tuple(elts=values)) if len(names) == len(
            values
        ):
            return list(zip(names, values, strict=True))
        case ast.Assign(
            targets=[ast.Tuple(elts=names)],
            value=ast.IfExp(body=ast.Tuple(elts=values), orelse=ast.Tuple(elts=others)),
        ) if len(names) == len(values) == len(others):
            return [*zip(names, values, strict=True), *zip(names, others, strict=True)]
        case ast.Assign(targets=targets, value=value):
            return [(target, value) for target in targets]
        case ast.AnnAssign(target=target, value=ast.expr() as value):
            return [(target, value)]
        case ast.AugAssign(target=target, value=value):
            return [(target, value)]
        case ast.If(test=test) | ast.While(test=test):
            return [(node.target, node.value) for node in walk(test) if isinstance(node, ast.NamedExpr)]
    return []
