"""Puts the body of a script into ``main()`` behind ``if __name__ == "__main__":``.

Only where the body is the end of the file and nothing before it uses the names it sets.
"""

from __future__ import annotations

import libcst as cst
from libcst.metadata import GlobalScope, ScopeProvider

from dlint.finding import Finding
from dlint.rewriting import header, statements
from dlint.rewriting.edits import CannotRepair, Edits
from dlint.rewriting.importers import is_imported
from dlint.rewriting.source import Source

_BY_HAND = 'move what starts the workers into a function that `if __name__ == "__main__":` calls, by hand'
_LOOKS_AT_NAMES = frozenset({"globals", "locals", "vars", "exec", "eval", "dir"})


def repair(source: Source, finding: Finding, edits: Edits) -> None:
    """Wrap the statements after the last definition or import."""
    body = list(source.module.body)
    top = _top(source, finding)
    start = 1 + max((i for i, each in enumerate(body) if _stays(source, each)), default=-1)
    run = body[start:]
    if not any(each is top for each in run):
        raise CannotRepair(_BY_HAND)
    _check(source, run)
    alone = len(run) == 1 and _is_call(run[0])
    if not alone and any(_acts(source, each) for each in body[:start]):
        raise CannotRepair(f"the script's body is spread between its definitions: {_BY_HAND}")
    quote = source.quote
    test = f"if __name__ == {quote}__main__{quote}:"
    if alone:
        wrapped = [_indented(source, test, run)]
    else:
        if "main" in source.bound_names:
            raise CannotRepair(_BY_HAND)
        guard = statements.parse(source, f"\n\n{test}\n    main()\n")
        wrapped = [_indented(source, "def main():", run), *guard]
    for each in run:
        edits.remove(each)
    edits.insert_after(run[-1], wrapped)


def _top(source: Source, finding: Finding) -> cst.CSTNode:
    """The statement of the script's body that starts the workers: where the finding stands, or at
    ``data["line"]`` where it calls the function that the finding stands in."""
    line = finding.remedy.data.get("line") if finding.remedy else None
    if line is None:
        return source.top_level(
            source.at(finding, cst.BaseExpression, cst.BaseStatement, cst.BaseSmallStatement)
        )
    for each in source.module.body:
        (first, _), (last, _) = source.range(each)
        if first <= line <= last:
            return each
    raise CannotRepair(_BY_HAND)


def _stays(source: Source, statement: cst.CSTNode) -> bool:
    """Whether a statement is a definition or an import, or holds one."""
    kinds = (cst.FunctionDef, cst.ClassDef, cst.Import, cst.ImportFrom)
    return isinstance(statement, kinds) or any(True for _ in source.descendants(statement, *kinds))


def _acts(source: Source, statement: cst.CSTNode) -> bool:
    """Whether a statement that would stay outside does more than define, import or name a constant."""
    kinds = (cst.FunctionDef, cst.ClassDef)
    return not isinstance(statement, kinds) and any(True for _ in source.descendants(statement, cst.Call))


def _check(source: Source, run: list[header.Statement]) -> None:
    if any(isinstance(each, cst.If) and "__name__" in source.code(each.test) for each in run):
        raise CannotRepair(_BY_HAND)
    if is_imported(source):
        raise CannotRepair(f"other files import what the body sets: {_BY_HAND}")
    if any(header.begins_cell(each) for each in run):
        raise CannotRepair(f"the file is a notebook's: {_BY_HAND}")
    names = {each.value for part in run for each in source.descendants(part, cst.Name)}
    if names & _LOOKS_AT_NAMES:
        raise CannotRepair(_BY_HAND)
    scope = next(s for s in source.metadata(ScopeProvider).values() if isinstance(s, GlobalScope))
    for assignment in scope.assignments:
        where = getattr(assignment, "node", None)
        if where is None or not _within(source, where, run):
            continue
        for access in assignment.references:
            if not _within(source, access.node, run):
                raise CannotRepair(f"{assignment.name} is used outside the script's body: {_BY_HAND}")


def _within(source: Source, node: cst.CSTNode, run: list[header.Statement]) -> bool:
    return any(node is each or source.encloses(each, node) for each in run)


def _is_call(statement: header.Statement) -> bool:
    if not isinstance(statement, cst.SimpleStatementLine) or len(statement.body) != 1:
        return False
    small = statement.body[0]
    return isinstance(small, cst.Expr) and isinstance(small.value, cst.Call)


def _indented(source: Source, head: str, run: list[header.Statement]) -> header.Statement:
    """The statements as the block of ``head``, comments and blank lines with them."""
    first, *rest = [statements.without_blank_indents(each) for each in run]
    above, own = _split(first)
    block = cst.IndentedBlock([first.with_changes(leading_lines=own), *rest])
    (outer,) = statements.parse(source, f"{head}\n    pass\n")
    blank = [cst.EmptyLine(indent=False)] * max(0, 2 - len(above))
    return outer.with_changes(leading_lines=[*above, *blank], body=block)


def _split(first: header.Statement) -> tuple[list[cst.EmptyLine], list[cst.EmptyLine]]:
    lines = list(first.leading_lines)
    count = next((i for i, line in enumerate(lines) if line.comment is not None), len(lines))
    return lines[:count], lines[count:]
