"""What the main process surely comes to: the tests on the way are not in doubt."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.source.layout import Guard
from dlint.source.nodes import children
from dlint.source.statements import last_name, parameters, self_name
from dlint.values.frame import Frame, Point
from dlint.values.places import guards_around, places_around
from dlint.values.values import Instance, is_none
from dlint.values.worlds import HERE

if TYPE_CHECKING:
    from dlint.calls.evaluator import Evaluator

_UNSURE = frozenset({"handler", "case"})
_CONTAINERS = frozenset({"OrderedDict", "dict", "list"})


def is_sure(evaluator: Evaluator, point: Point, beside: Point | None = None) -> bool:
    """Whether control surely comes to a point of a scope: where a loader is made ``beside``, in the runs in
    which it comes to that."""
    shared = {_mark(guard) for guard in guards_around(beside)} if beside is not None else set()
    if any(place.role in _UNSURE for place in places_around(point)):
        return beside is not None and _is_inside(point, beside)
    return all(_mark(guard) in shared or _holds(evaluator, guard, point) for guard in guards_around(point))


def parts_run(evaluator: Evaluator, node: ast.AST, point: Point) -> Iterator[ast.AST]:
    """The parts of an expression that are surely evaluated with it."""
    match node:
        case ast.IfExp(test=test, body=body, orelse=orelse):
            yield test
            for part, wanted in ((body, True), (orelse, False)):
                if not evaluator.assume(test, not wanted, point, HERE):
                    yield part
        case ast.BoolOp(op=op, values=values):
            for value in values:
                yield value
                if evaluator.assume(value, isinstance(op, ast.Or), point, HERE):
                    return
        case _:
            yield from children(node)


def _mark(guard: Guard) -> tuple[int, bool]:
    return id(guard.statement), guard.wanted


def _is_inside(point: Point, beside: Point) -> bool:
    """Whether a point stands in the innermost handler or case around another one."""
    blocks = {id(place.block) for place in places_around(beside)}
    unsure = [place for place in places_around(point) if place.role in _UNSURE]
    return all(id(place.block) in blocks for place in unsure)


def _holds(evaluator: Evaluator, guard: Guard, point: Point) -> bool:
    """Whether a test comes out as wanted in every run that goes on."""
    if _else_raises(guard) or _is_first_need(evaluator, guard.test, guard.wanted, point.frame):
        return True
    return not evaluator.assume(guard.test, not guard.wanted, point.before(guard.statement), HERE)


def _else_raises(guard: Guard) -> bool:
    match guard.statement:
        case ast.Assert():
            return True
        case ast.If(body=body, orelse=orelse):
            return bool(orelse if guard.wanted else body) and isinstance(
                (orelse if guard.wanted else body)[-1], ast.Raise
            )
    return False


def _is_first_need(evaluator: Evaluator, test: ast.expr, wanted: bool, frame: Frame) -> bool:
    """Whether a test asks for something that the method's object begins without: ``self.names is None``,
    ``not hasattr(self, "names")``, ``path not in self.files``."""
    by_key = _asked_by_key(test, wanted)
    by_name = _asked_by_name(test, wanted)
    held = by_key or by_name or _asked_for(test, wanted)
    scope, receiver = frame.scope, frame.receiver
    if held is None or not isinstance(receiver, Instance):
        return False
    if not (isinstance(scope, ast.FunctionDef) and parameters(scope)):
        return False
    own = self_name(scope)
    if not (isinstance(held.value, ast.Name) and held.value.id == own):
        return False
    if by_key is not None:
        return _starts_empty(evaluator, receiver, held.attr)
    if by_name is not None:
        # What is None is there, where only that is asked.
        return is_absent_at_first(evaluator, receiver, held.attr) or (
            not _is_hasattr(test) and starts_as_none(evaluator, receiver, held.attr)
        )
    return starts_as_none(evaluator, receiver, held.attr)


def _asked_for(test: ast.expr, wanted: bool) -> ast.Attribute | None:
    """The attribute that holds nothing yet, as far as a test tells that comes out as wanted."""
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=ast.Attribute() as held) if wanted:
            return held
        case ast.Attribute() as held if not wanted:
            return held
        case ast.Compare(left=ast.Attribute() as held, ops=[op], comparators=[ast.Constant(value=None)]):
            return held if isinstance(op, ast.Is) is wanted else None
    return None


def _asked_by_name(test: ast.expr, wanted: bool) -> ast.Attribute | None:
    """The attribute that is not there yet, or with ``getattr(self, "file", None) is None`` holds nothing."""
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return _asked_by_name(operand, not wanted)
        case ast.Call(func=ast.Name(id="hasattr"), args=[owner, ast.Constant(value=str(name))]) if not wanted:
            return ast.Attribute(owner, name, ast.Load())
        case ast.Compare(left=ast.Call() as asked, ops=[op], comparators=[ast.Constant(value=None)]):
            if isinstance(op, ast.Is) is wanted and not _is_hasattr(asked):
                return _asked_by_name(asked, False)
        case ast.Call(
            func=ast.Name(id="getattr"),
            args=[owner, ast.Constant(value=str(name)), ast.Constant(value=None)],
        ) if not wanted:
            return ast.Attribute(owner, name, ast.Load())
    return None


def _is_hasattr(test: ast.expr) -> bool:
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return _is_hasattr(operand)
        case ast.Call(func=ast.Name(id="hasattr")):
            return True
    return False


def _asked_by_key(test: ast.expr, wanted: bool) -> ast.Attribute | None:
    """The attribute that holds nothing yet under some key."""
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return _asked_by_key(operand, not wanted)
        case ast.Compare(ops=[ast.In() | ast.NotIn() as op], comparators=[ast.Attribute() as held]):
            return held if isinstance(op, ast.NotIn) is wanted else None
        case ast.Compare(
            left=ast.Subscript(value=ast.Attribute() as held),
            ops=[op],
            comparators=[ast.Constant(value=None)],
        ):
            return held if isinstance(op, ast.Is) is wanted else None
    return None


def is_by_key(point: Point) -> bool:
    """Whether control comes to a point only where a container has nothing yet under some key."""
    return any(_asked_by_key(guard.test, guard.wanted) is not None for guard in guards_around(point))


def _starts_empty(evaluator: Evaluator, owner: Instance, name: str) -> bool:
    """Whether an attribute is a container with nothing in it once its object is made."""
    stores = [at.statement for _, _, at, _ in evaluator.construction.stores(owner, HERE, (name,))]
    return bool(stores) and all(isinstance(each, ast.Assign) and is_empty(each.value) for each in stores)


def is_empty(made: ast.expr) -> bool:
    """Whether an expression makes a container that holds nothing yet: ``{}``, ``[None] * count``."""
    match made:
        case ast.Dict(keys=[]) | ast.List(elts=[]):
            return True
        case ast.BinOp(op=ast.Mult(), left=ast.List(elts=[ast.Constant(value=None)])):
            return True
        case (
            ast.ListComp(elt=ast.Constant(value=None))
            | ast.DictComp(value=ast.Constant(value=None))
            | ast.Call(func=ast.Attribute(value=ast.Name(id="dict"), attr="fromkeys"), args=[_])
        ):
            return True
        case ast.Call(func=function, args=[], keywords=[]):
            return last_name(function) in _CONTAINERS
    return False


def is_absent_at_first(evaluator: Evaluator, owner: Instance, name: str) -> bool:
    """Whether an object has no attribute of a name once it is made."""
    return not (
        list(evaluator.construction.stores(owner, HERE, (name,)))
        or evaluator.classes.member(owner.cls, name)
        or evaluator.attributes.sets_by_name(owner.cls)
    )


def starts_as_none(evaluator: Evaluator, owner: Instance, name: str) -> bool:
    """Whether an attribute is None once its object is made, be it that only the class says so."""
    values = []
    for found, path, at, world in evaluator.construction.stores(owner, HERE, (name,)):
        assert found == name and at.statement is not None
        values += [value for value, _ in evaluator.names.defined(at.statement, path, at.frame, world)]
    if not values:
        values = [value for value, _ in evaluator.classes.member(owner.cls, name)]
    return bool(values) and all(map(is_none, values))
