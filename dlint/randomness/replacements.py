"""Draws that choose another item for one that cannot be used: they run only where there is such an item."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dlint.source.nodes import walk
from dlint.source.statements import own_names, parameters, statements_in
from dlint.values.frame import Point
from dlint.values.places import LOOPS, places_around
from dlint.workers.events import Event
from dlint.workers.reach import Link

# The condition under which such a draw is made.
REPLACING = "an item cannot be used and another is drawn"


def replaces_item(event: Event) -> bool:
    """Whether a draw chooses another item for one that cannot be used: after an exception, as the index that
    ``__getitem__`` is asked for once more, or as the index with which its loop goes round again."""
    if any(
        isinstance(around.owner, ast.ExceptHandler)
        for point in event.places()
        for around in places_around(point)
    ):
        return True
    if not any(_is_getitem(point.frame.scope) for point in event.places()):
        return False
    return any(_is_asked_again(point, node) or _goes_round(point, node) for point, node in _steps(event))


def _is_getitem(scope: ast.AST) -> bool:
    return isinstance(scope, ast.FunctionDef) and scope.name == "__getitem__"


def _steps(event: Event) -> Iterator[tuple[Point, ast.AST]]:
    """The draw and the calls that led there, each with its place, the nearest first."""
    yield event.point, event.node
    link: Link | None = event.link
    while link is not None:
        if link.caller is not None and link.site is not None:
            yield link.caller, link.site
        link = link.above


def _is_asked_again(point: Point, node: ast.AST) -> bool:
    """Whether what a call gives is the index of ``self[...]`` or ``self.__getitem__(...)``, at once or in the
    ``return`` behind it: ``other = randrange(len(self)); return self[other]``."""
    statement = point.statement
    if statement is None:
        return False
    if any(inner is node for index in _asked(statement) for inner in walk(index)):
        return True
    name = _name_of_all(statement)
    place = next(places_around(point), None)
    return (
        name is not None
        and place is not None
        and any(
            isinstance(inner, ast.Name) and inner.id == name
            for after in place.block[place.at + 1 :]
            if isinstance(after, ast.Return)
            for index in _asked(after)
            for inner in walk(index)
        )
    )


def _asked(statement: ast.stmt) -> Iterator[ast.expr]:
    """The indices for which a statement asks its own object."""
    for node in walk(statement):
        match node:
            case ast.Call(func=ast.Attribute(attr="__getitem__"), args=[index, *_]):
                yield index
            case ast.Subscript(value=ast.Name(id="self"), slice=index):
                yield index


def _name_of_all(statement: ast.stmt) -> str | None:
    """The variable to which a statement gives all that it computes."""
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)]):
            return name
    return None


def _goes_round(point: Point, node: ast.AST) -> bool:
    """Whether a call gives the index with which a loop of ``__getitem__`` goes round again: the one that was
    asked for, or a variable that begins as it (``at = int(index)``)."""
    scope, statement = point.frame.scope, point.statement
    if (
        not isinstance(scope, ast.FunctionDef)
        or not _is_getitem(scope)
        or not isinstance(statement, ast.Assign)
    ):
        return False
    loop = _searching_loop(point)
    if loop is None or not any(inner is node for inner in walk(statement.value)):
        return False
    index = [each.arg for each in parameters(scope)[1:2]]
    if set(index) & set(own_names(statement)):
        return True
    name = _name_of_all(statement)
    return any(
        each is not loop and _name_of_all(each) == name and _is_number_of(each, index)
        for each in statements_in(scope.body)
        if isinstance(each, ast.Assign)
    ) and not _compares(loop, index)


def _searching_loop(point: Point) -> ast.stmt | None:
    """The loop around a place in whose rounds control need not come there: it has tried before, and found
    what it looks for. One that always does draws for each item, such as the others of a mosaic."""
    tested = False
    for place in places_around(point):
        if isinstance(place.owner, LOOPS) and place.role == "body":
            loop = place.owner
            asks = isinstance(loop, ast.While) and not isinstance(loop.test, ast.Constant)
            return loop if asks or _leaves(place.block if tested else place.block[: place.at]) else None
        tested = tested or isinstance(place.owner, ast.If)
    return None


def _leaves(block: list[ast.stmt]) -> bool:
    return any(isinstance(each, ast.Return | ast.Break) for each in statements_in(block))


def _is_number_of(statement: ast.Assign, index: list[str]) -> bool:
    """Whether a statement takes the index as it is, or as a number: ``int(index)``, ``index % len(self)``."""
    match statement.value:
        case ast.Name(id=name) | ast.Call(func=ast.Name(id="int"), args=[ast.Name(id=name)]):
            return name in index
        case ast.BinOp(left=ast.Name(id=name), op=ast.Mod()):
            return name in index
    return False


def _compares(loop: ast.stmt, index: list[str]) -> bool:
    """Whether a loop holds what it looks at against the item that was asked for: ``while at == index``. It
    looks for another one beside that, and draws for each."""
    return any(
        isinstance(inner, ast.Name) and inner.id in index
        for node in walk(loop)
        if isinstance(node, ast.Compare | ast.Subscript)
        for inner in walk(node)
    )
