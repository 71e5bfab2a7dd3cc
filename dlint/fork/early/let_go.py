"""What the parent lets go of again before workers start: by a ``with``, by closing it, by a method, or by
taking it away from its object."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from dlint.fork.early.starts import Start, is_in
from dlint.fork.ways.run_by import closed_by
from dlint.source.layout import Layout, Place
from dlint.source.nodes import is_written_none, names_in, written_text
from dlint.source.statements import dotted, own_names, statements_in
from dlint.values.frame import Point
from dlint.values.places import loops_around, places_around

_DROPS = frozenset({"close", "shutdown", "terminate", "release", "reset", "cleanup"})
_CLOSES = frozenset({"close", "release"})
# What makes an object as it was at first, or another.
_BEGINS = frozenset({"__init__", "__setstate__"})
_At = tuple[int, int]


def let_go(read: ast.expr, point: Point, start: Start, resets: frozenset[str] = frozenset()) -> bool:
    """Whether the parent drops what a read has made before workers start: ``dataset.close()``,
    ``dataset.file = None``, a method of those that ``resets`` names. In a later statement of the same block,
    or in one that stands before each place, in a block around it (``for epoch in range(9):
    dataset.reset()``)."""
    if is_shut(read, point, start):
        return True
    paths, scope = _paths(read), point.frame.scope
    if not paths or id(point.statement) not in point.frame.layout.places:
        return False
    if isinstance(scope, ast.Lambda):
        return dropped_after(read, point, start, [])
    drops = [each for each, taken in _letting_go(point.frame.layout) if _drops(each, taken, paths, resets)]
    return dropped_after(read, point, start, drops)


def dropped_after(read: ast.expr, point: Point, start: Start, drops: list[ast.stmt]) -> bool:
    """Whether one of some statements comes between a read and the workers: a later one of the same block, or
    one that stands before each place, in a block around it."""
    here = (read.lineno, read.col_offset)
    drops = [each for each in drops if not starts_inside(each, start)]
    place = point.frame.layout.places.get(id(point.statement)) if drops else None
    for later in place.block[place.at + 1 :] if place is not None else ():
        if any(here < at < (later.lineno, later.col_offset) for at in start.places or ()):
            break
        if starts_inside(later, start):
            break
        if later in drops:
            return True
        if isinstance(later, ast.For | ast.While):
            break  # workers may start there
    return is_dropped_in_rounds(here, point, start, drops)


def is_shut(node: ast.expr, point: Point, start: Start) -> bool:
    """Whether a ``with`` around an expression, and not around the loader, ends what it speaks of."""
    roots = names_in(node)
    for place in places_around(point):
        match place.owner:
            case ast.With(items=items, end_lineno=end):
                held = {dotted(closed_by(item.context_expr)) for item in items} | set(own_names(place.owner))
                if held & roots and not any(at <= (end or 0, 0) for at in start.places or ()):
                    return True
    return False


def is_dropped_in_rounds(here: _At, point: Point, start: Start, drops: list[ast.stmt]) -> bool:
    """Whether one of some statements stands before each place where workers may start after a read, in the
    same round of the loops around both."""
    loops = [loop for loop in loops_around(point) if isinstance(loop, ast.For | ast.While)]
    places = [at for at in start.started if at > here or any(is_in(at, loop.body) for loop in loops)]
    return bool(places and drops) and all(
        any(
            is_in(at, place.block[place.at + 1 :])
            and not dropped < here < at
            and all(is_in(dropped, loop.body) for loop in loops if is_in(at, loop.body))
            for each in drops
            for dropped in [(each.lineno, each.col_offset)]
            for place in _come_to(Point(point.frame, each))
        )
        for at in places
    )


def _come_to(point: Point) -> Iterator[Place]:
    """The places from which control comes to a statement: its own, those of a ``try`` or ``with`` around."""
    for place in places_around(point):
        yield place
        if not isinstance(place.owner, ast.With | ast.Try) or place.role not in ("body", "finalbody"):
            return


def _paths(read: ast.expr) -> set[str]:
    """What a read speaks of: ``dataset``, also in ``look(dataset)`` and ``dataset.show()``."""
    held: list[ast.expr] = [read]
    if isinstance(read, ast.Call):
        held = [*read.args, *([read.func.value] if isinstance(read.func, ast.Attribute) else [])]
    return {path for each in held if (path := dotted(each))}


def starts_inside(statement: ast.stmt, start: Start) -> bool:
    """Whether workers start within a ``with``, which lets go of what it holds when that is over."""
    return isinstance(statement, ast.With) and any(is_in(at, statement.body) for at in start.places or ())


def _letting_go(layout: Layout) -> list[tuple[ast.stmt, list[str | None]]]:
    """The statements of a scope that may let go of something: by a method that they call, or of what goes by
    some paths; read once."""
    if _letting_go not in layout.answers:
        layout.answers[_letting_go] = [
            (each, taken)
            for each in layout.statements
            if (taken := [dotted(held) for held, _ in taken_away(each, layout.body)])
            or isinstance(each, ast.Expr)
        ]
    found: list[tuple[ast.stmt, list[str | None]]] = layout.answers[_letting_go]
    return found


def _drops(statement: ast.stmt, taken: list[str | None], paths: set[str], resets: frozenset[str]) -> bool:
    """Whether a statement of a scope lets go of what something that goes by one of some paths holds."""
    match statement:
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=held, attr=method))):
            on = f"{dotted(held)}."
            if method in _DROPS or method in resets:
                if any(on.startswith(f"{path}.") for path in paths):
                    return True
                if method in resets and ".dataset." in on:
                    return True
    return any(path in paths for path in taken)


def taken_away(statement: ast.stmt, body: list[ast.stmt]) -> Iterator[tuple[ast.expr, str | None]]:
    """The objects of which a statement, one of a scope's, closes what an attribute holds, or takes it away,
    with the attribute's name; None: any of them."""
    for target, value in _bound(statement):
        if is_written_none(value):
            yield from _attribute(target)
    match statement:
        case ast.Delete(targets=targets):
            for target in targets:
                yield from _attribute(target)
        case ast.With(items=items):
            for item in items:
                yield from _through(closed_by(item.context_expr), body)
        case ast.Expr(value=ast.Call() as call) | ast.Assign(value=ast.Call() as call):
            yield from _taken_by(call, body)


