"""Shares: where a function takes its worker's part of what it goes through."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from dlint.source.nodes import walk
from dlint.source.statements import (
    FunctionNode,
    dotted,
    parameters,
    self_name,
    target_names,
)
from dlint.streams.orders import (
    Orders,
    comes_after,
    end,
    is_below,
    is_by,
    is_what,
    is_within,
    passed_through,
    start,
)
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
    alone, and how many workers there are."""

    infos: frozenset[str] = frozenset()
    numbers: frozenset[str] = frozenset()
    own: frozenset[str] = frozenset()
    totals: frozenset[str] = frozenset()

    def joined(self, other: Told) -> Told:
        return Told(*(mine | theirs for mine, theirs in zip(self, other, strict=True)))


UNTOLD = Told()


class Part(NamedTuple):
    """What a part of what a function gives is made of: of ``get_worker_info()`` itself, of the worker's
    number, that number alone, or of how many workers there are."""

    info: bool
    number: bool
    own: bool
    total: bool


# By the id of a call: what it gives, part by part.
Given: TypeAlias = Mapping[int, Sequence[Part]]


class Shares(Orders):
    """What a function does with the number of the worker that it runs in."""

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
        self._turned = {id(each) for node in walk(function) for each in _turned(node)}
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

    def taken_of(self, whole: str, after: Point | None) -> bool:
        """Whether the worker's part is taken of what a name stands for, as a statement left it; without one,
        as the function got it."""
        place = next(
            (
                node
                for node in walk(self._function)
                if comes_after(after, node) and self._takes_part(node, whole)
            ),
            None,
        )
        return place is not None and self.is_left(whole, after, place)

    def takes_of(self, given: ast.expr) -> bool:
        """Whether the worker's part is taken of what an expression gives, where that is written."""
        return any(self._takes_part(node, given) for node in walk(self._function))

    def is_one_behind_another(self, part: ast.Slice) -> bool:
        """Whether a slice is the worker's part of all, as large as there are few workers:
        ``[info.id * per : (info.id + 1) * per]``."""
        return part.lower is not None and self._is_told(part.lower) and self._counts(part, set())

    def _counts(self, node: ast.AST, seen: set[str]) -> bool:
        """Whether how many workers there are is in an expression, or in what the names in it were made of."""
        read = (dotted(each) for each in walk(node) if isinstance(each, ast.Name | ast.Attribute))
        names = {name for name in read if name} - seen
        return self._is_total(node) or any(
            self._counts(value, seen | names) for name in names for value in self._numbers.get(name, ())
        )

    def name_of(self, call: ast.expr, point: Point) -> str | None:
        """The name that a statement gives to what an expression gives, in its order; on some ways at least:
        ``files = shuffled(files) if train else files``."""
        match point.statement:
            case ast.Assign(targets=[ast.Name() | ast.Attribute() as target], value=value):
                if any(passed_through(way) is call for way in self.ways(value)):
                    return dotted(target)
        return None

    def ways(self, value: ast.expr) -> list[ast.expr]:
        """What an expression may give where there are several workers."""
        if not isinstance(value, ast.IfExp):
            return [value]
        ways = ((value.body, True), (value.orelse, False))
        return [
            each
            for way, outcome in (() if self._is_tested_again(value) else ways)
            if not self._is_lone(value.test, outcome)
            for each in self.ways(way)
        ]

    def _is_tested_again(self, choice: ast.IfExp) -> bool:
        """Whether another test of the function asks about the same: those ways may be the others."""
        asked = {
            ast.dump(node)
            for node in walk(choice.test)
            if isinstance(node, ast.expr) and dotted(node) not in (None, "self")
        }
        return any(
            ast.dump(part) in asked
            for node in walk(self._function)
            if isinstance(node, ast.If | ast.IfExp | ast.While) and node is not choice
            for part in walk(node.test)
        )

    def results(self) -> list[Part]:
        """What the function gives, part by part, where it gives as many on all ways: ``info.id,
        info.num_workers``, or ``0, 1`` where there is no worker."""
        returns = [each.value for each in self._statements if isinstance(each, ast.Return)]
        ways = [way for value in returns if value is not None for way in _ways(value)]
        parts = [way.elts if isinstance(way, ast.Tuple) else [way] for way in ways]
        if len(set(map(len, parts))) != 1:
            return []
        return [
            Part(
                any(map(self._is_info, each)),
                any(map(self._is_told, each)),
                any(map(self._is_number, each)),
                any(map(self._is_total, each)),
            )
            for each in zip(*parts, strict=True)
        ]

    def telling(self, given: Mapping[str, ast.expr]) -> Told:
        """Which parameters of a function are told of the worker by what they are given here."""

        def those(test: Callable[[ast.expr], bool]) -> frozenset[str]:
            return frozenset(name for name, each in given.items() if test(each))

        infos = those(self._is_info)
        return Told(infos, those(self._is_told), those(self._is_number), those(self._is_total))

    def kept(self, owner: str) -> Told:
        """What the function keeps of the worker as attributes of its object, as another method reads it that
        calls that ``owner``."""
        own = self_name(self._function)

        def those(names: Iterable[str]) -> frozenset[str]:
            parts = (name.partition(".") for name in names)
            return frozenset(f"{owner}.{name}" for holder, _, name in parts if name and holder == own)

        return Told(*map(those, (self._infos, self._numbers, self._own, self._totals)))

    def in_order_of(self, whole: str | ast.expr, after: Point) -> Iterator[tuple[ast.stmt, str]]:
        """The names of what is put in the order of what a call gives, or a name stands for as a statement
        left it, each with the statement that does so: ``files = [self.files[i] for i in order]``,
        ``files = self.files[order]``."""
        for statement in self._statements:
            match statement:
                case ast.Assign(targets=[ast.Name() | ast.Attribute() as target], value=value) if (
                    (name := dotted(target))
                    and is_by(value, whole)
                    and not self._is_told(value)
                    and not self.is_one(name, value)
                    and comes_after(after, statement)
                    and (not isinstance(whole, str) or self.is_left(whole, after, statement))
                ):
                    yield statement, name

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

    def _takes_part(self, node: ast.AST, whole: str | ast.expr) -> bool:
        match node:
            case ast.Subscript(value=value, slice=ast.Slice() as part) if id(node) not in self._turned:
                return is_what(value, whole) and self._is_told(part)
            case ast.Subscript(value=ast.Call() | ast.ListComp() as chunks, slice=part):
                cut = _cut_up(chunks)
                return cut is not None and is_what(cut, whole) and self._is_told(part)
            case ast.Assign(targets=[ast.Name(id=name)], value=chunks):
                cut = _cut_up(chunks)
                return cut is not None and is_what(cut, whole) and self._picks_of(name, node)
            case ast.Call(func=ast.Name(id="islice") | ast.Attribute(attr="islice"), args=[value, *bounds]):
                return is_what(value, whole) and any(map(self._is_told, bounds))
            case ast.For():
                return self._goes_through_part(node.iter, node.target, node.body, whole)
            case ast.ListComp() | ast.SetComp() | ast.GeneratorExp() if len(node.generators) == 1:
                generator = node.generators[0]
                inside = [node.elt, *generator.ifs]
                return self._goes_through_part(generator.iter, generator.target, inside, whole)
        return False

    def _picks_of(self, name: str, made: ast.Assign) -> bool:
        """Whether the worker's number picks one of several things that a statement gives a name."""
        return any(
            isinstance(each, ast.Subscript)
            and isinstance(each.value, ast.Name)
            and each.value.id == name
            and not isinstance(each.slice, ast.Slice)
            and self._is_told(each.slice)
            and is_below(each, made)
            for each in walk(self._function)
        )

    def _picks_round(self, node: ast.AST) -> bool:
        """Whether a test lets one of so many rounds through, by the worker's number."""
        return isinstance(node, ast.Compare) and self._is_told(node) and _counts_round(node)

    def _goes_through_part(
        self,
        iterable: ast.expr,
        target: ast.expr,
        inside: list[ast.stmt] | list[ast.expr],
        whole: str | ast.expr,
    ) -> bool:
        """Whether a loop takes one of so many, or the things between two numbers."""
        match iterable:
            case ast.Call(func=ast.Name(id="enumerate"), args=[value, *_]) if is_what(value, whole):
                return any(self._picks_round(node) for each in inside for node in walk(each))
            case _ if is_what(iterable, whole):
                counters = {name for each in inside for name in _counted(each)}
                return any(
                    self._picks_round(node)
                    and any(isinstance(part, ast.Name) and part.id in counters for part in walk(node))
                    for each in inside
                    for node in walk(each)
                )
            case ast.Call(func=ast.Name(id="range"), args=bounds) if any(map(self._is_told, bounds)):
                names = target_names(target)
                return any(
                    isinstance(node, ast.Subscript)
                    and is_what(node.value, whole)
                    and isinstance(node.slice, ast.Name)
                    and node.slice.id in names
                    for each in inside
                    for node in walk(each)
                )
        return False


