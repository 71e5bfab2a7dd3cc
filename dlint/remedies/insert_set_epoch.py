"""Tells a distributed sampler the epoch at the top of the loop over the epochs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import libcst as cst

from dlint.finding import Finding
from dlint.rewriting import statements
from dlint.rewriting.arguments import keyword
from dlint.rewriting.edits import CannotRepair, Edits
from dlint.rewriting.source import Source

_BY_HAND = "call its set_epoch(epoch) at the top of the epoch loop"
_SAMPLERS = frozenset(
    {"torch.utils.data.DistributedSampler", "torch.utils.data.distributed.DistributedSampler"}
)
_COUNTERS = frozenset({"range", "trange", "count"})
_AROUND = frozenset({"tqdm", "track", "progress_bar", "master_bar", "enumerate"})

Loop = cst.For | cst.While


def repair(source: Source, finding: Finding, edits: Edits) -> None:
    """Insert ``sampler.set_epoch(epoch)`` into the loop over epochs.

    ``data`` has what the program knows: the loop's file and line, the variable of the sampler, and the
    loader's expression in the loop.
    """
    data = finding.remedy.data if finding.remedy else {}
    node = source.at(finding, cst.Call, cst.For)
    there, loop = _loop(source, node, data)
    changes = edits.elsewhere(there)
    if not isinstance(loop.body, cst.IndentedBlock):
        raise CannotRepair(_BY_HAND)
    sampler = _sampler(source, node, data)
    same = there is source and source.function_of(loop) is source.function_of(node)
    by_variable = _told_by_variable(source, sampler, loop) if sampler is not None and same else None
    receiver, guard = by_variable or _told_by_loader(there, data, loop)
    epoch = _epoch(there, changes, loop)
    call = f"{receiver}.set_epoch({epoch})"
    text = f"if {guard}:\n    {call}\n" if guard else call
    changes.insert_before(loop.body.body[0], statements.parse(there, text), key=("set_epoch", receiver))


def _loop(source: Source, node: cst.CSTNode, data: Mapping[str, Any]) -> tuple[Source, Loop]:
    """The loop over the epochs and its file."""
    path, line = data.get("path"), data.get("line")
    if isinstance(path, str) and isinstance(line, int):
        there = (
            source if path == source.surroundings.relative(source.path) else source.surroundings.open(path)
        )
        found = [
            each
            for each in there.descendants(there.module, cst.For, cst.While)
            if there.line_in_file(there.range(each)[0][0]) == line
        ]
        if len(found) == 1:
            return there, found[0]
        raise CannotRepair(_BY_HAND)
    function = source.function_of(node)
    around: cst.CSTNode = function.body if isinstance(function, cst.FunctionDef) else source.module
    loops = [
        each
        for each in source.descendants(around, cst.For, cst.While)
        if source.function_of(each) is function and "epoch" in source.code(_head(each)).lower()
    ]
    if len(loops) != 1:
        raise CannotRepair(_BY_HAND)
    return source, loops[0]


def _head(loop: Loop) -> cst.BaseExpression:
    return loop.target if isinstance(loop, cst.For) else loop.test


# What is told


def _sampler(source: Source, node: cst.Call | cst.For, data: Mapping[str, Any]) -> str | None:
    """The variable that holds the sampler."""
    named = data.get("sampler")
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
    return None


def _told_by_variable(source: Source, sampler: str, loop: Loop) -> tuple[str, str | None] | None:
    """The variable of the sampler, and the test that it has epochs; None where it may be unset."""
    function = source.function_of(loop)
    around: cst.CSTNode = function.body if isinstance(function, cst.FunctionDef) else source.module
    found = [
        each
        for each in source.descendants(around, cst.Assign)
        if source.function_of(each) is function
        and any(sampler in source.names_in(target.target) for target in each.targets)
    ]
    if not found or source.encloses(loop, found[0]):
        return None
    values = [each.value for each in found]
    if len(values) == 1 and isinstance(values[0], cst.IfExp):
        values = [values[0].body, values[0].orelse]
    elif len(values) == 1:
        block = source.parent(source.line_of(found[0]))
        sure = block is not None and source.encloses(block, loop) and _is_sampler(source, values[0])
        return (sampler, None) if sure else None
    elif not _is_always_set(source, found, loop):
        return None
    calls = [value for value in values if _is_sampler(source, value)]
    others = [value for value in values if value not in calls]
    if not others or any(source.code(each) != "None" for each in others):
        return None
    kinds = {source.code(each.func) for each in calls if isinstance(each, cst.Call)}
    if len(kinds) == 1:
        return sampler, f"{sampler} is not None"
    distributed = [kind for kind in sorted(kinds) if "Distributed" in kind]
    return (sampler, f"isinstance({sampler}, {distributed[0]})") if len(distributed) == 1 else None


def _is_sampler(source: Source, value: cst.BaseExpression) -> bool:
    return isinstance(value, cst.Call) and "Sampler" in source.code(value.func)


def _is_always_set(source: Source, found: list[cst.Assign], loop: Loop) -> bool:
    """Whether one of several assignments is made on every way to the loop: the first, or both branches."""
    first = source.line_of(found[0])
    block = source.parent(first)
    if block is not None and source.encloses(block, loop):
        return True
    branch = source.enclosing(first, cst.If)
    if not isinstance(branch, cst.If) or not isinstance(branch.orelse, cst.Else) or branch.body is not block:
        return False
    above = source.parent(branch)
    in_else = [each for each in found if source.parent(source.line_of(each)) is branch.orelse.body]
    return bool(in_else) and above is not None and source.encloses(above, loop)


def _told_by_loader(source: Source, data: Mapping[str, Any], loop: Loop) -> tuple[str, str | None]:
    """The loader's own sampler, and the test that it is a distributed one."""
    loader = data.get("loader")
    if not isinstance(loader, str):
        raise CannotRepair(_BY_HAND)
    root = loader.partition(".")[0]
    targets = [each.target for each in source.descendants(loop, cst.AssignTarget, cst.For)]
    if isinstance(loop, cst.For):
        targets.append(loop.target)
    if any(root in source.names_in(target) for target in targets if root != "self"):
        raise CannotRepair(f"the loop makes {loader} itself: {_BY_HAND}")
    sampler = f"{loader}.sampler"
    if data.get("sure") is True:
        return sampler, None
    known = _name_of_sampler(source)
    return (
        sampler,
        f"isinstance({sampler}, {known})"
        if known
        else f"hasattr({sampler}, {source.quote}set_epoch{source.quote})",
    )


