"""Takes a seed modulo 2**32, which is as much as NumPy accepts."""

from __future__ import annotations

import re

import libcst as cst

from dlint.finding import Finding
from dlint.rewriting.edits import Edits
from dlint.rewriting.refusal import CannotRepair
from dlint.rewriting.source import Source

# A remainder that keeps all of the 32 bits.
_POWER = re.compile(r".*% *\(?2 ?\*\* ?(?:3[3-9]|[4-9][0-9])\)?", re.DOTALL)
_LOOSE = (
    cst.BinaryOperation | cst.UnaryOperation | cst.IfExp | cst.BooleanOperation | cst.Comparison | cst.Lambda
)


def repair(source: Source, finding: Finding, edits: Edits) -> None:
    """Make the argument of the seeding call fit; what else the seed is used for keeps its 64 bits."""
    call = source.at(finding, cst.Call)
    argument = call.args[0] if len(call.args) == 1 else None
    if argument is None or argument.star:
        raise CannotRepair("the seed is not one plain argument: pass torch.initial_seed() % 2**32")
    value = argument.value
    if isinstance(value, cst.BinaryOperation) and _POWER.fullmatch(source.code(value)):
        edits.replace(value.right, cst.parse_expression("2**32"), key="range")  # of what was `% 2**64`
        return

    def change(node: cst.BaseExpression) -> cst.BaseExpression:
        if isinstance(node, _LOOSE) and not node.lpar:
            node = node.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
        return cst.BinaryOperation(node, cst.Modulo(), cst.parse_expression("2**32"))

    edits.change(value, change, key="range")
