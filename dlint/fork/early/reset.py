"""What lets go of a thing that is made when it is first needed, or makes it anew: methods that set what holds
it, whatever is there, the ``worker_init_fn`` that does so in each worker, and what is run after a fork."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

from dlint.fork.sides import after_fork, asks_for, init_visits, is_all_known_after_fork
from dlint.source.nodes import walk
from dlint.source.statements import (
    FunctionNode,
    expressions,
    functions_in,
    own_names,
    parameters,
    statements_in,
)
from dlint.values.frame import Frame, Point
from dlint.values.functions import function_body
from dlint.values.values import Class, External, Instance, Made, Unknown, Value
from dlint.workers.repetition import is_only_where_none
from dlint.workers.worker_dataset import may_be_of

if TYPE_CHECKING:
    from dlint.fork.program import Program
    from dlint.workers.events import Visit
    from dlint.workers.uses import WorkerUse

_FAR = 3
# What a function that runs after a fork does to a lock or a handle itself.
_RENEWING = frozenset({"_at_fork_reinit", "acquire", "close", "release", "shutdown"})


def resetting(program: Program, use: WorkerUse, cls: Class | None, names: set[str]) -> frozenset[str]:
    """The methods, of a class and of what a dataset is made of, that let go of what an object of that class
    holds under some names, or make it anew, whatever is there: themselves, or by another of them."""
    if cls is None:
        return frozenset()
    line = program.evaluator.classes.line
    found = {
        function.name
        for above in line(cls)
        for function in functions_in(above.node.body)
        if function.name != "__init__" and any(_stores(function, above, name) for name in names)
    }
    around = [
        function
        for instance in use.code.instances.values()
        for above in line(instance.cls)
        for function in functions_in(above.node.body)
        if function.name != "__init__"
    ]
    for _ in range(_FAR if found else 0):
        found |= {function.name for function in around if asks_for(function_body(function), found)}
    return frozenset(found)


def is_reset_in_workers(program: Program, use: WorkerUse, owner: Instance, name: str) -> bool:
    """Whether the loader's ``worker_init_fn`` lets go of what workers have inherited under an attribute of
    their dataset, or of what that holds, or makes it anew."""
    visits = init_visits(program, use)
    if any(_sets(program, use, visit, owner.cls, name) for visit in visits):
        return True
    methods = resetting(program, use, owner.cls, {name}) if visits else frozenset[str]()
    return any(asks_for(function_body(visit.function.node), methods) for visit in visits)


def is_met_after_fork(
    program: Program, use: WorkerUse, made: Made, cls: Class | None, names: Collection[str]
) -> bool:
    """Whether what each forked worker of a use runs first, by ``os.register_at_fork``, has to do with a thing
    that goes by some names of an object of a class, or of its module: then it is to renew it, or to close or
    release it. So it may where something runs that nobody knows."""
    if not is_all_known_after_fork(program, use):
        return True
    visits = after_fork(program, use)
    methods = resetting(program, use, cls, set(names)) if visits else frozenset[str]()
    return any(
        asks_for(function_body(visit.function.node), methods) or _meets(program, use, visit, made, cls, names)
        for visit in visits
    )


def _meets(
    program: Program, use: WorkerUse, visit: Visit, made: Made, cls: Class | None, names: Collection[str]
) -> bool:
    """Whether a function speaks of a thing by a name, does to what may be it what renews or closes things of
    its kind, or calls what nobody knows."""
    function = visit.function.node
    parts: list[tuple[ast.stmt | None, ast.expr]] = (
        [(None, function.body)]
        if isinstance(function, ast.Lambda)
        else [(each, part) for each in statements_in(function.body) for part in expressions(each)]
    )
    for statement, part in parts:
        point = Point(visit.frame, statement)

        def values(of: ast.expr, point: Point = point) -> list[Value]:
            return [value for value, _ in program.evaluator.values(of, point, visit.world)]

        for node in walk(part):
            match node:
                case ast.Constant(value=name) | ast.keyword(arg=name) if name in names:
                    return True
                case ast.Name(id=name) if name in names and cls is None:
                    if visit.function.module is made.point.frame.module:
                        return True
                    if any(value.key == made.key for value in values(node)):
                        return True
                case ast.Attribute(value=held, attr=name) if name in names or name == "__dict__":
                    if may_be_of(program.evaluator, use, values(held), cls):
                        return True
                case ast.Attribute(value=held, attr=name) if name in _RENEWING:
                    found = values(held)
                    if not found or any(
                        isinstance(value, Unknown | External) or value.key == made.key for value in found
                    ):
                        return True
                case ast.Call(func=ast.Name(id="globals" | "vars")):
                    return True
                case ast.Call(func=ast.Name(id="setattr" | "delattr"), args=[_, named, *_]) if not isinstance(
                    named, ast.Constant
                ):
                    return True
                case ast.Call(func=ast.Name() | ast.Call() | ast.Subscript() as callee):
                    if any(isinstance(value, Unknown) for value in values(callee)):
                        return True
    return False


def _stores(function: FunctionNode, cls: Class, name: str) -> bool:
    """Whether a method binds or deletes an attribute of its object, whatever is there."""
    own = parameters(function)[:1]
    path = f"{own[0].arg}.{name}" if own else ""
    frame = Frame(cls.module, function, Frame(cls.module, cls.node, cls.frame), owner=cls)
    return any(
        path in own_names(statement) and not is_only_where_none(statement, Point(frame, statement))
        for statement in statements_in(function.body)
    )


def _sets(program: Program, use: WorkerUse, visit: Visit, cls: Class, name: str) -> bool:
    """Whether a function sets or deletes an attribute of what may be an object of a class, or empties what a
    decorator keeps for it."""
    node = visit.function.node
    kept = re.compile(rf"\b{re.escape(name)}\.cache_clear\b|\bpop\(['\"]{re.escape(name)}['\"]")
    if kept.search(visit.function.module.text_of(node)):
        return True
    evaluator = program.evaluator
    setting: list[tuple[ast.stmt | None, ast.expr]] = []
    if isinstance(node, ast.Lambda):
        setting = [(None, held) for each in function_body(node) for held in _by_call(each, name)]
    else:
        setting = [(each, held) for each in statements_in(node.body) for held in _holders(each, name)]
    for statement, held in setting:
        point = Point(visit.frame, statement)
        values = [value for value, _ in evaluator.values(held, point, visit.world)]
        if may_be_of(program.evaluator, use, values, cls) and not (
            statement is not None and is_only_where_none(statement, point)
        ):
            return True
    return False


def _holders(statement: ast.stmt, name: str) -> Iterator[ast.expr]:
    """Of what a statement sets or deletes an attribute."""
    match statement:
        case ast.Assign(targets=targets) | ast.Delete(targets=targets):
            for target in targets:
                if isinstance(target, ast.Attribute) and target.attr == name:
                    yield target.value
        case ast.Expr(value=call):
            yield from _by_call(call, name)


def _by_call(node: ast.AST, name: str) -> Iterator[ast.expr]:
    """Of what a call sets or deletes an attribute: ``setattr(dataset, "file", None)``."""
    match node:
        case ast.Call(func=ast.Name(id="setattr" | "delattr"), args=[held, ast.Constant(value=attr), *_]) if (
            attr == name
        ):
            yield held
