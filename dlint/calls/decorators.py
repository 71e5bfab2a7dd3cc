"""Decorators that give a function other arguments than its callers write."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.knowledge.callbacks import DISPATCHES, FILLS_ARGUMENTS
from dlint.source.nodes import walk
from dlint.source.statements import FunctionNode, own_nodes, parameters, statements_in
from dlint.values.frame import Argument, Arguments, Frame, Point, layout_of
from dlint.values.values import Class, External, Function, Instance, Value
from dlint.values.worlds import HERE

if TYPE_CHECKING:
    from dlint.calls.interface import Evaluator


def fills_arguments(evaluator: Evaluator, scope: FunctionNode, outer: Frame) -> bool:
    """Whether a decorator of a function may call it with more than its callers pass."""
    return any(
        _fills(value.node)
        if isinstance(value, Function)
        else isinstance(value, External) and value.name in FILLS_ARGUMENTS
        for decorator in scope.decorator_list
        for value, _ in evaluator.values(
            decorator.func if isinstance(decorator, ast.Call) else decorator, Point(outer, None)
        )
    )


def _fills(decorator: FunctionNode | ast.Lambda) -> bool:
    """Whether a function inside a decorator calls what is decorated with a ``**`` that is not its own."""
    if isinstance(decorator, ast.Lambda):
        return False
    functions = [node for node in walk(decorator) if isinstance(node, ast.FunctionDef)]
    given = {parameter.arg for function in functions for parameter in parameters(function)}
    own = {function.args.kwarg.arg for function in functions if function.args.kwarg is not None}
    return any(
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in given
        and any(
            k.arg is None and isinstance(k.value, ast.Name) and k.value.id not in own for k in node.keywords
        )
        for node in walk(decorator)
    )


class Inside(NamedTuple):
    """A call of a function in what a decorator puts in its place."""

    wrapper: Function
    call: ast.Call
    statement: ast.stmt

    def point(self, frame: Frame, arguments: Arguments | None) -> Point:
        """Where the call stands when its function is called so; ``frame`` is one of its own."""
        wrapper = self.wrapper
        if arguments is not None and wrapper.receiver is None:
            arguments = arguments.behind(frame.receiver)
        inside = Frame(
            wrapper.module,
            wrapper.node,
            wrapper.frame,
            arguments=arguments,
            receiver=wrapper.receiver,
            owner=wrapper.owner,
        )
        return Point(inside, self.statement)


def calls_inside(evaluator: Evaluator, scope: FunctionNode, outer: Frame) -> list[Inside]:
    """The calls of a function in what its decorators put in its place, which are those that it gets; none
    where they hand on what the callers write."""
    found = [
        Inside(wrapper, call, statement)
        for wrapper in wrappers(evaluator, scope, outer)
        for call, statement in _calls_of(evaluator, wrapper, scope)
    ]
    return [] if all(_hands_on(each.call, each.wrapper) for each in found) else found


def given_instead(evaluator: Evaluator, scope: FunctionNode, outer: Frame) -> list[Function]:
    """What is called in place of a function, where that gives something else than the function does."""
    return [
        wrapper
        for wrapper in wrappers(evaluator, scope, outer)
        if isinstance(wrapper.node, FunctionNode)
        and not _gives_the_same(wrapper.node, [call for call, _ in _calls_of(evaluator, wrapper, scope)])
    ]


def is_dispatched(evaluator: Evaluator, scope: FunctionNode, outer: Frame) -> bool:
    """Whether which function runs depends on the first argument: what stands there is for all others."""
    return any(
        isinstance(value, External) and value.name in DISPATCHES
        for decorator in scope.decorator_list
        for value, _ in evaluator.values(decorator, Point(outer, None))
    )


def registered(evaluator: Evaluator, function: Function) -> Iterator[Function]:
    """The functions that run in place of a dispatched one for arguments of other types:
    ``@load.register``, ``@load.register(str)``, ``load.register(str, load_text)``."""
    node = function.node
    if not isinstance(node, FunctionNode) or not evaluator.modules.index.mentioning(".register"):
        return
    for module in evaluator.modules.naming(node.name):
        for trail in module.paths_to(node.name):
            at = len(trail) - 2
            match trail[-2]:
                case ast.Attribute(attr="register") as named if named.value is trail[-1]:
                    pass
                case _:
                    continue
            call = trail[at - 1]
            if isinstance(call, ast.Call) and call.func is named:
                at -= 1
            around = trail[at - 1]
            point = evaluator.sites.point_of(module, trail)
            if isinstance(around, FunctionNode) and trail[at] in around.decorator_list:
                point = Point(evaluator.sites.frame_of(module, trail[:at]), around)
            asked = [value for value, _ in evaluator.values(named.value, point)]
            if not any(isinstance(value, Function) and value.node is node for value in asked):
                continue
            if isinstance(around, FunctionNode) and point.statement is around:
                yield Function(around, point.frame, function.receiver, function.owner)
            elif isinstance(call, ast.Call) and len(call.args) == 2:
                for value, _ in evaluator.values(call.args[1], point):
                    if isinstance(value, Function):
                        yield value


def wrappers(evaluator: Evaluator, scope: FunctionNode, outer: Frame) -> list[Function]:
    """What a function's decorators, as far as they are the program's, put in its place."""
    given = Arguments([Argument(None, None, Function(scope, outer))])
    at = Point(outer, None)
    return [
        wrapper
        for decorator in scope.decorator_list
        for value, world in evaluator.values(decorator, at)
        if isinstance(value, Function | Class | Instance)
        for made, _ in evaluator.invoke(value, given, decorator, at, world)
        for wrapper in _functions(evaluator, made)
        if wrapper.node is not scope
    ]


def gives_itself(evaluator: Evaluator, decorator: ast.expr, scope: FunctionNode, outer: Frame) -> bool:
    """Whether a decorator of the program gives back the function that it gets, as those do that register
    it."""
    given = Arguments([Argument(None, None, Function(scope, outer))])
    at = Point(outer, None)
    made = [
        each
        for value, world in evaluator.values(decorator, at)
        for each, _ in evaluator.invoke(value, given, decorator, at, world)
    ]
    return bool(made) and all(isinstance(each, Function) and each.node is scope for each in made)


def _gives_the_same(wrapper: FunctionNode, calls: list[ast.Call]) -> bool:
    """Whether all that a wrapper returns is what some calls give."""
    results = {
        statement.targets[0].id
        for statement in statements_in(wrapper.body)
        if isinstance(statement, ast.Assign)
        and isinstance(statement.targets[0], ast.Name)
        and any(statement.value is call for call in calls)
    }
    returned = [each.value for each in statements_in(wrapper.body) if isinstance(each, ast.Return)]
    return bool(returned) and all(
        any(value is call for call in calls) or (isinstance(value, ast.Name) and value.id in results)
        for value in returned
    )


def _functions(evaluator: Evaluator, value: Value) -> list[Function]:
    """What runs when a value is called."""
    if isinstance(value, Instance):
        return evaluator.classes.methods(value, "__call__")
    return [value] if isinstance(value, Function) else []


def _calls_of(
    evaluator: Evaluator, wrapper: Function, scope: FunctionNode
) -> list[tuple[ast.Call, ast.stmt]]:
    """The calls in a function that are of another one."""
    node = wrapper.node
    if isinstance(node, ast.Lambda):
        return []
    frame = Frame(wrapper.module, node, wrapper.frame, receiver=wrapper.receiver, owner=wrapper.owner)
    return [
        (inner, statement)
        for statement in statements_in(node.body)
        for at in [Point(frame, statement)]
        for inner in own_nodes(statement)
        if isinstance(inner, ast.Call) and isinstance(inner.func, ast.Name | ast.Attribute)
        if any(
            isinstance(value, Function) and value.node is scope
            for value, _ in evaluator.values(inner.func, at, HERE)
        )
    ]


def _hands_on(call: ast.Call, wrapper: Function) -> bool:
    """Whether a call in a function passes on all that the function is given, and nothing else."""
    spec = wrapper.node.args
    own = [each.arg for each in [*spec.posonlyargs, *spec.args, *spec.kwonlyargs]]
    if wrapper.receiver is not None:
        own = own[1:]
    stars = [each.arg for each in (spec.vararg, spec.kwarg) if each is not None]
    if spec.defaults or any(spec.kw_defaults) or not layout_of(wrapper.node).binds.isdisjoint([*own, *stars]):
        return False
    passed = [argument.id for argument in call.args if isinstance(argument, ast.Name)]
    passed += [
        keyword.arg
        for keyword in call.keywords
        if keyword.arg is not None and isinstance(keyword.value, ast.Name) and keyword.value.id == keyword.arg
    ]
    starred = [each.value for each in call.args if isinstance(each, ast.Starred)]
    starred += [keyword.value for keyword in call.keywords if keyword.arg is None]
    if len(passed) + len(starred) < len(call.args) + len(call.keywords):
        return False
    return passed == own and [getattr(each, "id", None) for each in starred] == stars
