"""Gives a pool of threads a size: without one, every worker starts a thread for every core and more."""

from __future__ import annotations

import libcst as cst

from dlint.finding import Finding
from dlint.rewriting.edits import Edits
from dlint.rewriting.pieces.arguments import keyword, with_keyword
from dlint.rewriting.refusal import CannotRepair
from dlint.rewriting.source import Source

_SMALL = 4


def repair(source: Source, finding: Finding, edits: Edits) -> None:
    """Write the size into the call that makes the pool."""
    call = source.at(finding, cst.Call)
    bound = cst.Integer(str(finding.remedy.data.get("bound", _SMALL) if finding.remedy else _SMALL))
    name = source.code(call.func).rpartition(".")[2]
    meant = (source.qualified(call.func) or name).rpartition(".")[2]
    size = {"ThreadPoolExecutor": "max_workers", "ThreadPool": "processes"}.get(meant)
    if size is None or any(arg.star for arg in call.args):
        raise CannotRepair("give the pool an explicit, small size")
    first = call.args[0] if call.args and call.args[0].keyword is None else keyword(call, size)
    if first is None:
        if not call.args and meant == "ThreadPool":
            edits.change(call, lambda node: node.with_changes(args=[cst.Arg(bound)]), key="bound")
        else:
            edits.change(call, lambda node: with_keyword(node, size, bound), key="bound")
        return
    if not _is_all_cores(source, first.value):
        raise CannotRepair("others may give this size: give the pool a small one where they give none")
    edits.replace(first.value, bound, key="bound")


def _is_all_cores(source: Source, size: cst.BaseExpression) -> bool:
    """Whether a size is no size: None, or the number of cores."""
    if isinstance(size, cst.Call):
        return source.code(size.func).rpartition(".")[2] == "cpu_count"
    return isinstance(size, cst.Name) and size.value == "None"
