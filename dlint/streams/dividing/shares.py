"""Shares: where a function takes its worker's part of what it goes through."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dlint.source.nodes import walk
from dlint.source.statements import FunctionNode, dotted, target_names
from dlint.streams.dividing.informed import UNTOLD, Given, Informed, Told
from dlint.streams.dividing.orders import comes_after, is_below, is_by, is_what, passed_through
from dlint.values.frame import Point


class Shares(Informed):
    """What a function takes by the number of the worker that it runs in."""

    def __init__(self, function: FunctionNode, told: Told = UNTOLD, given: Given | None = None) -> None:
        super().__init__(function, told, given)
        self._turned = {id(each) for node in walk(function) for each in _turned(node)}

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

    def _takes_part(self, node: ast.AST, whole: str | ast.expr) -> bool:
        match node:
            case ast.Subscript(value=value, slice=part) if id(node) not in self._turned and self.is_slice(
                part
            ):
                return is_what(value, whole)
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


def _counted(statement: ast.stmt | ast.expr) -> list[str]:
    """The name of a number that a statement of a loop counts up: ``number += 1``."""
    match statement:
        case ast.AugAssign(target=ast.Name(id=name), op=ast.Add(), value=ast.Constant(value=1)):
            return [name]
    return []


def _counts_round(test: ast.Compare) -> bool:
    return any(isinstance(part, ast.BinOp) and isinstance(part.op, ast.Mod) for part in walk(test))
