"""Tells a distributed sampler the epoch at the top of the epoch loop, where that loop is plain to see."""

from __future__ import annotations

import libcst as cst

from dlint.finding import Finding
from dlint.rewriting import statements
from dlint.rewriting.arguments import keyword
from dlint.rewriting.edits import CannotRepair, Edits
from dlint.rewriting.source import Source

_BY_HAND = "call its set_epoch(epoch) at the top of the epoch loop"


def repair(source: Source, finding: Finding, edits: Edits) -> None:
    """Insert ``sampler.set_epoch(epoch)`` into the one loop over epochs of the function."""
    node = source.at(finding, cst.Call, cst.For)
    sampler = _sampler(source, finding, node)
    function = source.function_of(node)
    around: cst.CSTNode = function.body if isinstance(function, cst.FunctionDef) else source.module
    loops = [
        each
        for each in source.descendants(around, cst.For)
        if isinstance(each.target, cst.Name) and "epoch" in each.target.value.lower()
        if source.function_of(each) is function
    ]
    if len(loops) != 1:
        raise CannotRepair(_BY_HAND)
    loop = loops[0]
    assignments = _assignments(source, around, sampler)
    if (
        not assignments
        or not isinstance(loop.body, cst.IndentedBlock)
        or source.encloses(loop, assignments[0])
    ):
        raise CannotRepair(_BY_HAND)
    call = f"{sampler}.set_epoch({loop.target.value})"
    guard = _guard(source, sampler, assignments, loop)
    text = f"if {guard}:\n    {call}\n" if guard else call
    edits.insert_before(loop.body.body[0], statements.parse(source, text), key=("set_epoch", sampler))


def _sampler(source: Source, finding: Finding, node: cst.Call | cst.For) -> str:
    """The variable that holds the sampler."""
    named = finding.remedy.data.get("sampler") if finding.remedy else None
    if isinstance(named, str) and named.isidentifier():
        return named
    if isinstance(node, cst.Call):
        given = keyword(node, "sampler")
        if given is not None and isinstance(given.value, cst.Name):
            return given.value.value
        assign = source.statement_of(node)
        if isinstance(assign, cst.Assign) and "Sampler" in source.code(node.func):
            target = assign.targets[0].target
            if len(assign.targets) == 1 and isinstance(target, cst.Name):
                return target.value
    raise CannotRepair(_BY_HAND)


def _assignments(source: Source, around: cst.CSTNode, name: str) -> list[cst.Assign]:
    return [
        each
        for each in source.descendants(around, cst.Assign)
        if any(name in source.names_in(target.target) for target in each.targets)
    ]


def _guard(source: Source, name: str, assignments: list[cst.Assign], loop: cst.For) -> str | None:
    """The test that the sampler is one that has epochs; None when it always is."""
    values = [each.value for each in assignments]
    calls = [
        value for value in values if isinstance(value, cst.Call) and "Sampler" in source.code(value.func)
    ]
    block = source.parent(source.line_of(assignments[0]))
    if len(values) == 1 and calls and block is not None and source.encloses(block, loop):
        return None
    others = [value for value in values if value not in calls]
    if len(values) == 1 and isinstance(values[0], cst.IfExp):
        branches = [values[0].body, values[0].orelse]
        calls = [each for each in branches if isinstance(each, cst.Call)]
        others = [each for each in branches if each not in calls]
    kinds = {source.code(each.func) for each in calls}
    if len(kinds) == 1 and all(source.code(each) == "None" for each in others) and others:
        return f"{name} is not None"
    distributed = [kind for kind in sorted(kinds) if "Distributed" in kind]
    if len(distributed) == 1 and all(source.code(each) == "None" for each in others) and others:
        return f"isinstance({name}, {distributed[0]})"
    raise CannotRepair(_BY_HAND)
