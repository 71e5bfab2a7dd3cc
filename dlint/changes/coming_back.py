"""Whether a task that a method hands to a pool may call the method again.

A method that keeps its pool would then wait, in a thread of the pool, for a thread of the pool. The calls
that can be followed are; beyond them, whatever may hand the object itself on is taken to come back.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.changes.stores import Kin
from dlint.source.nodes import walk
from dlint.source.statements import functions_in, parameters
from dlint.values.frame import Point
from dlint.values.values import Function, Partial
from dlint.workers.worker import WorkerCode

if TYPE_CHECKING:
    from dlint.program.program import Program

_Method = ast.FunctionDef | ast.AsyncFunctionDef
# What tells something about an object, and calls none of its methods.
_LOOKS = frozenset({"hasattr", "id", "isinstance", "type"})


def comes_back(program: Program, kin: Kin, own: ast.FunctionDef, call: ast.Call, point: Point) -> bool:
    """Whether a task of ``call``, by which the method ``own`` of a class with this kin hands a pool work,
    may come to ``own``."""
    followed = WorkerCode(program.evaluator)
    for task, _ in program.evaluator.values(call.args[0], point) if call.args else ():
        if isinstance(task, Function | Partial):
            followed.add_callable(task, "task", point.frame.module, call.lineno)
    question = _Question(kin, own)
    return question.reaches(call, [visit.function.node for visit in followed.visits])


class _Question:
    def __init__(self, kin: Kin, own: ast.FunctionDef) -> None:
        self._own = own
        self._methods: dict[str, list[tuple[_Method, ast.ClassDef]]] = {}
        self._classes: dict[int, ast.ClassDef] = {id(own): kin.cls.node}
        for cls in kin.classes:
            for method in functions_in(cls.node.body):
                self._methods.setdefault(method.name, []).append((method, cls.node))
                self._classes[id(method)] = cls.node
        self._kin = {cls.node.name for cls in kin.classes}
        self._locals: dict[str, list[ast.AST]] = {}
        for node in walk(own):
            match node:
                case ast.FunctionDef(name=name) if node is not own:
                    self._locals.setdefault(name, []).append(node)
                case ast.Assign(targets=targets, value=value):
                    for target in targets:
                        if isinstance(target, ast.Name):
                            self._locals.setdefault(target.id, []).append(value)

    def reaches(self, call: ast.Call, followed: list[ast.AST]) -> bool:
        """Whether what a call hands on, or a function that it was followed to, leads to the method."""
        inside = {id(node) for node in walk(self._own)}
        waiting = [call, *(each for each in followed if id(each) in inside or id(each) in self._classes)]
        if any(each is self._own for each in waiting):
            return True
        seen: set[int] = set()
        while waiting:
            node = waiting.pop()
            if id(node) in seen:
                continue
            seen.add(id(node))
            for led in self._leads(node):
                if led is None or led is self._own:
                    return True
                waiting.append(led)
        return False

    def _leads(self, node: ast.AST) -> Iterator[ast.AST | None]:
        """The methods and local functions that a piece of code may call; None for all there are."""
        method = node if id(node) in self._classes and isinstance(node, _Method) else self._own
        cls = self._classes[id(method)]
        receiver = next((each.arg for each in parameters(method)), "")
        told: set[int] = set()
        for each in walk(node):
            match each:
                case ast.Attribute(value=ast.Name(id=name) as base, attr=attr) if (
                    name == receiver or name in self._kin
                ):
                    told.add(id(base))
                    yield from (found for found, _ in self._methods.get(attr, ()))
                case ast.Attribute(value=ast.Call(func=ast.Name(id="super"), args=given), attr=attr):
                    told.update(map(id, given))
                    yield from (found for found, home in self._methods.get(attr, ()) if home is not cls)
                case ast.Subscript(value=ast.Name(id=name) as base) if name == receiver:
                    told.add(id(base))
                    yield from (found for found, _ in self._methods.get("__getitem__", ()))
                case ast.Call(func=ast.Name(id="len"), args=[ast.Name(id=name) as base]) if name == receiver:
                    told.add(id(base))
                    yield from (found for found, _ in self._methods.get("__len__", ()))
                case ast.Call(func=ast.Name(id=name), args=[ast.Name() as base, *_]) if name in _LOOKS:
                    told.add(id(base))
                case ast.Call(
                    func=ast.Name(id="getattr"),
                    args=[ast.Name(id=name) as base, ast.Constant(value=attr), *_],
                ) if name == receiver:
                    told.add(id(base))
                    yield from (found for found, _ in self._methods.get(str(attr), ()))
                case ast.Name(id=name, ctx=ast.Load()) if id(each) not in told:
                    if name == receiver:
                        yield None
                    elif node is not self._own and method is self._own:
                        yield from self._locals.get(name, ())
