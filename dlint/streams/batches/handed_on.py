"""Generators that hand on every batch of what they are given: ``metric_logger.log_every(loader, 10)``."""

from __future__ import annotations

import ast

from dlint.source.nodes import walk
from dlint.source.statements import dotted, own_names, parameters, statements_in
from dlint.streams.nones.written import is_read


def handed_through(function: ast.FunctionDef) -> str | None:
    """The parameter of which a generator gives each thing as it is, all of them; None where it does not
    surely do that and nothing else."""
    names = {parameter.arg for parameter in parameters(function)}
    statements = list(statements_in(function.body))
    loops = [each for each in statements if isinstance(each, ast.For)]
    if not _yields_once(function) or any(isinstance(each, ast.Break | ast.Return) for each in statements):
        return None
    for loop in loops:
        match loop:
            case (
                ast.For(target=ast.Name(id=given), iter=ast.Name(id=name))
                | ast.For(
                    target=ast.Tuple(elts=[_, ast.Name(id=given)]),
                    iter=ast.Call(func=ast.Name(id="enumerate"), args=[ast.Name(id=name), *_]),
                )
            ) if name in names:
                bound = [each for statement in statements for each in own_names(statement)]
                is_whole = any(_gives(statement, given) for statement in loop.body)
                is_whole = is_whole and _only_gives(function, given)
                return name if is_whole and bound.count(given) == 1 and name not in bound else None
    return None


def _yields_once(function: ast.FunctionDef) -> bool:
    """Whether a function gives something in one place."""
    nodes = (node for each in function.body for node in walk(each))
    return sum(isinstance(node, ast.Yield | ast.YieldFrom) for node in nodes) == 1


def yielding(function: ast.FunctionDef) -> tuple[ast.For, ast.expr, list[ast.stmt]] | None:
    """The loop of a generator that gives something in each of its rounds, and nothing else ever; what that
    is, and the statements of a round before it."""
    statements = list(statements_in(function.body))
    ends = (ast.Break, ast.Continue, ast.Return)
    if not _yields_once(function) or any(isinstance(each, ends) for each in statements):
        return None
    for loop in statements:
        for at, each in enumerate(loop.body) if isinstance(loop, ast.For) else ():
            match loop, each:
                case ast.For(), ast.Expr(value=ast.Yield(value=ast.expr() as given)):
                    return loop, given, loop.body[:at]
    return None


def gives_as_is(function: ast.FunctionDef) -> bool:
    """Whether an ``__iter__`` or ``__next__`` gives what another iterator gave it, as it is: no batch on the
    GPU, be it moved there entry by entry, none that is scaled."""
    statements = list(statements_in(function.body))
    bound = [each for statement in statements for each in own_names(statement)]
    taken: set[str] = set()
    for each in statements:
        match each:
            case ast.For(target=ast.Name(id=name)) if bound.count(name) == 1:
                taken.add(name)
    nexts = [name for each in statements for name in _of_next(each)]
    taken |= {name for name in nexts if nexts.count(name) == bound.count(name)}
    for node in (node for each in function.body for node in walk(each)):
        match node:
            case ast.Yield(value=ast.Name(id=name)) | ast.Return(value=ast.Name(id=name)) if name in taken:
                if not _only_gives(function, name):
                    return False
            case ast.Yield():
                return False
            case ast.Return(value=ast.Call(func=ast.Name(id="iter" | "next"), args=[given, *_])) if (
                dotted(given) is not None
            ):
                pass
            case ast.Return(value=ast.Name(id="self") | None):
                pass
            case ast.Return(value=ast.Call(func=ast.Attribute(attr="__iter__" | "__next__"))):
                pass
            case ast.Return():
                return False
    return True


def _only_gives(function: ast.FunctionDef, name: str) -> bool:
    """Whether a function does nothing else with what it has under a name than to give it, or to ask for its
    length: it may store other tensors in it, or hand it to what does."""
    asked: set[int] = set()
    for node in walk(function):
        match node:
            case (
                ast.Yield(value=ast.Name() as given)
                | ast.Return(value=ast.Name() as given)
                | ast.Call(func=ast.Name(id="len"), args=[ast.Name() as given])
            ):
                asked.add(id(given))
    return not is_read(name, function, asked)


def _of_next(statement: ast.stmt) -> list[str]:
    """The names that a statement gives to what is next."""
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call(func=ast.Name(id="next"))):
            return [name]
    return []


def _gives(statement: ast.stmt, name: str) -> bool:
    match statement:
        case ast.Expr(value=ast.Yield(value=ast.Name(id=given))):
            return given == name
    return False
