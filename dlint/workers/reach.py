"""Reach: the chain of calls from a worker entry to a place."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dlint.finding import ReachStep
from dlint.source.module import Module
from dlint.values.frame import Point
from dlint.values.values import Function


class Link:
    """One step of a reach; ``above`` is the step that led here, ``caller`` the place of the call in it
    (None where a library calls), ``site`` the node there that leads on: a call, an item, a callback.
    ``function`` is what is called, None for what a loader was given."""

    __slots__ = ("above", "caller", "function", "length", "line", "module", "name", "site")

    def __init__(
        self,
        above: Link | None,
        name: str,
        module: Module,
        line: int,
        caller: Point | None = None,
        site: ast.AST | None = None,
        function: Function | None = None,
    ) -> None:
        self.above = above
        self.name = name
        self.module = module
        self.line = line
        self.caller = caller
        self.site = site
        self.function = function
        self.length: int = above.length + 1 if above else 1

    def calls(self) -> Iterator[tuple[ast.AST | None, Point]]:
        """The calls that led here, with their places, the nearest first."""
        link: Link | None = self
        while link is not None:
            if link.caller is not None:
                yield link.site, link.caller
            link = link.above

    def steps(self, last: str, module: Module, node: ast.AST) -> tuple[ReachStep, ...]:
        """The chain as data, ended by the call ``last`` at ``node``."""
        steps = [ReachStep(last, module.relative, getattr(node, "lineno", 1))]
        link: Link | None = self
        while link is not None:
            steps.append(ReachStep(link.name, link.module.relative, link.line))
            link = link.above
        return tuple(reversed(steps))
