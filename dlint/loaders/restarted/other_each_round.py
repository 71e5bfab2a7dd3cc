"""Whether a round of a loop has another loader than the one before: the loop binds it anew, or what it calls
makes one."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dlint.calls.evaluator import Evaluator
from dlint.loaders.iteration import Iterations
from dlint.source.nodes import walk
from dlint.source.restarts import base_of
from dlint.source.statements import changed_names, dotted, statements_in
from dlint.values.frame import Point
from dlint.values.values import Function


def binds(evaluator: Evaluator, loop: ast.For | ast.While, node: ast.expr, point: Point) -> bool:
    """Whether the loop makes its loader anew, or goes over several."""
    bound = point.frame.layout.bound_by(loop)
    held = base_of(node)
    for path in [held] if held is not None else _paths(node):
        parts = path.split(".")
        for holder in (".".join(parts[: end + 1]) for end in range(len(parts))):
            if holder in bound and (holder == path or not only_calls_methods(evaluator, loop, holder, point)):
                return True
    return False


def _paths(node: ast.AST) -> Iterator[str]:
    """The dotted names that an expression reads, each as long as it is written."""
    path = dotted(node) if isinstance(node, ast.expr) else None
    if path is not None:
        yield path
        return
    for child in ast.iter_child_nodes(node):
        yield from _paths(child)


def only_calls_methods(evaluator: Evaluator, loop: ast.For | ast.While, holder: str, point: Point) -> bool:
    """Whether a loop only calls methods of the program on an object, that are called as those of a dict are:
    ``self.update(batch)``."""
    layout = point.frame.layout
    if holder in layout.bound_by(loop, anew=True):
        return False
    for statement in statements_in(loop.body):
        if holder in changed_names(statement):
            match statement:
                case ast.Expr(value=ast.Call(func=ast.Attribute(value=owner) as method)) if (
                    dotted(owner) == holder
                ):
                    called = [value for value, _ in evaluator.values(method, point)]
                    if called and all(isinstance(value, Function) for value in called):
                        continue
            return False
    return True


def is_another_each_round(
    evaluator: Evaluator, iterations: Iterations, loop: ast.For | ast.While, node: ast.expr, point: Point
) -> bool:
    """Whether what a call is given is a loader that the call makes for it: ``first(make_loader(task))``."""
    if not isinstance(node, ast.Call):
        return False
    made = [loader for value, _ in evaluator.values(node, point) if (loader := iterations.loader(value))]
    if not made:
        return False
    makers = [value.node for value, _ in evaluator.values(node.func, point) if isinstance(value, Function)]
    return binds(evaluator, loop, node, point) or any(
        each is loader.call for loader in made for maker in (node, *makers) for each in walk(maker)
    )


def is_made_anew(evaluator: Evaluator, loop: ast.For | ast.While, node: ast.expr, point: Point) -> bool:
    """Whether each round calls a method that sets the attribute that holds the loader (``self.reset()``)."""
    holder, _, name = (base_of(node) or "").rpartition(".")
    for statement in _each_round(loop.body) if holder else ():
        match statement:
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=owner) as method)) if (
                dotted(owner) == holder
            ):
                for value, _ in evaluator.values(method, point):
                    if isinstance(value, Function) and _sets(value.node, name):
                        return True
    return False


def _sets(method: ast.AST, name: str) -> bool:
    """Whether a method always sets an attribute."""
    return isinstance(method, ast.FunctionDef) and any(
        isinstance(target, ast.Attribute) and target.attr == name
        for statement in method.body
        if isinstance(statement, ast.Assign)
        for target in statement.targets
    )


def _each_round(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements that every round of a loop comes to."""
    for statement in body:
        yield statement
        if isinstance(statement, ast.With | ast.Try):
            yield from _each_round(statement.body)
