"""Names that nobody reads once some code has gone: a local variable, what a file imports."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import libcst as cst
from libcst.metadata import Assignment, FunctionScope, GlobalScope, ScopeProvider

from dlint.program.mentions import uses_elsewhere
from dlint.rewriting import statements
from dlint.rewriting.edits import Edits
from dlint.rewriting.source import Source

_SAMPLERS = "torch.utils.data."
_LOOKS_AT_NAMES = frozenset({"locals", "vars", "eval", "exec"})
_FAR = 4  # from the code that goes to a variable that it alone read, and so on


def remove_unused(source: Source, edits: Edits, gone: cst.CSTNode) -> None:
    """Take away what ``gone``, which goes, alone has read: local variables that were set to a plain value or
    a sampler, imported names."""
    everything: list[cst.CSTNode] = [gone]
    waiting = [(gone, 0)]
    while waiting:
        node, far = waiting.pop()
        for assignment in _read_by(source, node):
            if not _is_read_by(source, assignment, everything):
                continue
            assign = _plain_assignment(source, assignment)
            if assign is not None and far < _FAR:
                everything.append(assign)
                waiting.append((assign.value, far + 1))
                statements.remove_statement(source, edits, assign)
            elif isinstance(assignment.node, cst.ImportFrom):
                _forget_import(source, edits, assignment.node, assignment.name)


def _read_by(source: Source, node: cst.CSTNode) -> Iterator[Assignment]:
    """What sets the names in some code, where one place alone sets each."""
    scopes = source.metadata(ScopeProvider)
    names = [node, *source.descendants(node, cst.Name)]
    for name in {each.value: each for each in names if isinstance(each, cst.Name)}.values():
        scope = scopes.get(name)
        found = list(scope[name.value]) if scope is not None else []
        if len(found) == 1 and isinstance(found[0], Assignment):
            yield found[0]


def _is_read_by(source: Source, assignment: Assignment, gone: Sequence[cst.CSTNode]) -> bool:
    """Whether code that goes, and no other, reads what an assignment sets."""
    return all(
        any(access.node is each or source.encloses(each, access.node) for each in gone)
        for access in assignment.references
    )


def _plain_assignment(source: Source, assignment: Assignment) -> cst.Assign | None:
    """The statement ``name = value`` of a function whose value does nothing but be there."""
    node = source.parent(assignment.node)
    assign = source.parent(node) if isinstance(node, cst.AssignTarget) else None
    if not isinstance(assignment.scope, FunctionScope) or not isinstance(assign, cst.Assign):
        return None
    if len(assign.targets) != 1 or not isinstance(assign.targets[0].target, cst.Name):
        return None
    function = source.function_of(assign)
    assert function is not None
    if any(True for _ in source.descendants(function, cst.Nonlocal, cst.Global)):
        return None
    if source.names_in(function) & _LOOKS_AT_NAMES:
        return None
    return assign if _is_plain(source, assign.value) else None


def _is_plain(source: Source, node: cst.BaseExpression) -> bool:
    acts = (cst.Await, cst.NamedExpr, cst.Yield, cst.Subscript, cst.BinaryOperation)
    if any(isinstance(each, acts) for each in [node, *source.descendants(node, *acts)]):
        return False
    calls = [each for each in [node, *source.descendants(node, cst.Call)] if isinstance(each, cst.Call)]
    return all(_makes_sampler(source, each) for each in calls)


def _makes_sampler(source: Source, call: cst.Call) -> bool:
    name = source.qualified(call.func) or ""
    return (name.startswith(_SAMPLERS) and name.endswith("Sampler")) or source.code(call.func) in (
        "len",
        "range",
    )


def _forget_import(source: Source, edits: Edits, line: cst.ImportFrom, name: str) -> None:
    """Take a name out of an import, where nothing else may ask the file for it."""
    scopes = source.metadata(ScopeProvider)
    if source.path.stem == "__init__" or "__all__" in source.identifiers:
        return
    if not isinstance(scopes.get(line), GlobalScope) or isinstance(line.names, cst.ImportStar):
        return
    if source.has_comments(line) or source.enclosing(line, cst.Try, cst.If) is not None:
        return
    with source.surroundings.asking() as program:
        home = source.surroundings.module(source).relative
        if next(uses_elsewhere(program, home, name), None) is not None:
            return
    if len(line.names) == 1:
        statements.remove_statement(source, edits, line)
    else:
        edits.change(line, lambda node: _without(node, name), key=("forget", name))


def _without(line: cst.ImportFrom, name: str) -> cst.ImportFrom:
    assert not isinstance(line.names, cst.ImportStar)
    names = [each for each in line.names if (each.evaluated_alias or each.evaluated_name) != name]
    if len(names) == len(line.names) or not names:
        return line
    if line.names[-1] is not names[-1]:
        names[-1] = names[-1].with_changes(comma=line.names[-1].comma)
    return line.with_changes(names=names)
