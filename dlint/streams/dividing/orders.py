"""Orders: what becomes, in a function, of the order in which things stand: who gets them in it, and what
leaves them in it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dlint.source.nodes import walk
from dlint.source.statements import (
    FunctionNode,
    dotted,
    given_in,
    own_names,
    own_nodes,
    self_name,
    statements_in,
)
from dlint.values.frame import Point
from dlint.values.places import LOOPS, places_around

_ONE_BY_ONE = frozenset({"enumerate", "iter", "list", "reversed", "tqdm", "tuple"})
# What gives the rows of a table, or the numbers of an array, one by one or as they are; and by what they are
# picked by their places.
_AS_IT_IS = frozenset(
    {
        *("copy", "iterrows", "itertuples", "reset_index", "to_dict", "to_list", "to_numpy", "to_records"),
        "tolist",
    }
)
_BY_PLACE = frozenset({"iloc", "values"})
_SORTS = frozenset({"sort", "sort_index", "sort_values"})


class Orders:
    """What a function does with the order of what it goes through."""

    def __init__(self, function: FunctionNode) -> None:
        self._function = function
        self._statements = list(statements_in(function.body))

    def calls_with(self, whole: str | ast.expr, after: Point) -> Iterator[tuple[ast.stmt, ast.Call]]:
        """The calls that are told, or called on, what an expression or a name stands for, as a statement left
        it, each with the statement that it is in."""
        for statement in self._statements:
            for node in own_nodes(statement):
                if (
                    isinstance(node, ast.Call)
                    and self._gets(node, whole)
                    and (
                        not isinstance(whole, str)
                        or (comes_after(after, node) and self.is_left(whole, after, node))
                    )
                ):
                    yield statement, node

    def reads_beside(self, whole: str, after: Point) -> Iterator[tuple[ast.stmt, ast.Attribute]]:
        """The attributes of the same object that are read below a statement, while an attribute of it is as
        that left it, each with the statement that it is in."""
        holder, _, name = whole.partition(".")
        for statement in self._statements if name and holder == self_name(self._function) else ():
            for node in own_nodes(statement):
                if (
                    isinstance(node, ast.Attribute)
                    and isinstance(node.ctx, ast.Load)
                    and dotted(node.value) == holder
                    and node.attr != name
                    and comes_after(after, node)
                    and self.is_left(whole, after, node)
                ):
                    yield statement, node

    def _gets(self, call: ast.Call, whole: str | ast.expr) -> bool:
        given = given_in(call)
        if any(is_what(each, whole) for each in given):
            return True
        called = dotted(call.func.value) if isinstance(call.func, ast.Attribute) else None
        return called is not None and isinstance(whole, str) and whole.startswith(f"{called}.")

    def hands_on(self, whole: str | ast.expr, after: Point) -> bool:
        """Whether the function gives, one by one, what a call gives, or what a name stands for as a statement
        left it: it returns that, or is a generator that goes through it."""
        places = [node for node in walk(self._function) if self._gives(node, whole)]
        return any(
            not isinstance(whole, str) or (comes_after(after, place) and self.is_left(whole, after, place))
            for place in places
        )

    def _gives(self, node: ast.AST, whole: str | ast.expr) -> bool:
        """Whether a statement or expression gives what another is, or a name stands for, to the caller, in
        its order; on some ways at least."""
        match node:
            case ast.For(iter=source, body=body):
                inside = (each for statement in body for each in walk(statement))
                return is_what(source, whole) and any(
                    isinstance(each, ast.Yield | ast.YieldFrom) for each in inside
                )
            case ast.YieldFrom(value=source) | ast.Return(value=ast.expr() as source):
                return any(is_what(way, whole) for way in self.ways(source))
        return False

    def ways(self, value: ast.expr) -> list[ast.expr]:
        """What an expression may give by tests that are known to leave the rest of the function as it is."""
        return [value]

    def leaves(self, whole: str, after: Point) -> str | None:
        """The attribute of its object that a method leaves to whoever calls it, as a statement left that."""
        holder, _, name = whole.partition(".")
        if not name or holder != self_name(self._function) or after.statement is None:
            return None
        return None if self.orders_again(whole, after) else name

    def orders_again(self, whole: str, after: Point) -> bool:
        """Whether the function gives what a name stands for another order, or the name to something else,
        below a statement, or anywhere."""
        return any(
            _sorts(each, whole) or whole in own_names(each)
            for each in self._statements
            if after.statement is None or is_below(each, after.statement)
        )

    def gives_back(self, whole: str) -> bool:
        """Whether all that the function gives is what it got under a name, or a slice of it, in its order."""
        places = [
            node for node in walk(self._function) if isinstance(node, ast.Return | ast.Yield | ast.YieldFrom)
        ]
        return bool(places) and all(
            node.value is not None
            and not isinstance(node, ast.Yield)
            and _is_slice_of(node.value, whole)
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
    if point is None or point.statement is None:
        return True
    if not is_below(node, point.statement):
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
    """Whether an expression is a name, or a certain call, or goes through what that stands for."""
    at: ast.expr | None = node
    while at is not None:
        if dotted(at) == whole if isinstance(whole, str) else at is whole:
            return True
        at = _through(at)
    return False


def passed_through(node: ast.expr) -> ast.expr:
    """What an expression goes through from the first thing to the last, be it backwards."""
    while (inner := _through(node)) is not None:
        node = inner
    return node


def _through(node: ast.expr) -> ast.expr | None:
    """What an expression itself goes through from the first thing to the last."""
    match node:
        case ast.Call(func=ast.Name(id=name), args=[inner, *_]) if name in _ONE_BY_ONE:
            return inner
        case ast.Call(func=ast.Name(id="map"), args=[_, inner]):
            return inner
        case ast.Call(func=ast.Attribute(value=inner, attr=name)) if name in _AS_IT_IS:
            return inner
        case ast.Attribute(value=inner, attr=name) if name in _BY_PLACE:
            return inner
        case ast.GeneratorExp(generators=[each]) | ast.ListComp(generators=[each]) if not each.ifs:
            return each.iter
    return None


def _is_slice_of(node: ast.expr, whole: str) -> bool:
    """Whether an expression is a name, or slices of what that stands for, in its order."""
    if is_what(node, whole):
        return True
    match passed_through(node):
        case ast.Subscript(value=value, slice=ast.Slice()):
            return _is_slice_of(value, whole)
        case ast.Call(func=ast.Name(id="islice") | ast.Attribute(attr="islice"), args=[value, _, *_]):
            return _is_slice_of(value, whole)
    return False


def is_by(node: ast.expr, whole: str | ast.expr) -> bool:
    """Whether an expression gives things in the order of another: one for each, or those at its numbers."""
    inner = passed_through(node)
    return is_what(inner, whole) or (isinstance(inner, ast.Subscript) and is_what(inner.slice, whole))


def _sorts(statement: ast.stmt, whole: str) -> bool:
    """Whether a statement puts a sequence in an order of its things, whatever order it had."""
    match statement:
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=value, attr=name))) if name in _SORTS:
            return dotted(value) == whole
    return False


def _keeps_order(statement: ast.stmt, whole: str) -> bool:
    """Whether a statement leaves what it makes anew of a sequence in the order that it had."""
    match statement:
        case ast.Assign(value=value):
            return _is_slice_of(value, whole)
    return False
