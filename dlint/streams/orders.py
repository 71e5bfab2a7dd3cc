"""Orders: what becomes, in a function, of the order in which things stand: who gets them in it, and what
leaves them in it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dlint.source.nodes import walk
from dlint.source.statements import FunctionNode, dotted, expressions, own_names, self_name, statements_in
from dlint.values.frame import Point
from dlint.values.places import LOOPS, places_around

_ONE_BY_ONE = frozenset({"enumerate", "iter", "list", "reversed", "tqdm", "tuple"})


class Orders:
    """What a function does with the order of what it goes through."""

    def __init__(self, function: FunctionNode) -> None:
        self._function = function
        self._statements = list(statements_in(function.body))

    def calls_with(self, whole: str | ast.expr, after: Point) -> Iterator[tuple[ast.stmt, ast.Call]]:
        """The calls that are told, or called on, what an expression or a name stands for, as a statement left
        it, each with the statement that it is in."""
        for statement in self._statements:
            for node in (each for expression in expressions(statement) for each in walk(expression)):
                if (
                    isinstance(node, ast.Call)
                    and self._gets(node, whole)
                    and (
                        not isinstance(whole, str)
                        or (comes_after(after, node) and self.is_left(whole, after, node))
                    )
                ):
                    yield statement, node

    def _gets(self, call: ast.Call, whole: str | ast.expr) -> bool:
        given = [*call.args, *(keyword.value for keyword in call.keywords)]
        if any(is_what(passed_through(each), whole) for each in given):
            return True
        called = dotted(call.func.value) if isinstance(call.func, ast.Attribute) else None
        return called is not None and isinstance(whole, str) and whole.startswith(f"{called}.")

    def hands_on(self, whole: str | ast.expr, after: Point) -> bool:
        """Whether the function gives, one by one, what a call gives, or what a name stands for as a statement
        left it: it returns that, or is a generator that goes through it."""
        places = [node for node in walk(self._function) if _gives(node, whole)]
        return any(
            not isinstance(whole, str) or (comes_after(after, place) and self.is_left(whole, after, place))
            for place in places
        )

    def leaves(self, whole: str, after: Point) -> str | None:
        """The attribute of its object that a method leaves to whoever calls it, as a statement left that."""
        holder, _, name = whole.partition(".")
        statement = after.statement
        if not name or holder != self_name(self._function) or statement is None:
            return None
        later = (each for each in self._statements if is_below(each, statement))
        return None if any(_sorts(each, whole) or whole in own_names(each) for each in later) else name

    def gives_back(self, whole: str) -> bool:
        """Whether all that the function gives is what it got under a name, or a slice of it, in its order."""
        places = [
            node for node in walk(self._function) if isinstance(node, ast.Return | ast.Yield | ast.YieldFrom)
        ]
        return bool(places) and all(
            node.value is not None
            and not isinstance(node, ast.Yield)
            and dotted(_sliced(node.value)) == whole
            and self.is_left(whole, None, node)
            for node in places
        )

    def is_left(self, whole: str, after: Point | None, place: ast.AST) -> bool:
        """Whether nothing between a statement and a place gives what a name stands for another order."""
        first = after.statement if after is not None else None
        return all(
            not _sorts(statement, whole)
            and (whole not in own_names(statement) or _keeps_order(statement, whole))
            for statement in self._statements
            if (first is None or is_below(statement, first)) and is_below(place, statement)
            if not (isinstance(statement, ast.Assign) and is_within(place, statement))
        )


def start(node: ast.AST) -> tuple[int, int]:
    return getattr(node, "lineno", 0), getattr(node, "col_offset", 0)


def end(node: ast.AST) -> tuple[int, int]:
    line, column = start(node)
    return getattr(node, "end_lineno", None) or line, getattr(node, "end_col_offset", None) or column


def is_below(node: ast.AST, other: ast.AST) -> bool:
    """Whether a node begins in a line below another's first, or behind it in the same line."""
    line, first = start(node)[0], start(other)[0]
    return line > first or (line == first and end(other) <= start(node))


