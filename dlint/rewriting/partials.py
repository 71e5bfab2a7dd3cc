"""``functools.partial`` as a file writes it."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from dlint.rewriting import header, statements
from dlint.rewriting.edits import CannotRepair, Edits
from dlint.rewriting.imports import imports_of, name_for
from dlint.rewriting.source import Source

_USUAL = 88  # characters a line, where the file itself has no longer one
_LONG = 120  # who writes a line as long as this does not break lines


def bound_to(
    source: Source, edits: Edits, node: cst.CSTNode, name: str, given: Sequence[tuple[str, str]]
) -> cst.BaseExpression:
    """A function with keywords bound (given as code), to stand in the place of ``node``."""
    if not given:
        return statements.expression(name)
    return statements.expression(partial_of(source, edits, node, name, given))


def partial_of(
    source: Source, edits: Edits, node: cst.CSTNode, name: str, given: Sequence[tuple[str, str]]
) -> str:
    """The code of that; over several lines where one would be longer than any of the file's."""
    partial = _partial(source, edits, node)
    inside = ", ".join([name, *(f"{keyword}={value}" for keyword, value in given)])
    (line, column), (last, end) = source.range(node)
    lines = source.module.code.splitlines()
    here, behind = (
        lines[line - 1],
        lines[last - 1][end:].partition("  #")[0] if isinstance(node, cst.BaseExpression) else "",
    )
    longest = max(len(each) for each in lines)
    length = column + len(f"{partial}({inside})") + len(behind)
    if length <= max(longest, _USUAL) or (line == last and len(here) > _LONG):
        return f"{partial}({inside})"
    step = source.module.default_indent
    margin = here[: len(here) - len(here.lstrip())].removeprefix(_block_margin(source, node))
    return f"{partial}(\n{margin}{step}{inside}\n{margin})"


def _block_margin(source: Source, node: cst.CSTNode) -> str:
    statement = source.line_of(node)
    (line, column), _ = source.range(statement)
    return source.module.code.splitlines()[line - 1][:column]


def _partial(source: Source, edits: Edits, node: cst.CSTNode) -> str:
    """What the file calls ``functools.partial``."""
    head = source.module.body[: header.end_of_imports(source.module.body)]
    found: str | None = None
    for each in imports_of(source, "functools.partial"):
        line = source.parent(each.statement)
        if isinstance(each.statement, cst.ImportFrom) and any(line is other for other in head):
            found = each.name or found
    if found is None:
        found = f"{name_for(source, edits, 'functools', 'functools')}.partial"
    root = found.partition(".")[0]
    for function in source.ancestors(node):
        if isinstance(function, cst.FunctionDef | cst.Lambda) and root in _bound_in(source, function):
            raise CannotRepair(f"{root} means something else here: bind what it needs by hand")
    return found


def _bound_in(source: Source, function: cst.CSTNode) -> set[str]:
    names: set[str] = set()
    for each in source.descendants(function, cst.Param, cst.AssignTarget):
        target = each.name if isinstance(each, cst.Param) else each.target
        if isinstance(target, cst.Name):
            names.add(target.value)
    return names
