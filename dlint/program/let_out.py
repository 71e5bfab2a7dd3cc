"""Whether a StopIteration at a place comes out of a dataset's ``__getitem__``, or somebody catches it."""

from __future__ import annotations

import ast

from dlint.program.program import Program
from dlint.source.nodes import walk
from dlint.source.statements import last_name, statement_at
from dlint.values.frame import Frame, Point
from dlint.values.functions import is_generator
from dlint.values.places import places_around
from dlint.values.values import Class, External, Function, Made
from dlint.workers.parts.composed import lets_out
from dlint.workers.reach import Link
from dlint.workers.uses import WorkerUse

ENTRIES = ("__getitem__", "__getitems__")
# What puts nothing around a function that would catch its errors.
_CATCH_NOTHING = ("abc.", "builtins.", "functools.", "torch.", "typing.", "typing_extensions.")
_CATCHES = frozenset({"StopIteration", "Exception", "BaseException"})


def gets_out(program: Program, uses: list[WorkerUse], node: ast.AST, point: Point, link: Link) -> bool:
    """Whether a StopIteration at a place comes out of the dataset's ``__getitem__``."""
    while True:
        scope = point.frame.scope
        if not isinstance(scope, ast.FunctionDef) or is_generator(scope):
            return False
        if is_caught(point) or _in_generator(point.statement, node):
            return False
        if scope.decorator_list and is_caught_around(program, scope, point.frame):
            return False
        if link.above is None:
            return scope.name in ENTRIES or _is_called_by(program, uses, link)
        if link.caller is None or link.site is None:
            called = _through_library(program, uses, link)
            if called is None:
                return False
            node, point = called
        elif _calls(program, link.site, link.caller):
            node, point = link.site, link.caller
        else:
            return False  # a library calls, and may catch it
        link = link.above


def _is_called_by(program: Program, uses: list[WorkerUse], link: Link) -> bool:
    """Whether a library's dataset calls a function for each of its items, and lets errors of it out."""
    function = link.function
    return function is not None and any(
        isinstance(use.dataset, Made) and lets_out(program.evaluator, use.dataset, function, use.world)
        for use in uses
    )


def _through_library(program: Program, uses: list[WorkerUse], link: Link) -> tuple[ast.Call, Point] | None:
    """Where the function before calls a library's object (``Compose``) that calls this one in turn, and lets
    errors of it out."""
    function, above = link.function, link.above
    before = above.function if above is not None else None
    if function is None or before is None:
        return None
    for visit in uses[0].code.visits:
        if visit.function.node is not before.node or isinstance(visit.frame.scope, ast.ClassDef):
            continue
        for call in visit.frame.layout.nodes:
            if not isinstance(call, ast.Call):
                continue
            at = Point(visit.frame, statement_at(visit.frame.scope, call))
            for value, w in program.evaluator.values(call.func, at, visit.world):
                if isinstance(value, Made) and lets_out(program.evaluator, value, function, w):
                    return call, at
    return None


def _calls(program: Program, site: ast.AST, point: Point) -> bool:
    """Whether the program itself calls there, and does not hand a library what to call."""
    if isinstance(site, ast.Call):
        callees = program.evaluator.values(site.func, point)
        return not all(isinstance(callee, External) for callee, _ in callees)
    return isinstance(site, ast.Subscript)


def _in_generator(statement: ast.stmt | None, node: ast.AST) -> bool:
    """Whether a node stands inside a generator expression of its statement."""
    return statement is not None and any(
        inner is node
        for generator in walk(statement)
        if isinstance(generator, ast.GeneratorExp)
        for inner in walk(generator)
    )


def is_caught_around(program: Program, scope: ast.FunctionDef, frame: Frame) -> bool:
    """Whether what a decorator puts around a function may catch what comes out of it, for all that can be
    seen."""
    outer = Point(frame.outer, None) if frame.outer is not None else None
    for decorator in scope.decorator_list:
        named = decorator.func if isinstance(decorator, ast.Call) else decorator
        for value, _ in program.evaluator.values(named, outer) if outer is not None else ():
            match value:
                case External(name=name) if name.startswith(_CATCH_NOTHING):
                    continue
                case Function(node=node) | Class(node=node) if not any(map(_may_catch, walk(node))):
                    continue
            return True
    return False


def _may_catch(node: ast.AST) -> bool:
    """Whether a statement catches a StopIteration that comes out of what it does."""
    match node:
        case ast.Try(handlers=handlers):
            return any(map(_catches, handlers))
        case ast.With(items=items):
            return any("suppress" in ast.unparse(each.context_expr) for each in items)
    return False


def is_caught(point: Point) -> bool:
    for place in places_around(point):
        owner = place.owner
        handlers: list[ast.ExceptHandler] = getattr(owner, "handlers", []) if place.role == "body" else []
        if any(map(_catches, handlers)):
            return True
        if isinstance(owner, ast.With) and any(
            "suppress" in ast.unparse(i.context_expr) for i in owner.items
        ):
            return True
    return False


def _catches(handler: ast.ExceptHandler) -> bool:
    if handler.type is None:
        return True
    named = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return any(last_name(each) in _CATCHES for each in named)
