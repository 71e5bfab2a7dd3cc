"""Makes the iterator of a loader once, before the loop, and again when it has run out.

``next(iter(loader))`` in a loop starts new workers for one batch every time.
"""

from __future__ import annotations

import libcst as cst

from dlint.finding import Finding
from dlint.rewriting import statements
from dlint.rewriting.edits import CannotRepair, Edits
from dlint.rewriting.source import Source

_BY_HAND = "make the iterator once before the loop, and again on StopIteration, by hand"


def repair(source: Source, finding: Finding, edits: Edits) -> None:
    """Hoist ``iter(loader)`` out of the loop that the finding stands in."""
    call = source.at(finding, cst.Call)
    loader = _loader(source, call)
    statement = source.statement_of(call)
    line = source.line_of(call)
    if not isinstance(statement, cst.Assign) or not isinstance(line, cst.SimpleStatementLine):
        raise CannotRepair(_BY_HAND)
    if len(line.body) != 1 or not isinstance(loader, cst.Name | cst.Attribute):
        raise CannotRepair(_BY_HAND)
    loop = _outermost_loop(source, call, source.code(loader))
    text = source.code(loader)
    name = source.free_name("batches", f"{text.rpartition('.')[2]}_iterator")
    edits.define(name)
    begin = f"{name} = iter({text})"
    before = cst.ensure_type(statements.parse(source, begin)[0], cst.SimpleStatementLine)
    edits.insert_before(loop, [before.with_changes(leading_lines=_blank(loop))])
    edits.change(loop, lambda node: node.with_changes(leading_lines=_comments(node)))
    again = statement.with_deep_changes(call, args=[cst.Arg(cst.Name(name))])
    tried = cst.SimpleStatementLine([again], trailing_whitespace=line.trailing_whitespace)
    restarted = [*statements.parse(source, begin), cst.SimpleStatementLine([again])]
    handler = cst.ExceptHandler(cst.IndentedBlock(restarted), cst.Name("StopIteration"))
    new = cst.Try(cst.IndentedBlock([tried]), [handler], leading_lines=line.leading_lines)
    edits.replace(line, new)


def _blank(loop: cst.For | cst.While) -> list[cst.EmptyLine]:
    return [] if not loop.leading_lines or loop.leading_lines[0].comment else [cst.EmptyLine(indent=False)]


def _comments(loop: cst.For | cst.While) -> list[cst.EmptyLine]:
    lines = list(loop.leading_lines)
    while lines and lines[0].comment is None:
        lines.pop(0)
    return lines


def _loader(source: Source, call: cst.Call) -> cst.BaseExpression:
    """The loader of ``next(iter(loader))``."""
    if source.code(call.func) == "next" and len(call.args) == 1:
        inner = call.args[0].value
        if isinstance(inner, cst.Call) and source.code(inner.func) == "iter" and len(inner.args) == 1:
            return inner.args[0].value
    raise CannotRepair(_BY_HAND)


def _outermost_loop(source: Source, call: cst.Call, loader: str) -> cst.For | cst.While:
    """The widest loop of the function in which the loader stays the same."""
    best: cst.For | cst.While | None = None
    inner: cst.CSTNode = call
    for each in source.ancestors(call):
        if isinstance(each, cst.FunctionDef | cst.Lambda | cst.ClassDef):
            break
        if isinstance(each, cst.For | cst.While):
            if inner is not each.body or _sets(source, each, loader):
                break
            best = each
        inner = each
    if best is None or isinstance(source.parent(best), cst.SimpleStatementSuite):
        raise CannotRepair(_BY_HAND)
    return best


def _sets(source: Source, loop: cst.For | cst.While, loader: str) -> bool:
    """Whether the loop binds the name that the loader is read from."""
    root = loader.partition(".")[0]
    targets = [each.target for each in source.descendants(loop, cst.AssignTarget, cst.For)]
    if isinstance(loop, cst.For):
        targets.append(loop.target)
    return any(root in source.names_in(target) for target in targets)
