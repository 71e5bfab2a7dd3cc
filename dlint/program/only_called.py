"""Whether a function, wherever it goes, is only called: then nobody sees that it is another object now.

Otherwise its identity, its name, its attributes or its signature may matter to somebody.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TYPE_CHECKING

from dlint.knowledge.by_name import only_calls
from dlint.program.calls import passed
from dlint.program.closures import Callable_, bindings, owner, reads, trail_to
from dlint.program.mentions import mentions
from dlint.program.values import Class, External, Function, Value

if TYPE_CHECKING:
    from dlint.module.source import Module
    from dlint.program.program import Program

_FAR = 5


def only_called(program: Program, module: Module, trail: Sequence[ast.AST], far: int = 0) -> bool:
    """Whether what stands at the end of a trail (from the module's tree down) is nothing but called."""
    if far > _FAR:
        return False
    node, above = trail[-1], trail[-2]
    match above:
        case ast.Call(func=func) if func is node:
            return True
        case ast.keyword() | ast.Call():
            call = above if isinstance(above, ast.Call) else trail[-3]
            return isinstance(call, ast.Call) and _passed_on(program, module, trail, call, node, far)
        case ast.IfExp(test=test) if test is node:
            return True
        case ast.If() | ast.While() | ast.Assert() | ast.UnaryOp(op=ast.Not()):
            return True
        case ast.Compare(ops=[ast.Is() | ast.IsNot()], comparators=[ast.Constant(value=None)]):
            return True
        case ast.BoolOp() | ast.IfExp() | ast.List() | ast.Tuple():
            return only_called(program, module, trail[:-1], far)
        case ast.For(iter=held, target=ast.Name(id=name)) if held is node:
            return _variable(program, module, name, trail[:-1], far)
        case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
            return _variable(program, module, name, trail[:-1], far)
        case ast.Assign(targets=[ast.Attribute(attr=name)]) | ast.AnnAssign(target=ast.Attribute(attr=name)):
            return _attribute(program, name, far)
        case ast.Return():
            return _result(program, module, trail, far)
    return False


def _variable(program: Program, module: Module, name: str, trail: Sequence[ast.AST], far: int) -> bool:
    index = owner(name, trail)
    if index is None:
        return False  # of the module: other files may read it
    scope = trail[index]
    return all(only_called(program, module, each, far + 1) for each in reads(name, scope, trail[: index + 1]))


def _attribute(program: Program, name: str, far: int) -> bool:
    return all(
        only_called(program, each.module, each.trail, far + 1)
        for each in mentions(program, name)
        if isinstance(each.node, ast.Attribute) and isinstance(each.node.ctx, ast.Load)
    )


def _result(program: Program, module: Module, trail: Sequence[ast.AST], far: int) -> bool:
    frame = program.evaluator.sites.frame_of(module, list(trail))
    scope = frame.scope
    if not isinstance(scope, ast.FunctionDef) or frame.owner is not None:
        return False
    calls = [
        each
        for each in mentions(program, scope.name)
        if isinstance(each.node, ast.Name | ast.Attribute) and isinstance(each.node.ctx, ast.Load)
    ]
    return bool(calls) and all(
        isinstance(each.trail[-2], ast.Call)
        and each.trail[-2].func is each.node
        and only_called(program, each.module, each.trail[:-1], far + 1)
        for each in calls
    )


def _passed_on(
    program: Program, module: Module, trail: Sequence[ast.AST], call: ast.Call, node: ast.AST, far: int
) -> bool:
    point = program.evaluator.sites.point_of(module, list(trail))
    values = [value for value, _ in program.evaluator.values(call.func, point)]
    return bool(values) and all(_takes(program, value, call, node, far) for value in values)


def _takes(program: Program, value: Value, call: ast.Call, node: ast.AST, far: int) -> bool:
    """Whether what is called only calls this argument."""
    if isinstance(value, External):
        return only_calls(value.name)
    if isinstance(value, Class):
        found = [each for each, _ in program.evaluator.classes.member(value, "__init__")]
        if not found:
            libraries = program.evaluator.classes.libraries(value)
            return bool(libraries) and all(map(only_calls, libraries))
        methods = [each for each in found if isinstance(each, Function)]
        receivers = [Function(each.node, each.frame, value, each.owner) for each in methods]
        return len(methods) == len(found) and all(
            _parameter(program, each, call, node, far) for each in receivers
        )
    return isinstance(value, Function) and _parameter(program, value, call, node, far)


def _parameter(program: Program, function: Function, call: ast.Call, node: ast.AST, far: int) -> bool:
    names = [name for name, each in passed(function, call).items() if each is node]
    scope: Callable_ = function.node
    if len(names) != 1 or names[0] not in {
        each.arg for each in ast.walk(scope.args) if isinstance(each, ast.arg)
    }:
        return False
    if sum(each.name == names[0] for each in bindings(scope)) != 1 or scope.args.vararg or scope.args.kwarg:
        return False
    trail = trail_to(function.module.tree, scope)
    return trail is not None and all(
        only_called(program, function.module, each, far + 1) for each in reads(names[0], scope, trail)
    )
