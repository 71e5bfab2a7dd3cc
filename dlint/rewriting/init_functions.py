"""Whether a function is a worker_init_fn and nothing else."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dlint.module.nodes import walk
from dlint.program.mentions import Mention, mentions
from dlint.program.program import Program
from dlint.program.values import Function

ARGUMENT = "worker_init_fn"


def is_for_workers_only(program: Program, function: Function) -> bool:
    """Whether the program does nothing with a function but pass it on as a worker_init_fn."""
    return not any(True for _ in other_uses(program, function))


def other_uses(program: Program, function: Function) -> Iterator[Mention]:
    """Where the program names the function, or may, and that is no import and no way to a worker_init_fn."""
    node = function.node
    if isinstance(node, ast.Lambda):
        return
    for mention in mentions(program, node.name):
        match mention.node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef() | ast.alias() | ast.keyword():
                continue
            case ast.Name(ctx=ast.Store()):
                continue
        if _is_other_thing(program, mention, function) or _is_passed(mention):
            continue
        yield mention


def passed_at(program: Program, function: Function) -> list[Mention]:
    """Where the function is given to a loader by its name: ``worker_init_fn=init``."""
    assert not isinstance(function.node, ast.Lambda)
    return [
        mention
        for mention in mentions(program, function.node.name)
        if isinstance(mention.node, ast.Name | ast.Attribute)
        and isinstance(mention.trail[-2], ast.keyword)
        and mention.trail[-2].arg == ARGUMENT
        and not _is_other_thing(program, mention, function)
    ]


def _is_other_thing(program: Program, mention: Mention, function: Function) -> bool:
    """Whether the name surely stands for something else at a place."""
    node = mention.node
    if not isinstance(node, ast.Name | ast.Attribute):
        return False
    if isinstance(node, ast.Attribute) and function.owner is None and _is_self(node.value):
        return True
    program.evaluator.start()
    point = program.evaluator.sites.point_of(mention.module, mention.trail)
    values = [value for value, _ in program.evaluator.values(node, point)]
    return bool(values) and all(
        isinstance(value, Function) and value.node is not function.node for value in values
    )


def _is_self(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id in ("self", "cls")


def _is_passed(mention: Mention) -> bool:
    """Whether the name's value goes to a worker_init_fn: as it is, in a partial, on a condition, by way of a
    variable or of a key or attribute of that name."""
    inner: ast.AST = mention.node
    for node in reversed(mention.trail[:-1]):
        match node:
            case ast.Call(func=func) if func is inner:
                return False
            case ast.Call() if _is_partial(node):
                if not (node.args and _holds(node.args[0], mention.node)):
                    return False
            case ast.keyword(arg=arg):
                return arg == ARGUMENT
            case ast.IfExp(test=test):
                if _holds(test, mention.node):
                    return False
            case ast.Dict(keys=keys):
                at = node.values.index(inner) if inner in node.values else -1
                key = keys[at] if at >= 0 else None
                return isinstance(key, ast.Constant) and key.value == ARGUMENT
            case ast.Assign(targets=[target]):
                return _is_variable_for_workers(target, mention)
            case _:
                return False
        inner = node
    return False


def _is_partial(call: ast.Call) -> bool:
    func = call.func
    return (isinstance(func, ast.Name) and func.id == "partial") or (
        isinstance(func, ast.Attribute) and func.attr == "partial"
    )


def _holds(tree: ast.AST, node: ast.AST) -> bool:
    return any(each is node for each in walk(tree))


def _is_variable_for_workers(target: ast.expr, mention: Mention) -> bool:
    """Whether a variable, or the entry or attribute of that name, goes to worker_init_fn and nowhere else."""
    match target:
        case ast.Attribute(attr=attr):
            return attr == ARGUMENT
        case ast.Subscript(slice=ast.Constant(value=key)):
            return bool(key == ARGUMENT)
        case ast.Name(id=name):
            scope = next(
                node
                for node in reversed(mention.trail)
                if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Module)
            )
            reads = [
                (parent, each)
                for parent in walk(scope)
                for each in ast.iter_child_nodes(parent)
                if isinstance(each, ast.Name) and each.id == name and isinstance(each.ctx, ast.Load)
            ]
            return all(isinstance(parent, ast.keyword) and parent.arg == ARGUMENT for parent, _ in reads)
    return False
