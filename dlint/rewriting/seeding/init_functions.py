"""Whether a function is a worker_init_fn and nothing else."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dlint.calls.parameters import is_static
from dlint.changes.mentions import Mention, mentions
from dlint.program.program import Program
from dlint.source.nodes import walk
from dlint.values.values import Function, Instance, Key

ARGUMENT = "worker_init_fn"


def is_for_workers_only(program: Program, function: Function) -> bool:
    """Whether the program does nothing with a function but pass it on as a worker_init_fn."""
    return not any(True for _ in other_uses(program, function))


def other_uses(program: Program, function: Function) -> Iterator[Mention]:
    """Where the program names the function, or may, and that is no import and no way to a worker_init_fn."""
    node = function.node
    if isinstance(node, ast.Lambda):
        return
    if _is_of_objects(function):
        yield from _other_objects(program, function)
        return
    for mention in mentions(program, node.name):
        match mention.node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef() | ast.alias() | ast.keyword():
                continue
            case ast.Name(ctx=ast.Store()):
                continue
        if _is_other_thing(program, mention, function) or _is_passed(program, mention.trail):
            continue
        yield mention


def given_objects(program: Program, function: Function) -> list[Instance]:
    """The objects that loaders get for their worker_init_fn and whose ``__call__`` a function is."""
    if not _is_of_objects(function):
        return []
    found: dict[Key, Instance] = {}
    for loader in program.loaders:
        for value in loader.values(ARGUMENT):
            if isinstance(value, Instance):
                methods = program.evaluator.classes.methods(value, "__call__")
                if any(each.node is function.node for each in methods):
                    found[value.key] = value
    return list(found.values())


def _is_of_objects(function: Function) -> bool:
    """Whether a function is what objects do that are called."""
    return getattr(function.node, "name", "") == "__call__" and isinstance(function.frame.scope, ast.ClassDef)


def _other_objects(program: Program, function: Function) -> Iterator[Mention]:
    """Where the program names the class of a ``__call__``, or calls it by name, and makes no object for a
    worker_init_fn."""
    assert isinstance(function.frame.scope, ast.ClassDef)
    yield from (each for each in mentions(program, "__call__") if isinstance(each.node, ast.Attribute))
    for mention in mentions(program, function.frame.scope.name):
        match mention.node:
            case ast.ClassDef() | ast.alias() | ast.Name(ctx=ast.Store()):
                continue
        made = mention.trail[-2] if len(mention.trail) > 1 else None
        if (
            isinstance(made, ast.Call)
            and made.func is mention.node
            and _is_passed(program, mention.trail[:-1])
        ):
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


def worker_parameter(program: Program, function: Function) -> str | None:
    """The parameter that gets the worker's number: the first that no partial has given; None where two
    partials differ in that."""
    node = function.node
    names = [each.arg for each in [*node.args.posonlyargs, *node.args.args]]
    of_class = isinstance(function.frame.scope, ast.ClassDef) and not is_static(node)
    if function.receiver is not None or of_class:
        names = names[1:]
    found = {names[0] if names else None}
    if isinstance(node, ast.FunctionDef):
        partials = [
            mention.trail[-2]
            for mention in mentions(program, node.name)
            if len(mention.trail) > 1 and not _is_other_thing(program, mention, function)
        ]
        given = [each for each in partials if isinstance(each, ast.Call) and _is_partial(each)]
        if given:
            found = {_first_free(names, each) for each in given}
    return found.pop() if len(found) == 1 else None


def _first_free(names: list[str], partial: ast.Call) -> str | None:
    """The first parameter that a partial leaves free."""
    if any(isinstance(each, ast.Starred) for each in partial.args):
        return None
    free = names[len(partial.args) - 1 :]
    keywords = {each.arg for each in partial.keywords}
    return next((each for each in free if each not in keywords), None)


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


def _is_passed(program: Program, trail: list[ast.AST]) -> bool:
    """Whether the value of a trail's last node goes to a worker_init_fn: as it is, in a partial, on a
    condition, as what a factory gives, by way of a variable or of a key or attribute of that name."""
    inner = trail[-1]
    for at in range(len(trail) - 2, -1, -1):
        node = trail[at]
        match node:
            case ast.Call() if _is_partial(node) and node.args and node.args[0] is inner:
                pass
            case ast.keyword(arg=arg):
                return arg == ARGUMENT
            case ast.IfExp(test=test):
                if test is inner:
                    return False
            case ast.Return():
                return _is_of_factory(program, trail[:at])
            case ast.Dict(keys=keys, values=values):
                key = next((key for key, value in zip(keys, values, strict=True) if value is inner), None)
                return isinstance(key, ast.Constant) and key.value == ARGUMENT
            case ast.Assign(targets=[target]):
                return _is_variable_for_workers(target, trail[:at])
            case _:
                return False
        inner = node
    return False


def _is_of_factory(program: Program, trail: list[ast.AST]) -> bool:
    """Whether what the function around gives goes to a worker_init_fn wherever the function is called."""
    factory = next((each for each in reversed(trail) if isinstance(each, ast.FunctionDef)), None)
    if factory is None:
        return False
    for mention in mentions(program, factory.name):
        if isinstance(mention.node, ast.Name | ast.Attribute):
            call = mention.trail[-2]
            if not isinstance(call, ast.Call) or call.func is not mention.node:
                return False
            if factory in mention.trail or not _is_passed(program, mention.trail[:-1]):
                return False
    return True


def _is_partial(call: ast.Call) -> bool:
    func = call.func
    return (isinstance(func, ast.Name) and func.id == "partial") or (
        isinstance(func, ast.Attribute) and func.attr == "partial"
    )


def _is_variable_for_workers(target: ast.expr, trail: list[ast.AST]) -> bool:
    """Whether a variable, or the entry or attribute of that name, goes to worker_init_fn and nowhere else."""
    match target:
        case ast.Attribute(attr=attr):
            return attr == ARGUMENT
        case ast.Subscript(slice=ast.Constant(value=key)):
            return bool(key == ARGUMENT)
        case ast.Name(id=name):
            scope = next(
                node
                for node in reversed(trail)
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
