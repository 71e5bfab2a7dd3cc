"""Functions whose results a constructor has tested, item by item, to choose what it keeps."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.module.layout import dotted

if TYPE_CHECKING:
    from dlint.program.evaluate import Evaluator
    from dlint.program.values import Instance


def sieved(evaluator: Evaluator, instance: Instance) -> frozenset[str]:
    """The functions, as they are called there, by whose results the constructor of an object chooses its
    items, itself or in a method that it calls."""
    names = set[str]()
    for constructor in evaluator.classes.methods(instance, "__init__"):
        names.update(_chosen_by(constructor.node))
        for call in _calls(constructor.node):
            holder, _, name = (dotted(call.func) or "").rpartition(".")
            if holder == "self" and name not in names:
                for method in evaluator.classes.methods(instance, name):
                    names.update(_chosen_by(method.node))
    return frozenset(names)


def _chosen_by(function: ast.AST) -> Iterator[str]:
    for loop in ast.walk(function):
        tests: list[ast.expr] = []
        if isinstance(loop, ast.comprehension):
            tests = loop.ifs
        elif isinstance(loop, ast.For):
            tests = [node.test for node in ast.walk(loop) if isinstance(node, ast.If)]
        tested = [node for test in tests for node in ast.walk(test)]
        names = {node.id for node in tested if isinstance(node, ast.Name)}
        results: list[ast.AST] = [*tested]
        for node in ast.walk(loop) if names else ():
            match node:
                case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call() as call) if name in names:
                    results.append(call)
        for result in results:
            if isinstance(result, ast.Call):
                yield called(result)


def called(call: ast.Call) -> str:
    """What a call calls, as it is written. What is an attribute later on is a variable in a constructor."""
    return (dotted(call.func) or "").removeprefix("self.")


def _calls(function: ast.AST) -> Iterator[ast.Call]:
    return (node for node in ast.walk(function) if isinstance(node, ast.Call))
