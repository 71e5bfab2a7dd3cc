"""Lists whose things are joined, which only tensors can be: ``torch.cat(kept)``."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.knowledge.tensors import JOINS
from dlint.source.nodes import walk
from dlint.source.statements import functions_in, own_names, self_name, statements_in
from dlint.values.frame import Frame, Point
from dlint.values.values import External, Instance

if TYPE_CHECKING:
    from dlint.calls.evaluator import Evaluator


def joined_in(evaluator: Evaluator, into: ast.expr, scope: ast.AST, point: Point) -> bool:
    """Whether a scope joins what a list holds, or what each list of a dict does."""
    if _is_joined(evaluator, ast.unparse(into), scope, point):
        return True
    return isinstance(into, ast.Subscript) and any(
        _is_joined(evaluator, name, each, point)
        for name, each in _with_each_value(ast.unparse(into.value), scope)
    )


def joins_own(evaluator: Evaluator, owner: Instance, name: str) -> bool:
    """Whether a method of an object joins what a list of it holds, into which others only put things."""
    joined = False
    for above in evaluator.classes.line(owner.cls):
        at = Point(Frame(above.module, above.node, above.frame), None)
        for method in functions_in(above.node.body):
            path = f"{self_name(method)}.{name}"
            joins = _is_joined(evaluator, path, method, at)
            joined |= joins
            for statement in statements_in(method.body):
                if path in own_names(statement) and not _begins(statement, path if joins else None):
                    return False
    return joined


def _is_joined(evaluator: Evaluator, filled: str, scope: ast.AST, point: Point) -> bool:
    for node in walk(scope):
        match node:
            case ast.Call(func=ast.Attribute() | ast.Name() as func, args=[joined, *_]) if (
                ast.unparse(joined) == filled
            ):
                values = [value for value, _ in evaluator.values(func, point)]
                if values and all(isinstance(each, External) and each.name in JOINS for each in values):
                    return True
    return False


def _with_each_value(filled: str, scope: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    """What code surely executes for each thing that a dict holds, and what that is called there:
    ``{key: torch.cat(kept) for key, kept in filled.items()}``; nothing where it is made of itself before."""
    made = [node.value for node in walk(scope) if isinstance(node, ast.Assign) and filled in own_names(node)]
    again = [each for each in made if any(ast.unparse(held) == filled for held in _attributes_of(each))]
    for node in walk(scope):
        match node:
            case (
                ast.DictComp(value=given, generators=[ast.comprehension(ifs=[]) as through])
                | ast.ListComp(elt=given, generators=[ast.comprehension(ifs=[]) as through])
            ):
                body: list[ast.AST] = [given]
            case ast.For(body=[*statements]) as through if not any(
                isinstance(each, ast.Continue | ast.Break | ast.Try) for each in statements_in(statements)
            ):
                body = [each for each in statements if isinstance(each, ast.Assign | ast.Expr)]
            case _:
                continue
        match through.iter, through.target:
            case (
                ast.Call(func=ast.Attribute(value=held, attr="items")),
                ast.Tuple(elts=[_, ast.Name(id=name)]),
            ) | (ast.Call(func=ast.Attribute(value=held, attr="values")), ast.Name(id=name)) if (
                ast.unparse(held) == filled
            ):
                for each in body:
                    if not any(
                        isinstance(inner, ast.IfExp | ast.BoolOp | ast.Lambda | ast.comprehension)
                        for inner in walk(each)
                    ) and all(node is value for value in again):
                        yield name, each


def _attributes_of(expression: ast.expr) -> Iterator[ast.expr]:
    """The things in an expression of which it asks for an attribute, or a part."""
    for node in walk(expression):
        if isinstance(node, ast.Attribute | ast.Subscript):
            yield node.value


def _begins(statement: ast.stmt, joined: str | None) -> bool:
    """Whether a statement gives a name an empty list, or, where that is ``joined``, what is made of it."""
    match statement:
        case ast.Assign(value=ast.List(elts=[]) | ast.Call(func=ast.Name(id="list"), args=[])):
            return True
        case ast.Assign(value=ast.Call(args=[given, *_])):
            return ast.unparse(given) == joined
    return False