def _taken_by(call: ast.Call, body: list[ast.stmt]) -> Iterator[tuple[ast.expr, str | None]]:
    if isinstance(call.func, ast.Attribute) and isinstance(call.func.value, ast.Call):
        yield from _taken_by(call.func.value, body)
    match call:
        case ast.Call(func=ast.Attribute(value=held, attr=method)) if method in _CLOSES:
            yield from _through(held, body)
        case ast.Call(func=ast.Attribute(value=held, attr=method)) if method in _BEGINS:
            yield held, None
        case ast.Call(func=ast.Attribute(value=held, attr="pop" | "update" | "clear"), args=args):
            owner = _whose_dict(held)
            if owner is not None:
                for keyword in call.keywords:
                    yield owner, keyword.arg
                if not call.keywords:
                    yield owner, written_text(args[0]) if args else None
        case ast.Call(func=ast.Name(id="setattr" | "delattr" as how), args=[held, named, *given]):
            if how == "delattr" or any(map(is_written_none, given)):
                yield held, written_text(named)


def _bound(statement: ast.stmt) -> Iterator[tuple[ast.expr, ast.expr]]:
    """What a statement assigns to what: of two tuples each to its own."""
    if not isinstance(statement, ast.Assign):
        return
    for target in statement.targets:
        match target, statement.value:
            case ast.Tuple(elts=targets), ast.Tuple(elts=values) if len(targets) == len(values):
                yield from zip(targets, values, strict=True)
            case _:
                yield target, statement.value


def _through(held: ast.expr, body: list[ast.stmt]) -> Iterator[tuple[ast.expr, str | None]]:
    """The attribute that an expression is, or that its name stands for: ``file = dataset.file``."""
    if isinstance(held, ast.Name):
        for statement in statements_in(body):
            for target, value in _bound(statement):
                if isinstance(target, ast.Name) and target.id == held.id:
                    yield from _attribute(value)
    else:
        yield from _attribute(held)


def _attribute(node: ast.expr) -> Iterator[tuple[ast.expr, str | None]]:
    """``dataset.file``, ``dataset.__dict__["file"]``."""
    match node:
        case ast.Attribute(value=held, attr=name):
            yield held, name
        case ast.Subscript(value=inner, slice=ast.Constant(value=str(name))):
            owner = _whose_dict(inner)
            if owner is not None:
                yield owner, name


def _whose_dict(node: ast.expr) -> ast.expr | None:
    """The object whose attributes are asked for as a dict: ``vars(dataset)``, ``dataset.__dict__``."""
    match node:
        case ast.Attribute(value=held, attr="__dict__") | ast.Call(func=ast.Name(id="vars"), args=[held]):
            return held
    return None


def drops_of(name: str) -> re.Pattern[str]:
    """How the text of a function lets go of what an attribute holds."""
    return re.compile(rf"{takes_away(name).pattern}|\.{name} = None")


def takes_away(name: str) -> re.Pattern[str]:
    """The same, but for storing None in it."""
    said = rf"['\"]{name}['\"]"
    return re.compile(
        rf"\.{name}\.(?:close|release)\(|\bdel [^\n]{{0,300}}(?:\.{name}\b|__dict__\[{said})"
        rf"|\bdelattr\([^\n,]{{1,300}}, *{said}|\bsetattr\([^\n,]{{1,300}}, *{said}, *None"
        rf"|(?:\.__dict__|\bvars\([^\n)]{{0,300}}\))(?:\[{said}\] = None|\.pop\({said}|\.update\({name}=None)"
    )