def _name_of_sampler(source: Source) -> str | None:
    """What the file calls DistributedSampler, if it does."""
    for each in source.descendants(source.module, cst.ImportFrom):
        if isinstance(each.names, cst.ImportStar) or source.function_of(each) is not None:
            continue
        for alias in each.names:
            local = alias.asname.name if alias.asname is not None else alias.name
            module = source.code(each.module) if each.module is not None else ""
            if f"{module}.{alias.evaluated_name}" in _SAMPLERS and isinstance(local, cst.Name):
                return local.value
    calls = (
        source.code(each.func)
        for each in source.descendants(source.module, cst.Call)
        if source.qualified(each.func) in _SAMPLERS
    )
    return next(calls, None)


# The number of the epoch


def _epoch(source: Source, edits: Edits, loop: Loop) -> str:
    """The expression of the epoch's number in a loop; a loop that does not use it gets a name for it."""
    if isinstance(loop, cst.While):
        names = [
            source.code(each)
            for each in source.descendants(loop, cst.Name, cst.Attribute)
            if source.encloses(loop.test, each) or each is loop.test
        ]
        found = sorted({name for name in names if "epoch" in name.lower()}, key=len)
        counted = {source.code(each.target) for each in source.descendants(loop, cst.AugAssign)}
        counted &= set(found)
        if len(counted) == 1:
            return counted.pop()
        raise CannotRepair(_BY_HAND)
    target = loop.target
    if isinstance(target, cst.Tuple) and _called(loop.iter) == "enumerate":
        first = target.elements[0].value if target.elements else target
        if isinstance(first, cst.Name) and first.value != "_":
            return first.value
    if not isinstance(target, cst.Name):
        raise CannotRepair(_BY_HAND)
    if "epoch" not in target.value.lower() and not _counts(loop.iter):
        raise CannotRepair(_BY_HAND)
    if target.value.strip("_"):
        return target.value
    function = source.function_of(loop)
    around: cst.CSTNode = function if function is not None else source.module
    reads = [
        each
        for each in source.descendants(loop.body, cst.Name)
        if each.value == target.value and not _is_target(source, each)
    ]
    if reads:
        raise CannotRepair(_BY_HAND)
    taken = source.names_in(around) if function is not None else source.identifiers
    name = next(
        each for each in ("epoch", "current_epoch", "epoch_index", "epoch_number") if each not in taken
    )
    edits.replace(target, cst.Name(name), key=("epoch", name))
    return name


def _is_target(source: Source, name: cst.Name) -> bool:
    inner: cst.CSTNode = name
    for each in source.ancestors(name):
        if isinstance(each, cst.AssignTarget | cst.For | cst.CompFor):
            return each.target is inner
        if not isinstance(each, cst.Tuple | cst.List | cst.Element | cst.StarredElement):
            return False
        inner = each
    return False


def _called(node: cst.BaseExpression) -> str:
    if not isinstance(node, cst.Call):
        return ""
    func = node.func
    return (
        func.attr.value
        if isinstance(func, cst.Attribute)
        else func.value
        if isinstance(func, cst.Name)
        else ""
    )


def _counts(node: cst.BaseExpression) -> bool:
    """Whether an iterable gives numbers that go up: ``range(n)``, also under a progress bar."""
    name = _called(node)
    if name in _COUNTERS:
        return True
    return name in _AROUND and isinstance(node, cst.Call) and bool(node.args) and _counts(node.args[0].value)
