"""Whether a function is a worker_init_fn and nothing else."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dlint.calls.parameters.written import is_static
from dlint.changes.mentions import Mention, mentions
from dlint.loaders.loaders import Loader
from dlint.program.program import Program
from dlint.rewriting.seeding.passed_on import ARGUMENT, is_partial, is_passed
from dlint.source.statements import is_self
from dlint.values.values import Function, Instance, Key, Partial, Value
from dlint.workers.uses import WorkerUse


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
        if _is_other_thing(program, mention, function) or is_passed(program, mention):
            continue
        yield mention


def given_values(program: Program, function: Function) -> list[Value]:
    """What loaders get for their worker_init_fn that leads to a function: the function itself, partials of
    it, objects whose ``__call__`` it is."""
    found: dict[Key, Value] = {}
    for _, value in _given(program, function):
        found[value.key] = value
    return list(found.values())


def uses_given(program: Program, function: Function) -> list[WorkerUse]:
    """The worker uses, with their datasets, of the loaders that get a function; none where a dataset is not
    known."""
    found = [program.known_uses(loader) for loader, _ in _given(program, function)]
    return [use for uses in found for use in uses] if all(found) else []


def _given(program: Program, function: Function) -> Iterator[tuple[Loader, Value]]:
    """The loaders that get a function for their worker_init_fn, with what each gets that leads to it."""
    for loader in program.loaders:
        for value in loader.values(ARGUMENT):
            if value is not None and any(each is function.node for each in _called_by(program, value)):
                yield loader, value


def _called_by(program: Program, value: Value) -> list[ast.AST]:
    """The functions of the program that are run when a value is called."""
    while isinstance(value, Partial):
        value = value.callee
    if isinstance(value, Function):
        return [value.node]
    if isinstance(value, Instance):
        return [each.node for each in program.evaluator.classes.methods(value, "__call__")]
    return []


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
            and is_passed(program, Mention(mention.module, mention.trail[:-1]))
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
        given = [each for each in partials if isinstance(each, ast.Call) and is_partial(each)]
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
    if isinstance(node, ast.Attribute) and function.owner is None and is_self(node.value):
        return True
    program.evaluator.start()
    point = program.evaluator.sites.point_of(mention.module, mention.trail)
    values = [value for value, _ in program.evaluator.values(node, point)]
    return bool(values) and all(
        isinstance(value, Function) and value.node is not function.node for value in values
    )
