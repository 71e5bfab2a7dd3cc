"""Tells a distributed sampler the epoch at the top of the loop over the epochs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import libcst as cst
from libcst.metadata import ScopeProvider

from dlint.finding import Finding
from dlint.rewriting.edits import Edits
from dlint.rewriting.pieces import statements
from dlint.rewriting.pieces.statements import parts_bound
from dlint.rewriting.refusal import CannotRepair
from dlint.rewriting.source import Source

_BY_HAND = "call its set_epoch(epoch) at the top of the epoch loop"
_COUNT = "count the epochs, and call set_epoch with that number on the sampler at the top of the loop"
_SAMPLERS = frozenset(
    {"torch.utils.data.DistributedSampler", "torch.utils.data.distributed.DistributedSampler"}
)
_COUNTERS = frozenset({"range", "trange", "count"})
_AROUND = frozenset({"tqdm", "track", "progress_bar", "master_bar", "alive_it", "list", "reversed", "sorted"})

Loop = cst.For | cst.While


def repair(source: Source, finding: Finding, edits: Edits) -> None:
    """Insert ``sampler.set_epoch(epoch)`` into the loop over epochs.

    ``data`` has what the program knows: the loop's file and line, the variable of the sampler, the loader's
    expression in the loop, and under which ``attribute`` it has the sampler (none: inside something else).
    """
    data = finding.remedy.data if finding.remedy else {}
    node = source.at(finding, cst.Call)
    there, loop = _loop(source, data)
    changes = edits.elsewhere(there)
    if not isinstance(loop.body, cst.IndentedBlock):
        raise CannotRepair(f"the loop stands on one line: {_BY_HAND}")
    sampler = data.get("sampler")
    same = there is source and source.function_of(loop) is source.function_of(node)
    by_variable = _told_by_variable(source, sampler, loop) if isinstance(sampler, str) and same else None
    receiver, guard = by_variable or _told_by_loader(there, data, loop)
    epoch = _epoch(there, changes, loop)
    call = f"{receiver}.set_epoch({epoch})"
    text = f"if {guard}:\n    {call}\n" if guard else call
    changes.insert_before(loop.body.body[0], statements.parse(there, text), key=("set_epoch", receiver))


def _loop(source: Source, data: Mapping[str, Any]) -> tuple[Source, Loop]:
    """The loop over the epochs and its file."""
    path, line = str(data["path"]), data["line"]
    there = source if path == source.surroundings.relative(source.path) else source.surroundings.open(path)
    for each in there.descendants(there.module, cst.For, cst.While):
        if there.line_in_file(there.range(each)[0][0]) == line:
            return there, each
    raise CannotRepair(_BY_HAND)


# What is told


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
    if len(distributed) != 1:
        return None
    # An import in a branch binds nothing in the other.
    known = distributed[0] if _is_known_everywhere(source, distributed[0]) else None
    return sampler, _test(source, sampler, known)


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
        raise CannotRepair(
            f"neither the sampler nor its loader has a name in the loop of line {source.range(loop)[0][0]}: "
            f"give one to the sampler, and {_BY_HAND}"
        )
    attribute = data.get("attribute", "sampler")
    if not attribute:
        raise CannotRepair(
            f"{loader} has the sampler inside another object: keep the sampler under a name that the loop in "
            f"line {source.range(loop)[0][0]} sees, and {_BY_HAND}"
        )
    parts = loader.split(".")
    paths = {".".join(parts[: end + 1]) for end in range(len(parts))}
    targets = [each.target for each in source.descendants(loop, cst.AssignTarget, cst.For)]
    if isinstance(loop, cst.For):
        targets.append(loop.target)
    if any(source.code(part) in paths for target in targets for part in parts_bound(target)):
        raise CannotRepair(f"the loop sets {loader} itself: call set_epoch(epoch) on its sampler after that")
    sampler = f"{loader}.{attribute}"
    if data.get("sure") is True:
        return sampler, None
    if attribute != "sampler":
        # Of other loaders it may be None, or of another kind.
        raise CannotRepair(
            f"{loader} may have another sampler: call {sampler}.set_epoch(epoch) at the top of the loop in "
            f"line {source.range(loop)[0][0]} where that is the distributed one"
        )
    return sampler, _test(source, sampler, None if data.get("own") is True else _name_of_sampler(source))


def _test(source: Source, sampler: str, kind: str | None) -> str:
    """The test that something is a sampler of a kind, or of any with epochs where none is known by name."""
    if kind is not None:
        return f"isinstance({sampler}, {kind})"
    return f"hasattr({sampler}, {source.quote}set_epoch{source.quote})"


def _is_known_everywhere(source: Source, name: str) -> bool:
    """Whether a dotted name begins with one that the file binds outside of functions and classes."""
    scope = source.metadata(ScopeProvider)[source.module]
    return any(each.name == name.partition(".")[0] for each in scope.assignments)


def _name_of_sampler(source: Source) -> str | None:
    """What the file calls DistributedSampler in all its functions, if it does."""
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
    return next((name for name in calls if _is_known_everywhere(source, name)), None)


# The number of the epoch


def _epoch(source: Source, edits: Edits, loop: Loop) -> str:
    """The expression of the epoch's number in a loop; a loop that does not use it gets a name for it."""
    if isinstance(loop, cst.While):
        return _counted(source, loop)
    name = _number(source, loop)
    if name is None:
        raise CannotRepair(
            f"the loop in line {source.range(loop)[0][0]} may not go through numbers: {_COUNT}"
        )
    if not isinstance(name, cst.Name) or name.value.strip("_"):
        return source.code(name)
    function = source.function_of(loop)
    around: cst.CSTNode = function if function is not None else source.module
    reads = [
        each
        for each in source.descendants(loop.body, cst.Name)
        if each.value == name.value and not _is_target(source, each)
    ]
    if reads:
        raise CannotRepair(
            f"{name.value} may be the number of the epoch or something else: name the number epoch, and call "
            "set_epoch(epoch) on the sampler at the top of the loop"
        )
    taken = source.names_in(around) if function is not None else source.identifiers
    free = next(
        each for each in ("epoch", "current_epoch", "epoch_index", "epoch_number") if each not in taken
    )
    edits.replace(name, cst.Name(free), key=("epoch", free))
    return free


