"""Functions of the program: what stands in their bodies, and what a reader calls them."""

from __future__ import annotations

import ast

from dlint.source.statements import FunctionNode, parameters
from dlint.values.frame import layout_of
from dlint.values.values import Function


def function_body(node: FunctionNode | ast.Lambda) -> tuple[ast.AST, ...]:
    """All nodes of a function, those of functions inside it left aside."""
    return layout_of(node).nodes


def is_generator(node: FunctionNode) -> bool:
    """Whether calling a function gives a generator."""
    return any(isinstance(inner, ast.Yield | ast.YieldFrom) for inner in function_body(node))


def display_name(function: Function) -> str:
    """What a reader calls a function: ``VOCDataset.__getitem__``, ``load_image``."""
    name = getattr(function.node, "name", "lambda")
    if function.owner is not None:
        return f"{function.owner.name}.{name}"
    return name


def given_names(function: Function) -> list[str]:
    """The parameters of a function, in order, without the receiver that a method has already."""
    names = [parameter.arg for parameter in parameters(function.node)]
    return names[1:] if function.receiver is not None else names


def passed(function: Function, call: ast.Call) -> dict[str, ast.expr]:
    """The expressions that a call gives to a function's parameters, as far as they are written out."""
    given: dict[str, ast.expr] = {}
    for name, argument in zip(given_names(function), call.args, strict=False):
        if isinstance(argument, ast.Starred):
            break
        given[name] = argument
    given.update({keyword.arg: keyword.value for keyword in call.keywords if keyword.arg is not None})
    return given
