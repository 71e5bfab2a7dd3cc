"""How what a variable holds, or an entry of a dict, comes to be None, and whether it still is where that is
returned."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from dlint.source.nodes import walk
from dlint.source.statements import given_in, statements_in
from dlint.streams.nones.attempts import retries
from dlint.streams.nones.endings import endings
from dlint.streams.nones.interface import Expressions
from dlint.streams.nones.never_returns import never_in
from dlint.streams.nones.reached import Reached
from dlint.streams.nones.scope import How, Scope, inside, place_of
from dlint.streams.nones.still_none import Kept, gives, gives_none, is_none_still
from dlint.streams.nones.written import (
    given_to,
    handed,
    is_none,
    is_used_besides,
    may_be_none,
    stored,
    table_of,
)
from dlint.values.frame import Point
from dlint.values.places import loops_around
from dlint.values.values import Table
from dlint.values.worlds import World

if TYPE_CHECKING:
    from dlint.calls.evaluator import Evaluator


class Variables:
    """Follows variables; ``followed`` are the assignments that are being looked at."""

    def __init__(
        self, expressions: Expressions, evaluator: Evaluator, reached: Reached, followed: set[int]
    ) -> None:
        self._expressions = expressions
        self._evaluator = evaluator
        self._reached = reached
        self._followed = followed

    def of(self, name: str, point: Point, world: World, scope: Scope) -> How | None:
        """How what a variable holds, or what is stored in the dict that it holds, comes to be None."""
        for statement, w in self._evaluator.flow.definitions(name, point, world):
            value = given_to(name, statement)
            if value is not None and statement is not None and id(statement) not in self._followed:
                self._followed.add(id(statement))
                how = self._of_assigned(name, statement, value, point, w, scope)
                self._followed.discard(id(statement))
                if how is not None:
                    return how
            how = self._of_taken_apart(name, statement, point, w, scope)
            if how is not None:
                return how
        return self._of_stored(name, point, scope)

    def _of_taken_apart(
        self, name: str, statement: ast.stmt | None, point: Point, world: World, scope: Scope
    ) -> How | None:
        """How one of several things that a call gives, and a statement takes apart, comes to be None."""
        match statement:
            case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Call() as call):
                at = [which for which, each in enumerate(targets) if getattr(each, "id", None) == name]
                if len(at) != 1 or any(isinstance(each, ast.Starred) for each in targets):
                    return None
                if _asks_for_others(targets, name, scope.node):
                    return None  # where one of them is not None, the others may not be either
                if not self._stays(Kept(name), statement, point, scope):
                    return None
                before = Point(scope.frame, statement)
                return self._expressions.of_part(call, at[0], len(targets), before, world, scope)
        return None

    def _of_assigned(
        self, name: str, statement: ast.stmt, value: ast.expr, point: Point, world: World, scope: Scope
    ) -> How | None:
        """How what a statement gives a variable comes to be None, and is it still at a point."""
        before = Point(scope.frame, statement)
        match value:
            case ast.Constant(value=None):
                if self._is_for_some(Kept(name), statement, scope):
                    stays = self._stays(Kept(name), statement, point, scope)
                    return How(f"returns the None that {name} is for some items") if stays else None
                return self._after_exception(name, statement, point, world, scope)
            case ast.Dict():
                return None  # see what is stored
            case ast.Tuple() | ast.List():
                used = is_used_besides(name, scope.node)
                return None if used else self._expressions.of_expression(value, before, world, scope)
        if not may_be_none(value) or not self._stays(Kept(name), statement, point, scope):
            return None
        return self._expressions.of_expression(value, before, world, scope)

    def _is_for_some(self, kept: Kept, made: ast.stmt, scope: Scope) -> bool:
        """Whether a statement makes something None that another gives more, and a test of what was read for
        the item decides between them: ``depth = None``, and then ``if path.exists(): depth = read(path)``. A
        loop may come to that for each item."""
        others = [
            each
            for each in statements_in(scope.node.body)
            if each is not made and gives(kept, each) and not gives_none(kept, each)
        ]
        own = place_of(made, scope)
        if own is None or not others:
            return False
        if any(True for each in others for _ in loops_around(Point(scope.frame, each))):
            return False
        if isinstance(own.owner, ast.ExceptHandler):
            return kept.key is not None
        places = [own] if own.owner is not None else [place_of(each, scope) for each in others]
        return all(
            place is not None
            and isinstance(place.owner, ast.If)
            and self._reached.tells(place.owner.test, scope)
            for place in places
        )

    def _stays(self, kept: Kept, made: ast.stmt, point: Point, scope: Scope) -> bool:
        """Whether what a statement has made None may be so where a point's statement hands it on."""
        if point.statement is None:
            return False
        never = never_in(self._evaluator, scope.frame, scope.world)
        spared = retries(kept.name, made, point, scope.node) if kept.key is None else []
        value = getattr(point.statement, "value", None)
        for each in handed(value) if isinstance(value, ast.expr) else ():
            if isinstance(each, ast.Call) and self._expressions.is_record(each.func, point, scope.world):
                spared += given_in(each)
        return is_none_still(kept, made, point.statement, scope.node, spared, never)

    def _after_exception(
        self, name: str, statement: ast.stmt, point: Point, world: World, scope: Scope
    ) -> How | None:
        for attempt in statements_in(scope.node.body):
            raised = world.known(("raised", id(attempt), scope.frame.key))
            if not raised:
                continue
            handled: list[ast.stmt] = attempt.handlers[raised - 1].body  # type: ignore[attr-defined]
            never = never_in(self._evaluator, scope.frame, scope.world)
            if endings(handled, never) and self._stays(Kept(name), statement, point, scope):
                return How(f"returns the None that {name} is after an exception")
        return None

    def _of_stored(self, name: str, point: Point, scope: Scope) -> How | None:
        """How what is stored in a dict that a variable holds comes to be None."""
        for statement in statements_in(scope.node.body):
            if not any(may_be_none(value) or is_none(value) for _, value in stored(statement, name)):
                continue
            table, before = table_of(statement, name), Point(scope.frame, statement)
            for world in self._evaluator.flow.reaching(before, scope.world):
                held = self._evaluator.values(table, before, world) if table is not None else []
                if all(isinstance(value, Table) for value, _ in held) and (held or table is None):
                    how = self._of_entries(name, statement, point, world, scope)
                    if how is not None:
                        return how
        return None

    def _of_entries(
        self, name: str, statement: ast.stmt, point: Point, world: World, scope: Scope
    ) -> How | None:
        before = Point(scope.frame, statement)
        for key, value in stored(statement, name):
            kept = Kept(name, key)
            if not (is_none(value) or may_be_none(value)) or not self._stays(kept, statement, point, scope):
                continue
            if not is_none(value):
                how = self._expressions.of_expression(value, before, world, scope)
                if how is not None:
                    return inside(how)
            elif self._is_for_some(kept, statement, scope):
                return How(f"returns an item with None under {key!r} for some items", True)
        return None


def _asks_for_others(targets: list[ast.expr], name: str, function: ast.FunctionDef) -> bool:
    """Whether a test of a function speaks of what it was given together with something else."""
    others = {each.id for each in targets if isinstance(each, ast.Name)} - {name}
    return any(
        isinstance(node, ast.Name) and node.id in others
        for test in walk(function)
        if isinstance(test, ast.If | ast.IfExp | ast.While | ast.Assert)
        for node in walk(test.test)
    )
