"""Takes away the keyword that makes a loader's constructor raise."""

from __future__ import annotations

from functools import partial

import libcst as cst

from dlint.finding import Finding
from dlint.knowledge.loading import SIGNATURE
from dlint.rewriting.arguments import without_arguments
from dlint.rewriting.edits import CannotRepair, Edits
from dlint.rewriting.source import Source

# What an argument that DataLoader takes by position is when it is not given; None for the others.
_DEFAULTS = {"batch_size": "1", "shuffle": "False", "drop_last": "False", "timeout": "0"}


def repair(source: Source, finding: Finding, edits: Edits) -> None:
    """Drop ``data["arguments"]`` from the call that the finding points at."""
    call = source.at(finding, cst.Call)
    names = list(finding.remedy.data.get("arguments", ())) if finding.remedy else []
    gone: dict[str, int] = {}
    for name in names:
        index = _index(call, name)
        if index is None:
            raise CannotRepair(f"{name} is not set in this call: take it away where it is set")
        if call.args[index].keyword is None and index < len(call.args) - 1:
            _to_default(edits, call.args[index], name)
        else:
            gone[name] = index
    # Each by itself and by its name: another finding may take some of them away from the same call.
    for name in sorted(gone, key=gone.__getitem__, reverse=True):
        edits.change(call, partial(_without, name), key=("without", name))


def _without(name: str, call: cst.Call) -> cst.Call:
    index = _index(call, name)
    return call if index is None else without_arguments(call, (index,))


def _index(call: cst.Call, name: str) -> int | None:
    for index, arg in enumerate(call.args):
        if arg.keyword is not None and arg.keyword.value == name:
            return index
    if name in SIGNATURE and not any(arg.star for arg in call.args):
        position = SIGNATURE.index(name)
        if position < len(call.args) and call.args[position].keyword is None:
            return position
    return None


def _to_default(edits: Edits, arg: cst.Arg, name: str) -> None:
    """Write the default in the place of an argument that others follow by position."""
    edits.replace(arg.value, cst.parse_expression(_DEFAULTS.get(name, "None")), key="default")
