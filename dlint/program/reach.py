"""Reach: the chain of calls from a worker entry to a place."""

from __future__ import annotations

import ast

from dlint.finding import ReachStep
from dlint.module.source import Module


class Link:
    """One step of a reach; ``above`` is the step that led here."""

    __slots__ = ("above", "length", "line", "module", "name")

    def __init__(self, above: Link | None, name: str, module: Module, line: int) -> None:
        self.above = above
        self.name = name
        self.module = module
        self.line = line
        self.length: int = above.length + 1 if above else 1

    def steps(self, last: str, module: Module, node: ast.AST) -> tuple[ReachStep, ...]:
        """The chain as data, ended by the call ``last`` at ``node``."""
        steps = [ReachStep(last, module.relative, getattr(node, "lineno", 1))]
        link: Link | None = self
        while link is not None:
            steps.append(ReachStep(link.name, link.module.relative, link.line))
            link = link.above
        return tuple(reversed(steps))
