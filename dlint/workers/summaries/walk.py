"""The walk through a function of worker code: the statements and expressions that can run.

It goes in order, and leaves aside the branches that the known values rule out. What a call, an item, a loop,
a `with` or a property leads into is for the meeting to say.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from dlint.budget.budget import spend
from dlint.evaluation.paths.decisions import few
from dlint.source.nodes import children, walk
from dlint.source.statements import as_try, ends, expressions
from dlint.values.frame import Frame, Point
from dlint.values.values import Instance
from dlint.values.worlds import World

if TYPE_CHECKING:
    from dlint.calls.evaluator import Evaluator
    from dlint.workers.summaries.meeting import Meeting


class Walk:
    """Goes through blocks and expressions for one function."""

    def __init__(self, evaluator: Evaluator, meeting: Meeting) -> None:
        self._evaluator = evaluator
        self._leads = evaluator.leads
        self._meeting = meeting

    def block(self, block: list[ast.stmt], frame: Frame, worlds: list[World]) -> list[World]:
        """Follows a block; gives the worlds at its end, none when control does not get there."""
        for statement in block:
            spend(2)
            at = Point(frame, statement)
            if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                continue
            if isinstance(statement, ast.If):
                if not (self._leads.statement(statement, frame) or self._has_properties(frame)):
                    continue
                worlds = self._branches(statement, at, worlds)
                if not worlds:
                    return []
                continue
            for expression in expressions(statement):
                self.expression(expression, at, worlds)
            match statement:
                case ast.Return() | ast.Raise() | ast.Continue() | ast.Break():
                    return []
                case ast.For() | ast.AsyncFor():
                    for world in worlds:
                        self._meeting.iteration(statement.iter, at, world)
                    self.block(statement.body, frame, worlds)
                    self.block(statement.orelse, frame, worlds)
                case ast.While():
                    self.block(statement.body, frame, worlds)
                    self.block(statement.orelse, frame, worlds)
                    if isinstance(statement.test, ast.Constant) and not _breaks(statement.body):
                        return []
                case ast.With() | ast.AsyncWith():
                    for item in statement.items:
                        for world in worlds:
                            self._meeting.context(item.context_expr, at, world)
                    if not self.block(statement.body, frame, worlds) and ends(statement.body):
                        return []
                case ast.Match():
                    for case in statement.cases:
                        self.block(case.body, frame, worlds)
                case _:
                    attempt = as_try(statement)
                    if attempt is not None:
                        self._attempt(attempt, frame, worlds)
        return worlds

    def _ways(self, test: ast.expr, at: Point, worlds: list[World]) -> dict[bool, list[World]]:
        """What a test may come out as where ``get_worker_info()`` is not None, and in which worlds."""
        found: dict[bool, list[World]] = {}
        for world in worlds:
            for result, w in self._evaluator.truth(test, at, world):
                if self._evaluator.library.may_be_in_worker(w):
                    found.setdefault(result, []).append(w)
        return {result: few(held) for result, held in found.items()}

    def _attempt(self, statement: ast.Try, frame: Frame, worlds: list[World]) -> None:
        self.block(statement.body, frame, worlds)
        for handler in statement.handlers:
            self.block(handler.body, frame, worlds)
        self.block(statement.orelse, frame, worlds)
        self.block(statement.finalbody, frame, worlds)

    def _branches(self, statement: ast.If, at: Point, worlds: list[World]) -> list[World]:
        self.expression(statement.test, at, worlds)
        ways = self._ways(statement.test, at, worlds)
        ends = [
            self.block(block, at.frame, ways[wanted])
            for wanted, block in ((True, statement.body), (False, statement.orelse))
            if wanted in ways
        ]
        open_ends = [end for end in ends if end]
        return worlds if len(open_ends) == 2 else open_ends[0] if open_ends else []

    def expression(self, node: ast.expr, at: Point, worlds: list[World]) -> None:
        """Follows the calls of an expression, inner ones first."""
        if not self._matters(node, at):
            return
        match node:
            case ast.ListComp() | ast.SetComp() | ast.GeneratorExp() | ast.DictComp():
                inside = self._evaluator.inside(node, at)
                for which, generator in enumerate(node.generators):
                    place = inside if which else at  # the second goes through what the first has
                    self.expression(generator.iter, place, worlds)
                    for world in worlds:
                        self._meeting.iteration(generator.iter, place, world)
                parts = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
                for part in [*parts, *(test for g in node.generators for test in g.ifs)]:
                    self.expression(part, inside, worlds)
                return
            case ast.IfExp():
                self.expression(node.test, at, worlds)
                if not (self._matters(node.body, at) or self._matters(node.orelse, at)):
                    return
                for result, ways in self._ways(node.test, at, worlds).items():
                    self.expression(node.body if result else node.orelse, at, ways)
                return
            case ast.BoolOp():
                going = isinstance(node.op, ast.And)
                for index, operand in enumerate(node.values):
                    self.expression(operand, at, worlds)
                    if not any(self._matters(later, at) for later in node.values[index + 1 :]):
                        return
                    results = [self._evaluator.truth(operand, at, world) for world in worlds]
                    worlds = few([w for each in results for result, w in each if result is going])
                    if not worlds:
                        return  # the rest is not looked at
                return
        for child in children(node):
            if isinstance(child, ast.expr):
                self.expression(child, at, worlds)
            elif isinstance(child, ast.keyword):
                self.expression(child.value, at, worlds)
        for world in worlds:
            if isinstance(node, ast.Call):
                self._meeting.call(node, at, world)
            elif isinstance(node, ast.Subscript) and (
                isinstance(node.value, ast.Attribute | ast.Name)
                or self._leads.may_be_object(node.value, at.frame)
            ):
                self._meeting.subscript(node, at, world)
            elif isinstance(node, ast.Attribute):
                self._meeting.attribute(node, at, world)
            elif isinstance(node, ast.YieldFrom | ast.Starred):
                self._meeting.iteration(node.value, at, world)
            self._meeting.operation(node, at, world)

    def _matters(self, node: ast.expr, at: Point) -> bool:
        """Whether anything of an expression is worth following here."""
        return self._leads.expression(node, at.frame) or self._has_properties(at.frame)

    def _has_properties(self, frame: Frame) -> bool:
        """Whether what leads nowhere by its text may still read a property of the receiver."""
        receiver = frame.receiver
        return isinstance(receiver, Instance) and bool(self._evaluator.classes.properties(receiver.cls))


def _breaks(block: list[ast.stmt]) -> bool:
    return any(isinstance(node, ast.Break) for statement in block for node in walk(statement))
