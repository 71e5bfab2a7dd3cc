"""From a node of the analysis' tree to the same node of the tree that is edited."""

from __future__ import annotations

import ast
from typing import Any

import libcst as cst

from dlint.rewriting.refusal import CannotRepair
from dlint.rewriting.source import Source
from dlint.source.module import Module


class Counterparts:
    """Finds nodes of one file of the program in its :class:`Source`."""

    def __init__(self, source: Source, module: Module) -> None:
        self._source = source
        self._module = module

    def of(self, node: ast.AST, within: cst.CSTNode, *types: type[Any]) -> Any:
        """The smallest node of ``types`` inside ``within`` that holds all of ``node`` (parentheses around it
        belong to it in the one tree and not in the other)."""
        assert isinstance(node, ast.expr | ast.stmt)
        start = (node.lineno, self._module.column(node.lineno, node.col_offset))
        last = node.end_lineno or node.lineno
        end = (last, self._module.column(last, node.end_col_offset or 0))
        best: cst.CSTNode | None = None
        size: tuple[int, int] | None = None
        for each in self._source.descendants(within, *types):
            (line, column), (end_line, end_column) = self._source.range(each)
            begins = (self._source.line_in_file(line), column + 1)
            ends = (self._source.line_in_file(end_line), end_column + 1)
            if begins <= start and end <= ends:
                mine = (ends[0] - begins[0], ends[1] - begins[1])
                if size is None or mine <= size:
                    best, size = each, mine
        if best is None:
            raise CannotRepair("the code at this place is not of a shape that dlint can edit")
        return best
