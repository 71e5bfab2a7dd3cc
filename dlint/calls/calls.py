"""Calls: entering a function with its arguments, and what it returns."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from dlint.calls.decorators import given_instead, is_dispatched
from dlint.calls.indirect.lazy_calls import LazyCalls
from dlint.evaluation.library.transforms import given_back, gives_tensor_of
from dlint.evaluation.options.lines import still_parser
from dlint.evaluation.questions import begun
from dlint.knowledge.augmentation.torchvision import TO_TENSOR
from dlint.knowledge.names import MAKES_MORE, answers_again
from dlint.source.statements import FunctionNode, as_try, ends, statements_in
from dlint.values.alike import told
from dlint.values.frame import Argument, Arguments, Frame, Point
from dlint.values.outcomes import Outcome
from dlint.values.values import (
    GENERATOR,
    NONE,
    Class,
    External,
    Function,
    Instance,
    Items,
    Key,
    Made,
    Partial,
    Unknown,
    Value,
)
from dlint.values.worlds import HERE, World

if TYPE_CHECKING:
    from dlint.calls.interface import Evaluator

_DEEPEST = 8
# A builder that calls itself (`RepeatDataset(build_dataset(cfg["dataset"]))`) would wrap for ever: what it
# gives is looked at when somebody asks for it, each time one call deeper.
_RECURSION = 1
_MOST_YIELDED = 24


class Calls:
    """Questions about calls."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator
        self._returns: dict[int, tuple[list[ast.Return], bool, bool]] = {}
        self._inside: dict[tuple[int, Key], int] = {}
        self._wrapped: dict[int, list[Function] | None] = {}
        self._dispatched: dict[int, bool] = {}
        self.lazy = LazyCalls(evaluator)

    def invoke(
        self, callee: Value, arguments: Arguments, node: ast.AST, point: Point, world: World
    ) -> list[Outcome]:
        """What calling ``callee`` gives."""
        match callee:
            case Function():
                return self.returns(callee, arguments, node, point, world)
            case Class():
                described = self.lazy.described(callee, arguments, world)
                return described or [(Instance(callee, arguments, node, point.key, point), world)]
            case External():
                return self._evaluator.library.call(callee, arguments, node, point, world)
            case Made(name=name) if name in MAKES_MORE:
                maker = External(MAKES_MORE[name])
                return self._evaluator.library.call(maker, arguments, node, point, world)
            case Made() if gives_tensor_of(self._evaluator, callee, arguments, world):
                return self._evaluator.library.call(External(TO_TENSOR), arguments, node, point, world)
            case Partial():
                return self.invoke(callee.callee, arguments.after(callee.arguments), node, point, world)
            case Instance():
                methods = self._evaluator.classes.methods(callee, "__call__")
                return [
                    outcome
                    for method in methods
                    for outcome in self.returns(method, arguments, node, point, world)
                ] or [(Unknown(("called", id(node), point.key)), world)]
            case Made():
                transformed = given_back(self._evaluator, callee, arguments, node, point, world)
                if transformed:
                    return transformed
        parser = still_parser(self._evaluator, node, point, world)
        if parser:
            return parser
        # Two calls that read alike give the same answer: `is_distributed()` does not change meanwhile.
        if isinstance(node, ast.Call):
            # `DATASETS[name](cfg, train=False)`: some class is given this.
            named = isinstance(node.func, ast.Name | ast.Subscript | ast.Call)
            made = (arguments, node, point.key) if named else None
            return [(Unknown(("call", callee.key, self._text(node, arguments, point)), made), world)]
        return [(Unknown(("call", callee.key, id(node))), world)]

    def _text(self, node: ast.Call, arguments: Arguments, point: Point) -> Key:
        if not node.args and not node.keywords:
            return ""
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        text = told(arguments, name) if answers_again(name) else None
        return (id(node), point.key) if text is None else text

    def enter(
        self, function: Function, arguments: Arguments | None, node: ast.AST | None, point: Point | None
    ) -> Frame:
        """The frame of a call of a function."""
        return Frame(
            function.module,
            function.node,
            function.frame,
            arguments=arguments,
            receiver=function.receiver,
            owner=function.owner,
            caller=point,
            site=node,
        )

    def returns(
        self, function: Function, arguments: Arguments, node: ast.AST, point: Point, world: World
    ) -> list[Outcome]:
        """The values that a call of a function of the program returns."""
        scope = function.node
        unknown: list[Outcome] = [(Unknown(("returned", id(node), point.key)), world)]
        mark = (id(scope), function.receiver.key if function.receiver is not None else None)
        if mark in self._inside:
            self._evaluator.cut(self._inside[mark])
            return unknown
        if point.frame.depth > _DEEPEST:
            return unknown
        if point.frame.times_inside(scope, mark[1]) > _RECURSION:
            return unknown
        frame = self.enter(function, arguments, node, point)
        self._inside[mark] = self._evaluator.depth
        try:
            if not isinstance(scope, ast.Lambda) and scope.decorator_list:
                if self._is_dispatched(function):
                    return unknown
                instead = self._instead(function, arguments, node, point, world)
                if instead:
                    return instead
            if isinstance(scope, ast.Lambda):
                return self._evaluator.values(scope.body, Point(frame, None), world)
            returns, falls, yields = self.shape(scope)
            if yields:
                return [(self._yielded(frame, scope), world)]
            outcomes: list[Outcome] = []
            for statement in returns:
                at = Point(frame, statement)
                for w in self._evaluator.flow.reaching(at, world):
                    if statement.value is None:
                        outcomes.append((NONE, w))
                    else:
                        outcomes += self._evaluator.values(statement.value, at, w)
            if falls:
                outcomes.append((NONE, world))
            return outcomes or unknown
        finally:
            del self._inside[mark]

    def _is_dispatched(self, function: Function) -> bool:
        scope = function.node
        known = self._dispatched.get(id(scope))
        if known is None:
            assert not isinstance(scope, ast.Lambda)
            known = self._dispatched[id(scope)] = is_dispatched(self._evaluator, scope, function.frame)
        return known

    def _instead(
        self, function: Function, arguments: Arguments, node: ast.AST, point: Point, world: World
    ) -> list[Outcome]:
        """What a decorator gives in place of what its function does, as far as that is known."""
        scope = function.node
        if id(scope) not in self._wrapped:
            assert not isinstance(scope, ast.Lambda)
            with begun(self._wrapped, id(scope), None):
                self._wrapped[id(scope)] = given_instead(self._evaluator, scope, function.frame)
        wrappers = self._wrapped[id(scope)]
        if wrappers is None:
            self._evaluator.cut()
            return []
        given = arguments.behind(function.receiver)
        found = [
            outcome for wrapper in wrappers for outcome in self.returns(wrapper, given, node, point, world)
        ]
        return [] if any(isinstance(value, Unknown) for value, _ in found) else found

    def _yielded(self, frame: Frame, scope: FunctionNode) -> Value:
        """What a call of a generator gives: something to go through, which gives what is yielded."""
        values: dict[Key, Value] = {}
        for statement in statements_in(scope.body):
            node = getattr(statement, "value", None)
            at = Point(frame, statement)
            if isinstance(node, ast.YieldFrom):
                argument = Argument(node.value, at, element=True)
                values.update((value.key, value) for value, _ in self._evaluator.value_of(argument, HERE))
            elif isinstance(node, ast.Yield):
                given = self._evaluator.values(node.value, at) if node.value is not None else [(NONE, HERE)]
                values.update((value.key, value) for value, _ in given)
        is_async = isinstance(scope, ast.AsyncFunctionDef)
        return Items(
            GENERATOR, tuple(values.values())[:_MOST_YIELDED], is_async or len(values) > _MOST_YIELDED
        )

    def shape(self, scope: FunctionNode) -> tuple[list[ast.Return], bool, bool]:
        """A function's returns, whether it may fall off its end, and whether it is a generator."""
        shape = self._returns.get(id(scope))
        if shape is None:
            returns: list[ast.Return] = []
            yields = isinstance(scope, ast.AsyncFunctionDef)
            for statement in statements_in(scope.body):
                if isinstance(statement, ast.Return):
                    returns.append(statement)
                value = getattr(statement, "value", None)
                if isinstance(value, ast.Yield | ast.YieldFrom):
                    yields = True
            shape = self._returns[id(scope)] = (returns, not _closes(scope.body), yields)
        return shape

    def ends(self, frame: Frame, world: World) -> list[tuple[ast.stmt | None, World]]:
        """The statements with which a function is done, None for its last, and the worlds in which it is."""
        scope = frame.scope
        assert isinstance(scope, FunctionNode)
        returns, falls, _ = self.shape(scope)
        found: list[tuple[ast.stmt | None, World]] = [
            (end, w) for end in returns for w in self._evaluator.flow.reaching(Point(frame, end), world)
        ]
        if returns and falls:
            found += [(None, w) for w in self._evaluator.flow.falling(frame, world)]
        elif falls or not returns:
            found.append((None, world))
        return found


def _closes(body: list[ast.stmt]) -> bool:
    """Whether control surely does not fall off the end of a function."""
    if ends(body):
        return True
    last = body[-1]
    if isinstance(last, ast.While) and isinstance(last.test, ast.Constant) and last.test.value:
        return True
    attempt = as_try(last)
    if attempt is not None:
        tail = attempt.orelse or attempt.body
        return ends(attempt.finalbody) or (ends(tail) and all(ends(h.body) for h in attempt.handlers))
    return False
