"""Generators that hand on every batch of what they are given: ``metric_logger.log_every(loader, 10)``."""

from __future__ import annotations

import ast

from dlint.source.nodes import walk
from dlint.source.statements import own_names, parameters, statements_in


def handed_on(function: ast.FunctionDef) -> str | None:
    """The parameter of which a generator gives each thing as it is, all of them; None where it does not
    surely do that and nothing else."""
    names = {parameter.arg for parameter in parameters(function)}
    statements = list(statements_in(function.body))
    yields = [
        node for each in function.body for node in walk(each) if isinstance(node, ast.Yield | ast.YieldFrom)
    ]
    loops = [each for each in statements if isinstance(each, ast.For)]
    if len(yields) != 1 or any(isinstance(each, ast.Break | ast.Return) for each in statements):
        return None
    for loop in loops:
        match loop:
            case ast.For(target=ast.Name(id=given), iter=ast.Name(id=name)) if name in names:
                bound = [each for statement in statements for each in own_names(statement)]
                is_whole = any(_gives(statement, given) for statement in loop.body)
                return name if is_whole and bound.count(given) == 1 and name not in bound else None
    return None


def _gives(statement: ast.stmt, name: str) -> bool:
    match statement:
        case ast.Expr(value=ast.Yield(value=ast.Name(id=given))):
            return given == name
    return False