def _cut_up(node: ast.expr) -> ast.expr | None:
    """What is cut into pieces, all of which are given: ``np.array_split(files, n)``,
    ``[files[i::n] for i in range(n)]``."""
    match node:
        case ast.Call(func=ast.Name(id="array_split") | ast.Attribute(attr="array_split"), args=[whole, *_]):
            return whole
        case ast.ListComp(
            elt=ast.Subscript(value=whole, slice=ast.Slice() as piece),
            generators=[
                ast.comprehension(target=ast.Name(id=name), iter=ast.Call(func=ast.Name(id="range")))
            ],
        ):
            is_counted = any(isinstance(each, ast.Name) and each.id == name for each in walk(piece))
            return whole if is_counted else None
    return None


def _turned(node: ast.AST) -> list[ast.expr]:
    """The two parts of what is put together again, which is all of it: ``files[k:] + files[:k]``."""
    match node:
        case ast.BinOp(
            left=ast.Subscript(value=one, slice=ast.Slice()) as left,
            op=ast.Add(),
            right=ast.Subscript(value=other, slice=ast.Slice()) as right,
        ) if ast.dump(one) == ast.dump(other):
            return [left, right]
    return []


def _ways(value: ast.expr) -> list[ast.expr]:
    """What an expression may be by its tests."""
    return [*_ways(value.body), *_ways(value.orelse)] if isinstance(value, ast.IfExp) else [value]


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


def _counted(statement: ast.stmt | ast.expr) -> list[str]:
    """The name of a number that a statement of a loop counts up: ``number += 1``."""
    match statement:
        case ast.AugAssign(target=ast.Name(id=name), op=ast.Add(), value=ast.Constant(value=1)):
            return [name]
    return []


def _counts_round(test: ast.Compare) -> bool:
    return any(isinstance(part, ast.BinOp) and isinstance(part.op, ast.Mod) for part in walk(test))
