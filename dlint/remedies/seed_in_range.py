"""Takes a seed modulo 2**32, which is as much as NumPy accepts."""

from __future__ import annotations

import libcst as cst

from dlint.finding import Finding
from dlint.rewriting.edits import CannotRepair, Edits
from dlint.rewriting.source import Source

_LOOSE = (
    cst.BinaryOperation | cst.UnaryOperation | cst.IfExp | cst.BooleanOperation | cst.Comparison | cst.Lambda
)


def repair(source: Source, finding: Finding, edits: Edits) -> None:
    """Make the argument of the seeding call fit; what else the seed is used for keeps its 64 bits."""
    call = source.at(finding, cst.Call)
    argument = call.args[0] if len(call.args) == 1 else None
    if argument is None or argument.star:
        raise CannotRepair("seed with torch.initial_seed() % 2**32")
    value = argument.value
    if isinstance(value, cst.BinaryOperation) and isinstance(value.operator, cst.Modulo):
        # A remainder that is too large: `seed % 2**33`, `seed % (2**64 - 1)`.
        edits.replace(value.right, cst.parse_expression("2**32"), key="range")
        return

    def change(node: cst.BaseExpression) -> cst.BaseExpression:
        if isinstance(node, _LOOSE) and not node.lpar:
            node = node.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
        return cst.BinaryOperation(node, cst.Modulo(), cst.parse_expression("2**32"))

    edits.change(value, change, key="range")
