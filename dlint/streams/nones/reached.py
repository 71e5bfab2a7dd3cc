"""Whether it depends on the item that control comes to a statement, by the tests and attempts around it."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Protocol

from dlint.source.statements import own_names, self_name, statements_in
from dlint.streams.items.names import concerns, is_of_item, settled
from dlint.streams.nones.attempts import asked_to_be_none, compares_sizes
from dlint.streams.nones.endings import endings
from dlint.streams.nones.passed_on import is_never_passed, may_be_none
from dlint.streams.nones.scope import Scope
from dlint.streams.nones.written import asks_for_form, compares_names, speaks_of_none, tries_again
from dlint.values.frame import Point
from dlint.values.places import places_around
from dlint.values.values import Function, Made
from dlint.values.worlds import World

if TYPE_CHECKING:
    from dlint.calls.evaluator import Evaluator


class GivesNone(Protocol):
    """Whether a call may give None; of the ``steps`` that a loop goes through."""

    def __call__(self, call: ast.Call, point: Point, world: World, scope: Scope, *, steps: bool) -> bool: ...


class Reached:
    """Tells which of a function's statements are come to for some items alone."""

    def __init__(self, evaluator: Evaluator, gives_none: GivesNone) -> None:
        self._evaluator = evaluator
        self._gives_none = gives_none

    def by_item(self, point: Point, scope: Scope) -> bool:
        """Whether it depends on the item that control comes to a statement, and not on a mode."""
        if not self._evaluator.flow.reaching(point, scope.world):
            return False
        for place in places_around(point):
            if isinstance(place.owner, ast.ExceptHandler):
                return True
            if isinstance(place.owner, ast.If):
                return self.concerns(place.owner, scope) and not self._only_passes_on(
                    place.owner.test, point, scope
                )
            if place.owner is None:
                return self.is_left_over(place.block[: place.at], scope)
        return False

    def _only_passes_on(self, test: ast.expr, point: Point, scope: Scope) -> bool:
        """Whether a test looks for the None of one of the steps that a loop goes through (``for step in
        self.steps: data = step(data)``), of which none is seen to give one. Of those that are made by a name
        of a configuration nobody knows whether they are among them: only those count that the program makes
        by their own."""
        steps = {
            name
            for statement in statements_in(scope.node.body)
            if isinstance(statement, ast.For)
            for name in own_names(statement)
        }
        match test:
            case (
                ast.Compare(left=ast.Name(id=name), ops=[ast.Is()], comparators=[ast.Constant(value=None)])
                | ast.UnaryOp(op=ast.Not(), operand=ast.Name(id=name))
            ) if steps:
                pass
            case _:
                return False
        for statement, world in self._evaluator.flow.definitions(name, point, scope.world):
            match statement:
                case ast.Assign(value=ast.Call(func=ast.Name(id=step)) as call) if step in steps:
                    at = Point(scope.frame, statement)
                    if self._gives_none(call, at, world, scope, steps=True):
                        return False
                case _:
                    return False
        return True

    def concerns(self, statement: ast.If, scope: Scope) -> bool:
        """Whether a test is about the item; not where it is for a None that this caller does not pass."""
        point = Point(scope.frame, statement)
        if not concerns(statement.test, scope.indices, self.variables(scope)):
            return False
        if scope.far and is_never_passed(self._evaluator, statement.test, scope.node, point, scope.world):
            return False
        return not self._is_for_other_classes(statement.test, point, scope)

    def _is_for_other_classes(self, test: ast.expr, point: Point, scope: Scope) -> bool:
        """Whether a test looks for the None of what classes derived from the function's own define, of which
        this object's gives none: ``sample = self.load(path)``, and then ``if sample is None``."""
        match test:
            case ast.Compare(
                left=ast.Name(id=name), ops=[ast.IsNot()], comparators=[ast.Constant(value=None)]
            ):
                pass
            case _:
                name = asked_to_be_none(test)
        definitions = list(self._evaluator.flow.definitions(name, point, scope.world)) if name else []
        return bool(definitions) and all(
            isinstance(statement, ast.Assign)
            and isinstance(statement.value, ast.Call)
            and self._gives_something(statement.value, Point(scope.frame, statement), world, scope)
            for statement, world in definitions
        )

    def _gives_something(self, call: ast.Call, point: Point, world: World, scope: Scope) -> bool:
        """Whether a call is of methods that derived classes define, and what these give is seen, and never
        None."""
        match call.func:
            case ast.Attribute(value=ast.Name(id=own)) if own == self_name(scope.node):
                pass
            case _:
                return False
        self._evaluator.start()
        callees = [value for value, _ in self._evaluator.values(call.func, point, world)]
        owner = scope.frame.owner
        if (
            owner is None
            or not callees
            or not all(
                isinstance(each, Function) and each.owner is not None and each.owner.key != owner.key
                for each in callees
            )
        ):
            return False
        return not any(
            may_be_none(value) for value, _ in self._evaluator.values(call, point, world)
        ) and not self._gives_none(call, point, world, scope, steps=False)

    def asks_for_none(self, point: Point, scope: Scope) -> bool:
        """Whether a statement hangs on whether something is None: what data without labels have is for all of
        them. What was read for the item is None where it could not be."""
        place = next(iter(places_around(point)), None)
        if place is None or not isinstance(place.owner, ast.If) or not speaks_of_none(place.owner.test):
            return False
        name, before = asked_to_be_none(place.owner.test), Point(scope.frame, place.owner)
        definitions = list(self._evaluator.flow.definitions(name, before, scope.world)) if name else []
        return not definitions or not all(
            isinstance(statement, ast.Assign)
            and isinstance(statement.value, ast.Call)
            and self._may_fail(statement.value, Point(scope.frame, statement), world, scope)
            for statement, world in definitions
        )

    def _may_fail(self, call: ast.Call, point: Point, world: World, scope: Scope) -> bool:
        """Whether a call gives None where reading fails, of a library or of the program, and not because of
        its settings."""
        values = [value for value, _ in self._evaluator.values(call, point, world)]
        if values and all(isinstance(value, Made) and may_be_none(value) for value in values):
            return True
        return self._gives_none(call, point, world, scope, steps=False)

    def variables(self, scope: Scope) -> frozenset[str]:
        """The variables that tell one item from another."""
        if scope.far:
            return scope.read
        bound = {name for s in statements_in(scope.node.body) for name in own_names(s)}
        return frozenset(bound - scope.indices - settled(scope.node)) | (scope.read & bound)

    def is_left_over(self, before: list[ast.stmt], scope: Scope) -> bool:
        """Whether what comes after some statements is for the items that a test of them, or of each attempt
        to read one, has not let through: ``if good: return item``, and then ``return None``."""
        for statement in reversed(before):
            if not any(isinstance(inner, ast.Return) for inner in statements_in([statement])):
                continue
            if isinstance(statement, ast.With):
                return self.is_left_over(statement.body, scope)
            if "attempts" in endings([statement], lambda _: False):
                return True
            if isinstance(statement, ast.If):
                tests = [] if statement.orelse else [statement]
            elif tries_again(statement) or self.seeks(statement, scope):
                tests = [each for each in statements_in([statement]) if isinstance(each, ast.If)]
                if not tries_again(statement):
                    # What is looked for by its name or kind may always be there.
                    tests = [each for each in tests if compares_sizes(each.test)]
            else:
                return False
            return any(
                isinstance(test.body[-1], ast.Return)
                and not compares_names(test.test)
                and self.concerns(test, scope)
                for test in tests
            )
        return False

    def seeks(self, statement: ast.stmt, scope: Scope) -> bool:
        """Whether a loop looks for one of the things that were read for the item, be it in vain."""
        return isinstance(statement, ast.For) and is_of_item(statement.iter, scope.indices, scope.read)

    def is_sought(self, sought: ast.GeneratorExp, scope: Scope) -> bool:
        """Whether an expression looks for one of the things read for the item, by a number that none
        of them may have: ``(each for each in frames if each.score > 0.5)``."""
        return any(
            is_of_item(part.iter, scope.indices, scope.read)
            and any(compares_sizes(test) and not compares_names(test) for test in part.ifs)
            for part in sought.generators
        )

    def tells(self, test: ast.expr, scope: Scope) -> bool:
        """Whether a test tells one item from another. What asks only whether an entry of a row is there, or
        of which form that is, may be answered alike for all of them."""
        asked = test.operand if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not) else test
        return (
            not isinstance(asked, ast.Name | ast.Attribute | ast.Subscript)
            and not compares_names(test)
            and not speaks_of_none(test)
            and not asks_for_form(test)
            and concerns(test, scope.indices, self.variables(scope))
        )
