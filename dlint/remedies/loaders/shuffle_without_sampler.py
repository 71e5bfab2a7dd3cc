"""Has a loader shuffle only where it has no sampler: where it had both, its constructor raised."""

from __future__ import annotations

import libcst as cst

from dlint.finding import Finding
from dlint.knowledge.loading import SIGNATURE
from dlint.rewriting.edits import Edits
from dlint.rewriting.pieces.arguments import argument_index, both
from dlint.rewriting.pieces.room import refit
from dlint.rewriting.refusal import CannotRepair
from dlint.rewriting.source import Source

_BY_HAND = "write shuffle=sampler is None, so that only one of the two is given"


def repair(source: Source, finding: Finding, edits: Edits) -> None:
    """Write ``shuffle=sampler is None``, or ``shuffle=shuffle and sampler is None``."""
    call = source.at(finding, cst.Call)
    sampler = _argument(call, "sampler").value
    shuffle = _argument(call, "shuffle").value
    if not isinstance(sampler, cst.Name | cst.Attribute) or any(
        True for _ in source.descendants(sampler, cst.Call, cst.Subscript)
    ):
        raise CannotRepair("give the sampler a name, and write shuffle=name is None")
    absent: cst.BaseExpression = cst.Comparison(
        sampler.deep_clone(), [cst.ComparisonTarget(cst.Is(), cst.Name("None"))]
    )
    if not (isinstance(shuffle, cst.Name) and shuffle.value == "True"):
        absent = both(shuffle, absent)
    edits.replace(shuffle, absent)
    at = next(i for i, each in enumerate(call.args) if each.value is shuffle)
    refit(source, edits, call, {at: len(cst.Module([]).code_for_node(absent)) - len(source.code(shuffle))})


def _argument(call: cst.Call, name: str) -> cst.Arg:
    index = argument_index(call, name, SIGNATURE)
    if index is None:
        raise CannotRepair(f"{name} is not set in this call: {_BY_HAND}")
    return call.args[index]
