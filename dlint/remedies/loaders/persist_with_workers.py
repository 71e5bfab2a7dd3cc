"""Has a loader keep its workers only where it has any: without, its constructor raised."""

from __future__ import annotations

import libcst as cst

from dlint.finding import Finding
from dlint.knowledge.loading import SIGNATURE
from dlint.rewriting.edits import Edits
from dlint.rewriting.pieces.arguments import argument_index, both
from dlint.rewriting.refusal import CannotRepair
from dlint.rewriting.source import Source

_BY_HAND = "give the number of workers a name, and write persistent_workers=name > 0"


def repair(source: Source, finding: Finding, edits: Edits) -> None:
    """Write ``persistent_workers=args.workers > 0``, of whatever the loader gets as ``num_workers``."""
    call = source.at(finding, cst.Call)
    persistent, number = _argument(call, "persistent_workers"), _argument(call, "num_workers")
    if not _is_asked_again(number):
        raise CannotRepair(_BY_HAND)
    above: cst.BaseExpression = cst.Comparison(
        number.deep_clone(), [cst.ComparisonTarget(cst.GreaterThan(), cst.Integer("0"))]
    )
    if not (isinstance(persistent, cst.Name) and persistent.value == "True"):
        above = both(persistent, above)
    edits.replace(persistent, above)


def _argument(call: cst.Call, name: str) -> cst.BaseExpression:
    index = argument_index(call, name, SIGNATURE)
    if index is None:
        raise CannotRepair(f"{name} is not set in this call: {_BY_HAND}")
    return call.args[index].value


def _is_asked_again(number: cst.BaseExpression) -> bool:
    """Whether an expression is the same when it is asked for a second time: a variable, an attribute, an
    entry under a key that is written out, ``cfg.get("workers", 0)``."""
    match number:
        case cst.Name():
            return True
        case cst.Attribute(value=held):
            return _is_asked_again(held)
        case cst.Subscript(value=held, slice=[cst.SubscriptElement(slice=cst.Index(value=key))]):
            return _is_written_out(key) and _is_asked_again(held)
        case cst.Call(func=cst.Attribute(value=held, attr=cst.Name(value="get")), args=args):
            return all(_is_written_out(each.value) for each in args) and _is_asked_again(held)
    return False


def _is_written_out(node: cst.BaseExpression) -> bool:
    return isinstance(node, cst.SimpleString | cst.Integer)
