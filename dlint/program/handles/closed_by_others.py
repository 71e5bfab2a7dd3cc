"""Handles that an object opens when it is made, and that others have it close again before workers start,
which then open their own: ``dataset.close()``, ``with Rows(path) as dataset:``."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.fork.early.let_go import is_dropped_in_rounds, starts_inside, taken_away
from dlint.fork.early.reads import item_read_in_parent
from dlint.fork.early.starts import starts
from dlint.fork.order import comes_before
from dlint.fork.sides import asks_for, functions_of
from dlint.fork.ways.run_by import closed_by
from dlint.source.statements import FunctionNode, functions_in, own_names, self_name, statements_in
from dlint.values.frame import Arguments, Point
from dlint.values.functions import function_body
from dlint.values.values import Instance

if TYPE_CHECKING:
    from dlint.program.program import Program
    from dlint.workers.uses import WorkerUse

_FAR = 3
_LEAVES = "__exit__"


def is_closed_by_others(program: Program, use: WorkerUse, owner: Instance, name: str) -> bool:
    """Whether a method that lets go of what an attribute holds is called on its object before workers start,
    and no item is read afterwards."""
    closing = _closing(program, use, owner, name)
    if not closing or use.loader is None:
        return False
    if item_read_in_parent(program, use, owner.cls, resets=frozenset(closing)) is not None:
        return False
    return any(
        comes_before(program.evaluator, point, use) or _is_on_the_way(program, use, point)
        for method in closing
        for held, point in _closed(program, use, owner, method)
        if _may_be(program, use, owner, held, point)
    )


def _closing(program: Program, use: WorkerUse, owner: Instance, name: str) -> list[str]:
    """The methods that let go of what an attribute holds, and leave nothing else there: those of its object's
    class, and those of what a dataset is made of that call one of them."""
    line, workers = program.evaluator.classes.line, functions_of(program, use)
    functions = {
        id(function): function
        for instance in (owner, *use.code.instances.values())
        for above in line(instance.cls)
        for function in functions_in(above.node.body)
        if id(function) not in workers and (function.name == _LEAVES or not function.name.startswith("__"))
    }
    own = {id(function) for above in line(owner.cls) for function in functions_in(above.node.body)}
    binding = {key for key in own & functions.keys() if _binds(functions[key], name)}
    found = {each.name for key, each in functions.items() if key in own - binding and _lets_go(each, name)}
    for _ in range(_FAR if found else 0):
        found |= {
            each.name
            for key, each in functions.items()
            if key not in binding and asks_for(function_body(each), found)
        }
    return sorted(found)


def _lets_go(function: FunctionNode, name: str) -> bool:
    return any(_takes(statement, function, name) for statement in statements_in(function.body))


def _binds(function: FunctionNode, name: str) -> bool:
    """Whether a method puts something into an attribute of its object."""
    path = f"{self_name(function)}.{name}"
    return any(
        path in own_names(statement) and not _takes(statement, function, name)
        for statement in statements_in(function.body)
    )


def _takes(statement: ast.stmt, function: FunctionNode, name: str) -> bool:
    """Whether a statement of a method closes what an attribute of its object holds, or takes it away."""
    own = self_name(function)
    return any(
        isinstance(held, ast.Name) and held.id == own and each == name
        for held, each in taken_away(statement, function.body)
    )


def _closed(program: Program, use: WorkerUse, owner: Instance, name: str) -> Iterator[tuple[ast.expr, Point]]:
    """What others call a method of, and where; ``__exit__`` is called by the end of a ``with``."""
    evaluator = program.evaluator
    own = {id(each) for above in evaluator.classes.line(owner.cls) for each in functions_in(above.node.body)}
    if name != _LEAVES:
        methods = {
            id(method.node): method
            for instance in (owner, *use.code.instances.values())
            for method in evaluator.classes.methods(instance, name)
        }
        for method in methods.values():
            frame = evaluator.calls.enter(method, Arguments(), None, None)
            for site in (
                evaluator.sites.of(method.node, frame) if isinstance(method.node, FunctionNode) else ()
            ):
                if isinstance(site.call.func, ast.Attribute) and id(site.point.frame.scope) not in own:
                    yield site.call.func.value, site.point
    for start in starts(evaluator, use.loader) if use.loader is not None else ():
        body = [] if isinstance(start.frame.scope, ast.Lambda) else start.frame.scope.body
        for statement in statements_in(body):
            for item in statement.items if isinstance(statement, ast.With) else ():
                held = closed_by(item.context_expr)
                how = _LEAVES if held is item.context_expr else "close"
                if how == name and not starts_inside(statement, start):
                    yield held, Point(start.frame, statement)


def _may_be(program: Program, use: WorkerUse, owner: Instance, held: ast.expr, point: Point) -> bool:
    """Whether an expression may stand for an object, or for another that a dataset is made of and that has
    it. One dataset stands for all that are made of the same: its loader knows which it gets."""
    assert use.loader is not None
    found = [value for value, _ in program.evaluator.values(held, point) if isinstance(value, Instance)]
    around = {each.cls.node for each in use.code.instances.values()} - {owner.cls.node}
    given = {value.key for value in use.loader.values("dataset") if value is not None} | {owner.key}
    return not found or any(
        each.key in given or each.node is owner.node or each.cls.node in around for each in found
    )


def _is_on_the_way(program: Program, use: WorkerUse, point: Point) -> bool:
    """Whether a statement stands behind a loader that is only made there, and before it is gone through, or
    in what has run before, the constructor of the object whose method makes the loader."""
    assert use.loader is not None
    drops = [point.statement] if point.statement is not None else []
    return any(
        start.frame.scope is point.frame.scope
        and (start.places is None or is_dropped_in_rounds((0, 0), Point(start.frame, None), start, drops))
        for start in starts(program.evaluator, use.loader)
    )
