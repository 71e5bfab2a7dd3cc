"""Gives a loader what only workers have, kept ones and their options, only where it has any: without, its
constructor raised."""

from __future__ import annotations

import libcst as cst

from dlint.finding import Finding
from dlint.knowledge.loading import SIGNATURE
from dlint.rewriting.edits import Edits
from dlint.rewriting.pieces.arguments import alone, argument_index, both
from dlint.rewriting.pieces.options import Options, break_long, options_of, value_in
from dlint.rewriting.pieces.room import refit
from dlint.rewriting.refusal import CannotRepair
from dlint.rewriting.source import Source

_BY_HAND = "give the number of workers a name, and {name} only where that is above 0"
# What each is where it is not given.
_NOTHING = {"prefetch_factor": "None", "multiprocessing_context": "None", "timeout": "0"}


def repair(source: Source, finding: Finding, edits: Edits) -> None:
    """Write ``persistent_workers=args.workers > 0``, ``prefetch_factor=4 if args.workers > 0 else None``, of
    whatever the loader gets as ``num_workers``."""
    call = source.at(finding, cst.Call)
    names = list(finding.remedy.data.get("arguments", ())) if finding.remedy else []
    options = options_of(source, call, "num_workers", by_all=True)
    written = options if isinstance(options, cst.Call) else call
    grown: dict[int, int] = {}
    more = 0
    for name in names or ["persistent_workers"]:
        given, number = _argument(call, name, options), _argument(call, "num_workers", options)
        if not _is_asked_again(number):
            raise CannotRepair(_BY_HAND.format(name=name))
        above: cst.BaseExpression = cst.Comparison(
            number.deep_clone(), [cst.ComparisonTarget(cst.GreaterThan(), cst.Integer("0"))]
        )
        if name in _NOTHING:
            above = cst.IfExp(above, alone(given), cst.parse_expression(_NOTHING[name]))
        elif not (isinstance(given, cst.Name) and given.value == "True"):
            above = both(given, above)
        edits.replace(given, above)
        at = next((i for i, each in enumerate(written.args) if each.value is given), None)
        longer = len(cst.Module([]).code_for_node(above)) - len(source.code(given))
        more += longer
        if at is not None:
            grown[at] = longer
    refit(source, edits, written, grown)
    if isinstance(options, cst.Dict):
        break_long(source, edits, options, more)


def _argument(call: cst.Call, name: str, options: Options | None) -> cst.BaseExpression:
    """What a call gives, itself or in the dict that has the number of workers."""
    value = value_in(options, name) if options is not None else None
    if value is not None:
        return value
    index = argument_index(call, name, SIGNATURE) if options is None else None
    if index is None:
        raise CannotRepair(f"{name} is not set in this call: {_BY_HAND.format(name=name)}")
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
