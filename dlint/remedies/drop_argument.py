"""Takes away the keyword that makes a loader's constructor raise."""

from __future__ import annotations

import libcst as cst

from dlint.finding import Finding
from dlint.rewriting.arguments import without_arguments
from dlint.rewriting.edits import CannotRepair, Edits
from dlint.rewriting.source import Source

# What DataLoader takes by position, and what an argument is when it is not given.
_POSITIONS = ("dataset", "batch_size", "shuffle", "sampler", "batch_sampler")
_DEFAULTS = {"batch_size": "1", "shuffle": "False", "sampler": "None", "batch_sampler": "None"}


def repair(source: Source, finding: Finding, edits: Edits) -> None:
    """Drop ``data["arguments"]`` from the call that the finding points at."""
    call = source.at(finding, cst.Call)
    names = list(finding.remedy.data.get("arguments", ())) if finding.remedy else []
    gone = set()
    for name in names:
        index = _index(call, name)
        if index is None:
            raise CannotRepair(f"{name} is not set in this call: take it away where it is set")
        if call.args[index].keyword is None and index < len(call.args) - 1:
            _to_default(edits, call.args[index], name)
        else:
            gone.add(index)
    if gone:
        edits.change(call, lambda node: without_arguments(node, gone), key=tuple(sorted(gone)))


def _index(call: cst.Call, name: str) -> int | None:
    for index, arg in enumerate(call.args):
        if arg.keyword is not None and arg.keyword.value == name:
            return index
    if name in _POSITIONS and not any(arg.star for arg in call.args):
        position = _POSITIONS.index(name)
        if position < len(call.args) and call.args[position].keyword is None:
            return position
    return None


def _to_default(edits: Edits, arg: cst.Arg, name: str) -> None:
    """Write the default in the place of an argument that others follow by position."""
    edits.replace(arg.value, cst.parse_expression(_DEFAULTS[name]), key="default")
