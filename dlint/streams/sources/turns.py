"""Turns: streams of which a loop asks one after the other, or one by chance, for its next thing
(``next(random.choice(iterators))``), until none has more."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from dlint.source.nodes import walk
from dlint.source.statements import dotted, own_names, statements_in, target_names
from dlint.streams.sources.kinds import Kinds, known_together
from dlint.values.frame import Point
from dlint.values.values import External
from dlint.values.worlds import World

if TYPE_CHECKING:
    from collections.abc import Callable

    from dlint.calls.evaluator import Evaluator

_FAR = 6
_TAKEN_OUT = frozenset({"remove", "pop", "popleft"})
# What changes which comes first, and leaves all there.
_TURNED = frozenset({"rotate", "reverse", "sort"})
_COPIES = frozenset({"builtins.list", "builtins.tuple", "builtins.enumerate", "builtins.reversed"})
_PUTS_TOGETHER = frozenset({"builtins.list", "builtins.tuple", "collections.deque"})


class Turns:
    """Tells what is read by who asks one of several iterators; ``of_chained`` what all of a list give."""

    def __init__(
        self, of_chained: Callable[[ast.expr, Point, World, int], Kinds], evaluator: Evaluator
    ) -> None:
        self._of_chained = of_chained
        self._evaluator = evaluator

    def of(self, node: ast.expr, point: Point, world: World, far: int = 0) -> Kinds:
        """What all iterators read of which an expression is one; None where it may be anything else."""
        if far > _FAR:
            return None
        match node:
            case ast.Subscript(value=ast.Call(args=[several, *_]) as call, slice=ast.Constant(value=0)) if (
                _is_by_chance(call, "choices")
            ):
                return self._of_several(several, point, world, far)
            case ast.Subscript(value=several, slice=index) if not isinstance(index, ast.Slice):
                return self._of_several(several, point, world, far)
            case ast.Call(args=[several, *_]) if _is_by_chance(node, "choice"):
                return self._of_several(several, point, world, far)
            case ast.IfExp(body=body, orelse=orelse):
                return known_together([self.of(part, point, world, far + 1) for part in (body, orelse)])
            case ast.Name(id=name) if name not in point.locals and name in point.frame.layout.binds:
                return known_together(
                    [
                        self._of_bound(statement, name, Point(point.frame, statement), w, far)
                        for statement, w in self._evaluator.flow.definitions(name, point, world, anew=True)
                    ]
                )
        return None

    def _of_bound(self, statement: ast.AST | None, name: str, at: Point, world: World, far: int) -> Kinds:
        match statement:
            case ast.Assign(targets=[ast.Name()], value=value):
                return self.of(value, at, world, far + 1)
            case ast.For(target=target, iter=several) if name in target_names(target):
                return self._of_several(several, at, world, far + 1)
        return None

    def _of_several(self, node: ast.expr, point: Point, world: World, far: int) -> Kinds:
        """What the iterators of a list or dict read that is made once, and only gets shorter."""
        if far > _FAR:
            return None
        match node:
            case ast.Call(args=[inner]) if self._is_call_of(_COPIES, node, point, world):
                return self._of_several(inner, point, world, far + 1)
            case ast.Call(func=ast.Attribute(value=inner, attr="values"), args=[]):
                return self._of_several(inner, point, world, far + 1)
            case ast.Subscript(value=inner, slice=ast.Slice(lower=None, upper=None, step=None)):
                return self._of_several(inner, point, world, far + 1)
            case ast.Name(id=name) if name not in point.locals and name in point.frame.layout.binds:
                if not all(_makes_or_shortens(each, name) for each in statements_in(point.frame.layout.body)):
                    return None
                return known_together(
                    [
                        self._of_made(statement.value, Point(point.frame, statement), w)
                        if isinstance(statement, ast.Assign)
                        else None
                        for statement, w in self._evaluator.flow.definitions(name, point, world, anew=True)
                    ]
                )
        return None

    def _of_made(self, node: ast.expr, at: Point, world: World) -> Kinds:
        """What iterators read that are put into a list here."""
        match node:
            case ast.Call(args=[inner]) if self._is_call_of(_PUTS_TOGETHER, node, at, world):
                return self._of_made(inner, at, world)
            case ast.ListComp(elt=made) | ast.GeneratorExp(elt=made) | ast.DictComp(value=made):
                pass
            case ast.List(elts=[made, *_]):
                pass
            case ast.Call(args=[made, _]):  # ``map(iter, sources)``
                return self._of_chained(node, at, world, 0) if dotted(made) == "iter" else None
            case _:
                return None
        is_iterator = isinstance(made, ast.Call)
        return self._of_chained(node, at, world, 0) if is_iterator else None

    def _is_call_of(self, names: frozenset[str], node: ast.Call, point: Point, world: World) -> bool:
        callees = self._evaluator.values(node.func, point, world)
        return bool(callees) and all(isinstance(v, External) and v.name in names for v, _ in callees)


def shortens(statement: ast.stmt, several: str) -> bool:
    """Whether a statement takes something out of a list."""
    match statement:
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=whole, attr=name))):
            return dotted(whole) == several and name in _TAKEN_OUT
        case ast.Delete(targets=[ast.Subscript(value=whole)]):
            return dotted(whole) == several
    return False


def ends_when_empty(loop: ast.While) -> set[str]:
    """The lists of which a loop goes on as long as there is something in them."""
    names = {_filled(loop.test)}
    for each in statements_in(loop.body):
        if isinstance(each, ast.If) and isinstance(each.body[-1], ast.Break | ast.Return):
            names.add(_empty(each.test))
    return {name for name in names if name is not None}


def _filled(test: ast.expr) -> str | None:
    match test:
        case ast.Compare(left=left, ops=[ast.Gt() | ast.NotEq()], comparators=[ast.Constant(value=0)]):
            return _measured(left)
        case ast.Call():
            return _measured(test)
    return dotted(test)


def _empty(test: ast.expr) -> str | None:
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return _filled(operand)
        case ast.Compare(left=left, ops=[ast.Eq()], comparators=[ast.Constant(value=0)]):
            return _measured(left)
    return None


def _measured(node: ast.expr) -> str | None:
    match node:
        case ast.Call(func=ast.Name(id="len"), args=[whole]):
            return dotted(whole)
    return None


def _is_by_chance(call: ast.Call, name: str) -> bool:
    return isinstance(call.func, ast.Attribute | ast.Name) and (dotted(call.func) or "").endswith(name)


def _makes_or_shortens(statement: ast.stmt, several: str) -> bool:
    """Whether a statement leaves in a list what it was made with, or less."""
    if isinstance(statement, ast.Assign) and any(dotted(each) == several for each in statement.targets):
        return not any(isinstance(each, ast.Name) and each.id == several for each in walk(statement.value))
    if shortens(statement, several):
        return True
    match statement:
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=whole, attr=name))) if dotted(whole) == several:
            return name in _TURNED
    return several not in own_names(statement) and not _stores_in(statement, several)


def _stores_in(statement: ast.stmt, several: str) -> bool:
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    return any(
        isinstance(part, ast.Subscript) and dotted(part.value) == several
        for target in targets
        for part in walk(target)
    )
