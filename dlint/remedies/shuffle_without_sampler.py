"""Has a loader shuffle only where it has no sampler: where it had both, its constructor raised."""

from __future__ import annotations

import libcst as cst

from dlint.finding import Finding
from dlint.knowledge.loading import SIGNATURE
from dlint.rewriting.arguments import argument_index
from dlint.rewriting.edits import CannotRepair, Edits
from dlint.rewriting.source import Source

_BY_HAND = "write shuffle=sampler is None, so that only one of the two is given"
_BINDS = (cst.Name, cst.Attribute, cst.Subscript, cst.Call)


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
    if isinstance(shuffle, cst.Name) and shuffle.value == "True":
        edits.replace(shuffle, absent)
        return
    negated = isinstance(shuffle, cst.UnaryOperation) and isinstance(shuffle.operator, cst.Not)
    plain = shuffle.expression if negated and isinstance(shuffle, cst.UnaryOperation) else shuffle
    if not isinstance(plain, _BINDS):
        raise CannotRepair(_BY_HAND)
    edits.replace(shuffle, cst.BooleanOperation(shuffle.deep_clone(), cst.And(), absent))


def _argument(call: cst.Call, name: str) -> cst.Arg:
    index = argument_index(call, name, SIGNATURE)
    if index is None:
        raise CannotRepair(f"{name} is not set in this call: {_BY_HAND}")
    return call.args[index]
