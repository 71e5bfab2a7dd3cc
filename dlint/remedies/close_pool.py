"""Closes a pool and waits for its threads when the block that made it has done with it."""

from __future__ import annotations

import libcst as cst

from dlint.finding import Finding
from dlint.rewriting import statements
from dlint.rewriting.edits import CannotRepair, Edits
from dlint.rewriting.source import Source

_BY_HAND = "use the pool in a `with` block, or close and join it, by hand"


def repair(source: Source, finding: Finding, edits: Edits) -> None:
    """Put ``close`` and ``join`` (``shutdown`` for executors) after the pool's last use."""
    node = source.at(finding, cst.Call, cst.Assign)
    statement = source.statement_of(node)
    if not isinstance(statement, cst.Assign) or not isinstance(statement.value, cst.Call):
        raise CannotRepair(_BY_HAND)
    target = statement.targets[0].target
    if len(statement.targets) != 1 or not isinstance(target, cst.Name):
        raise CannotRepair(_BY_HAND)
    name = target.value
    function = source.function_of(statement)
    around = function.body if isinstance(function, cst.FunctionDef) else source.module
    _, body, index = statements.block_of(source, statement)
    uses = [
        each
        for each in source.descendants(around, cst.Name)
        if each.value == name and each is not target and not _is_attribute_name(source, each)
    ]
    if not uses or any(not _is_method_call(source, use) for use in uses):
        raise CannotRepair(_BY_HAND)
    lines = {i for use in uses for i, line in enumerate(body) if source.encloses(line, use)}
    outside = [use for use in uses if not any(source.encloses(line, use) for line in body)]
    last = max(lines, default=index)
    if (
        outside
        or min(lines, default=-1) <= index
        or any(_leaves(source, line) for line in body[index : last + 1])
    ):
        raise CannotRepair(_BY_HAND)
    called = {_method(source, use) for use in uses}
    executor = "Executor" in (source.qualified(statement.value.func) or source.code(statement.value.func))
    wanted = ("shutdown",) if executor else ("close", "join")
    if "terminate" in called or (called & {"shutdown", "join"}):
        raise CannotRepair(_BY_HAND)
    text = "\n".join(f"{name}.{method}()" for method in wanted if method not in called)
    edits.insert_after(body[last], statements.parse(source, text), key=("close", name))


def _is_attribute_name(source: Source, name: cst.Name) -> bool:
    parent = source.parent(name)
    return (isinstance(parent, cst.Attribute) and parent.attr is name) or (
        isinstance(parent, cst.Arg) and parent.keyword is name
    )


def _is_method_call(source: Source, name: cst.Name) -> bool:
    attribute = source.parent(name)
    call = source.parent(attribute) if isinstance(attribute, cst.Attribute) else None
    return isinstance(call, cst.Call) and call.func is attribute


def _method(source: Source, name: cst.Name) -> str:
    attribute = source.parent(name)
    assert isinstance(attribute, cst.Attribute)
    return attribute.attr.value


def _leaves(source: Source, line: cst.CSTNode) -> bool:
    """Whether the function may end or the loop go on before the pool is closed."""
    ways = (cst.Return, cst.Yield, cst.Break, cst.Continue)
    return any(True for _ in source.descendants(line, *ways))
