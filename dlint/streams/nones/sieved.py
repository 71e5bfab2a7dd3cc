"""Functions whose results a constructor has tested, item by item, to choose what it keeps."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.source.nodes import walk
from dlint.source.statements import dotted
from dlint.values.frame import Arguments, Point
from dlint.values.values import Function

if TYPE_CHECKING:
    from dlint.calls.evaluator import Evaluator
    from dlint.values.values import Instance


def sieved(evaluator: Evaluator, instance: Instance) -> frozenset[str]:
    """The functions, as they are called there, by whose results the constructor of an object chooses its
    items, itself or in a method that it calls, and those that these ask in turn (``self.is_readable(path)``
    for ``self.read(path) is not None``)."""
    names = set[str]()
    for constructor in evaluator.classes.methods(instance, "__init__"):
        _choose(evaluator, constructor, names)
        for call in _calls(constructor.node):
            holder, _, name = (dotted(call.func) or "").rpartition(".")
            if holder == "self" and name not in names:
                for method in evaluator.classes.methods(instance, name):
                    _choose(evaluator, method, names)
    return frozenset(names)


def _choose(evaluator: Evaluator, function: Function, names: set[str]) -> None:
    tested = list(_tested(function.node))
    names.update(map(called, tested))
    frame = evaluator.calls.enter(function, Arguments(), None, None)
    for call in tested:
        evaluator.start()
        for value, _ in evaluator.values(call.func, Point(frame, None)):
            if isinstance(value, Function):
                names.update(map(called, _calls(value.node)))


def _tested(function: ast.AST) -> Iterator[ast.Call]:
    """The calls whose results a loop of a function, or a ``filter``, tests."""
    for loop in walk(function):
        tests: list[ast.expr] = []
        match loop:
            case ast.Call(func=ast.Name(id="filter"), args=[ast.Lambda(body=test), _]):
                tests = [test]
            case ast.Call(func=ast.Name(id="filter"), args=[ast.Name() | ast.Attribute() as tester, _]):
                yield ast.copy_location(ast.Call(tester, [], []), loop)
        if isinstance(loop, ast.comprehension):
            tests = loop.ifs
        elif isinstance(loop, ast.For):
            tests = [node.test for node in walk(loop) if isinstance(node, ast.If)]
        tested = [node for test in tests for node in walk(test)]
        names = {node.id for node in tested if isinstance(node, ast.Name)}
        results: list[ast.AST] = [*tested]
        for node in walk(loop) if names else ():
            match node:
                case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call() as call) if name in names:
                    results.append(call)
        yield from (result for result in results if isinstance(result, ast.Call))


def called(call: ast.Call) -> str:
    """What a call calls, as it is written. What is an attribute later on is a variable in a constructor."""
    return (dotted(call.func) or "").removeprefix("self.")


def _calls(function: ast.AST) -> Iterator[ast.Call]:
    return (node for node in walk(function) if isinstance(node, ast.Call))