def _counted(source: Source, loop: cst.While) -> str:
    """What a ``while`` loop counts up in each round."""
    found: list[str] = []
    for line in loop.body.body if isinstance(loop.body, cst.IndentedBlock) else ():
        for each in line.body if isinstance(line, cst.SimpleStatementLine) else ():
            if isinstance(each, cst.AugAssign) and isinstance(each.operator, cst.AddAssign):
                target = source.code(each.target)
                tested = target in {source.code(part) for part in _parts(source, loop.test)}
                if source.code(each.value) == "1" and (tested or "epoch" in target.lower()):
                    found.append(target)
    stored = [
        source.code(each.target) for each in source.descendants(loop.body, cst.AssignTarget, cst.AugAssign)
    ]
    telling = [name for name in found if "epoch" in name.lower()]
    names = telling if telling else found or _counted_by_method(source, loop)
    if not found and len(names) == 1 and not stored.count(names[0]):
        return names[0]
    if len(names) != 1 or stored.count(names[0]) != 1:
        raise CannotRepair(f"the loop in line {source.range(loop)[0][0]} has no number: {_COUNT}")
    return names[0]


def _counted_by_method(source: Source, loop: cst.While) -> list[str]:
    """The attributes of the object that the loop's test asks for, and that one of its methods, which each
    round calls, counts up: ``while self.epoch < n: self.run_epoch()``."""
    owner = source.enclosing(loop, cst.ClassDef)
    if not isinstance(owner, cst.ClassDef) or not isinstance(loop.body, cst.IndentedBlock):
        return []
    called = {
        source.code(each.func).removeprefix("self.")
        for line in loop.body.body
        if isinstance(line, cst.SimpleStatementLine)
        for each in source.descendants(line, cst.Call)
    }
    counts = [
        (source.function_of(each), each)
        for each in source.descendants(owner.body, cst.AugAssign)
        if isinstance(each.operator, cst.AddAssign) and source.code(each.value) == "1"
    ]
    tested = {source.code(part) for part in _parts(source, loop.test)}
    return [
        target
        for function, each in counts
        if (target := source.code(each.target)).startswith("self.")
        and target in tested
        and isinstance(function, cst.FunctionDef)
        and function.name.value in called
        and source.parent(source.line_of(each)) is function.body
        and [source.code(other.target) for _, other in counts].count(target) == 1
    ]


