"""The walk through a function of worker code: the statements and expressions that can run.

It goes in order, and leaves aside the branches that the known values rule out. What a call, an item, a loop,
a `with` or a property leads into is for the worker code to say.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from dlint.budget import spend
from dlint.module.layout import as_try, ends, expressions
from dlint.module.nodes import walk
from dlint.program.frame import Frame, Point
from dlint.program.reach import Link
from dlint.program.values import Instance, World

if TYPE_CHECKING:
    from dlint.program.evaluate import Evaluator
    from dlint.program.worker import WorkerCode


class Walk:
    """Goes through blocks and expressions for one worker code."""

    def __init__(self, evaluator: Evaluator, code: WorkerCode) -> None:
        self._evaluator = evaluator
        self._leads = evaluator.leads
        self._code = code

    def block(self, block: list[ast.stmt], frame: Frame, world: World, link: Link) -> World | None:
        """Follows a block; gives the world at its end, None when control does not get there."""
        for statement in block:
            spend(2)
            at = Point(frame, statement)
            if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                continue
            if isinstance(statement, ast.If):
                if not (self._leads.statement(statement, frame) or self._has_properties(frame)):
                    continue
                after = self._branches(statement, at, world, link)
                if after is None:
                    return None
                world = after
                continue
            for expression in expressions(statement):
                self.expression(expression, at, world, link)
            match statement:
                case ast.Return() | ast.Raise() | ast.Continue() | ast.Break():
                    return None
                case ast.For() | ast.AsyncFor():
                    self._code.met_iteration(statement.iter, at, world, link)
                    self.block(statement.body, frame, world, link)
                    self.block(statement.orelse, frame, world, link)
                case ast.While():
                    self.block(statement.body, frame, world, link)
                    self.block(statement.orelse, frame, world, link)
                    if isinstance(statement.test, ast.Constant) and not _breaks(statement.body):
                        return None
                case ast.With() | ast.AsyncWith():
                    for item in statement.items:
                        self._code.met_context(item.context_expr, at, world, link)
                    if self.block(statement.body, frame, world, link) is None and ends(statement.body):
                        return None
                case ast.Match():
                    for case in statement.cases:
                        self.block(case.body, frame, world, link)
                case _:
                    attempt = as_try(statement)
                    if attempt is not None:
                        self._attempt(attempt, frame, world, link)
        return world

    def _in_worker(self, results: list[tuple[bool, World]]) -> list[tuple[bool, World]]:
        """What a test may come out as where ``get_worker_info()`` is not None."""
        infos = self._evaluator.library.worker_infos
        return [
            (result, w)
            for result, w in results
            if not any(w.known(("none", key)) or w.known(("truth", key)) is False for key in infos)
        ]

    def _attempt(self, statement: ast.Try, frame: Frame, world: World, link: Link) -> None:
        self.block(statement.body, frame, world, link)
        for handler in statement.handlers:
            self.block(handler.body, frame, world, link)
        self.block(statement.orelse, frame, world, link)
        self.block(statement.finalbody, frame, world, link)

    def _branches(self, statement: ast.If, at: Point, world: World, link: Link) -> World | None:
        self.expression(statement.test, at, world, link)
        results = self._in_worker(self._evaluator.truth(statement.test, at, world))
        after: World | None = None
        open_ways = 0
        for wanted, block in ((True, statement.body), (False, statement.orelse)):
            assumed = next((w for result, w in results if result is wanted), None)
            if assumed is None:
                continue
            end = self.block(block, at.frame, assumed, link)
            if end is not None:
                open_ways += 1
                after = end
        return world if open_ways == 2 else after

    def expression(self, node: ast.expr, at: Point, world: World, link: Link) -> None:
        """Follows the calls of an expression, inner ones first."""
        if not self._matters(node, at):
            return
        match node:
            case ast.ListComp() | ast.SetComp() | ast.GeneratorExp() | ast.DictComp():
                for generator in node.generators:
                    self.expression(generator.iter, at, world, link)
                    self._code.met_iteration(generator.iter, at, world, link)
                inside = self._evaluator.inside(node, at)
                parts = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
                for part in [*parts, *(test for g in node.generators for test in g.ifs)]:
                    self.expression(part, inside, world, link)
                return
            case ast.IfExp():
                self.expression(node.test, at, world, link)
                if not (self._matters(node.body, at) or self._matters(node.orelse, at)):
                    return
                for result, w in self._in_worker(self._evaluator.truth(node.test, at, world))[:2]:
                    self.expression(node.body if result else node.orelse, at, w, link)
                return
            case ast.BoolOp():
                going = isinstance(node.op, ast.And)
                for index, operand in enumerate(node.values):
                    self.expression(operand, at, world, link)
                    if not any(self._matters(later, at) for later in node.values[index + 1 :]):
                        return
                    results = self._evaluator.truth(operand, at, world)
                    if all(result is not going for result, _ in results):
                        return  # the rest is not looked at
                return
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                self.expression(child, at, world, link)
            elif isinstance(child, ast.keyword):
                self.expression(child.value, at, world, link)
        if isinstance(node, ast.Call):
            self._code.met_call(node, at, world, link)
        elif isinstance(node, ast.Subscript) and isinstance(node.value, ast.Attribute | ast.Name):
            self._code.met_subscript(node, at, world, link)
        elif isinstance(node, ast.Attribute):
            self._code.met_attribute(node, at, world, link)
        elif isinstance(node, ast.YieldFrom):
            self._code.met_iteration(node.value, at, world, link)

    def _matters(self, node: ast.expr, at: Point) -> bool:
        """Whether anything of an expression is worth following here."""
        return self._leads.expression(node, at.frame) or self._has_properties(at.frame)

    def _has_properties(self, frame: Frame) -> bool:
        """Whether what leads nowhere by its text may still read a property of the receiver."""
        receiver = frame.receiver
        return isinstance(receiver, Instance) and bool(self._evaluator.classes.properties(receiver.cls))


def _breaks(block: list[ast.stmt]) -> bool:
    return any(isinstance(node, ast.Break) for statement in block for node in walk(statement))