def is_within(node: ast.AST, outer: ast.AST) -> bool:
    return start(outer) <= start(node) and end(node) <= end(outer)


def comes_after(point: Point | None, node: ast.AST) -> bool:
    """Whether control may come from a statement, or from the start, to a node that is written below it: not
    in another branch of the same ``if``, and not behind a ``return``."""
    if point is None:
        return True
    statement = point.statement
    if statement is None or not is_below(node, statement):
        return False
    leaves_round = False
    for place in places_around(point):
        after = place.block[place.at + 1 :]
        if not leaves_round:
            if any(is_within(node, each) for each in after):
                return True
            if any(isinstance(each, ast.Return | ast.Raise) for each in after):
                return False
            leaves_round = any(isinstance(each, ast.Break | ast.Continue) for each in after)
        if isinstance(place.owner, LOOPS):
            leaves_round = False
        if isinstance(place.owner, ast.Try) and is_within(node, place.owner):
            return not leaves_round
    return False


def is_what(node: ast.expr, whole: str | ast.expr) -> bool:
    """Whether an expression is a name, or a certain call, or goes through what that gives."""
    return dotted(node) == whole if isinstance(whole, str) else passed_through(node) is whole


def passed_through(node: ast.expr) -> ast.expr:
    """What an expression goes through from the first thing to the last, be it backwards."""
    match node:
        case ast.Call(func=ast.Name(id=name), args=[inner, *_]) if name in _ONE_BY_ONE:
            return passed_through(inner)
        case ast.Call(func=ast.Name(id="map"), args=[_, inner]):
            return passed_through(inner)
        case ast.Call(func=ast.Attribute(value=inner, attr="tolist"), args=[], keywords=[]):
            return passed_through(inner)
        case ast.GeneratorExp(generators=[each]) | ast.ListComp(generators=[each]) if not each.ifs:
            return passed_through(each.iter)
    return node


def _sliced(node: ast.expr) -> ast.expr:
    """What an expression is a slice of, or goes through as it is."""
    inner = passed_through(node)
    match inner:
        case ast.Subscript(value=value, slice=ast.Slice()):
            return _sliced(value)
        case ast.Call(func=ast.Name(id="islice") | ast.Attribute(attr="islice"), args=[value, _, *_]):
            return _sliced(value)
    return inner


def is_by(node: ast.expr, whole: str | ast.expr) -> bool:
    """Whether an expression gives things in the order of another: one for each, or those at its numbers."""
    inner = passed_through(node)
    return is_what(inner, whole) or (isinstance(inner, ast.Subscript) and is_what(inner.slice, whole))


def _gives(node: ast.AST, whole: str | ast.expr) -> bool:
    """Whether a statement or expression gives what another is, or a name stands for, to the caller, in its
    order."""
    match node:
        case ast.For(iter=source, body=body):
            inside = (each for statement in body for each in walk(statement))
            return is_what(passed_through(source), whole) and any(
                isinstance(each, ast.Yield | ast.YieldFrom) for each in inside
            )
        case ast.YieldFrom(value=source) | ast.Return(value=ast.expr() as source):
            return is_what(passed_through(source), whole)
    return False


def _sorts(statement: ast.stmt, whole: str) -> bool:
    """Whether a statement puts a sequence in an order of its things, whatever order it had."""
    match statement:
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=value, attr="sort"))):
            return dotted(value) == whole
    return False


def _keeps_order(statement: ast.stmt, whole: str) -> bool:
    """Whether a statement leaves what it makes anew of a sequence in the order that it had."""
    match statement:
        case ast.Assign(value=ast.Subscript(value=value, slice=ast.Slice())):
            return dotted(value) == whole
        case ast.Assign(value=ast.Call(func=ast.Name(id="list" | "tuple"), args=[value])):
            return dotted(value) == whole
    return False