def _parts(source: Source, node: cst.BaseExpression) -> list[cst.CSTNode]:
    return [node, *source.descendants(node, cst.Name, cst.Attribute)]


def _number(source: Source, loop: cst.For) -> cst.Name | cst.Attribute | None:
    """The target of a loop that is a number, another one in each round."""
    target = loop.target
    if isinstance(target, cst.Name | cst.Attribute):
        return target if _counts(source, loop, loop.iter) else None
    if not isinstance(target, cst.Tuple) or not isinstance(loop.iter, cst.Call):
        return None
    names = [each.value for each in target.elements]
    given = [arg.value for arg in loop.iter.args if arg.keyword is None and not arg.star]
    called = _called(loop.iter)
    if called == "enumerate" and len(names) == 2 and given:
        # Where both are numbers, the second goes on where a run is resumed.
        numbers = [names[1]] if _counts(source, loop, given[0]) else []
        numbers.append(names[0])
    elif called == "zip" and len(names) == len(given):
        numbers = [name for name, each in zip(names, given, strict=True) if _counts(source, loop, each)]
    else:
        numbers = []
    found = [name for name in numbers if isinstance(name, cst.Name) and name.value.strip("_")]
    return next((name for name in found if "epoch" in name.value.lower()), found[0] if found else None)


def _is_target(source: Source, name: cst.Name) -> bool:
    inner: cst.CSTNode = name
    for each in source.ancestors(name):
        if isinstance(each, cst.AssignTarget | cst.For | cst.CompFor):
            return each.target is inner
        if not isinstance(each, cst.Tuple | cst.List | cst.Element | cst.StarredElement):
            return False
        inner = each
    return False


def _called(node: cst.Call) -> str:
    func = node.func
    return (
        func.attr.value
        if isinstance(func, cst.Attribute)
        else func.value
        if isinstance(func, cst.Name)
        else ""
    )


def _counts(source: Source, loop: Loop, node: cst.BaseExpression, seen: frozenset[str] = frozenset()) -> bool:
    """Whether an iterable gives numbers of which none comes twice: ``range(n)``, also under a progress bar
    that has a name, or that only one process shows. ``seen`` are the names that are looked up already."""
    if isinstance(node, cst.Name):
        if node.value in seen:
            return True  # what it is but for itself counts: bar = tqdm(bar)
        values = _values(source, loop, node.value)
        around = seen | {node.value}
        plain = [each for each in values if not _is_around(each, node.value)]
        return bool(plain) and all(_counts(source, loop, each, around) for each in values)
    if isinstance(node, cst.IfExp):
        return all(_counts(source, loop, each, seen) for each in (node.body, node.orelse))
    if not isinstance(node, cst.Call):
        return False
    if _called(node) in _COUNTERS:
        return True
    return _called(node) in _AROUND and bool(node.args) and _counts(source, loop, node.args[0].value, seen)


def _is_around(node: cst.BaseExpression, name: str) -> bool:
    """Whether what a variable is set to is made of what it was."""
    given = node.args[0].value if isinstance(node, cst.Call) and node.args else None
    return isinstance(given, cst.Name) and given.value == name


def _values(source: Source, loop: Loop, name: str) -> list[cst.BaseExpression]:
    """What a variable of the loop's function is set to; nothing where more than plain assignments set it."""
    function = source.function_of(loop)
    around: cst.CSTNode = function if function is not None else source.module
    stores = [
        each
        for each in source.descendants(around, cst.Name)
        if each.value == name and (_is_target(source, each) or isinstance(source.parent(each), cst.Param))
    ]
    values: list[cst.BaseExpression] = []
    for store in stores:
        assign = source.statement_of(store)
        if not isinstance(assign, cst.Assign) or assign.targets[0].target is not store:
            return []
        values.append(assign.value)
    return values
