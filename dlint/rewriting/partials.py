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


def put_bound(
    source: Source, edits: Edits, node: cst.CSTNode, name: str, given: Sequence[tuple[str, str]]
) -> None:
    """Put a function with keywords bound (given as code) in the place of ``node``.

    Where a line would be longer than any of the file's, the arguments of the call around get lines of their
    own, or, where they have them, what is bound gets one.
    """
    code = partial_of(source, edits, node, name, given) if given else name
    call = source.parent(source.parent(node) or node)
    (first, column), (last, end) = source.range(node)
    lines = source.module.code.splitlines()
    here = lines[first - 1]
    length = column + len(code) + len(lines[last - 1][end:].partition("  #")[0])
    if not given or len(here) > _LONG or length <= max(_USUAL, *map(len, lines)):
        edits.replace(node, statements.expression(code))
        return
    margin = here[: len(here) - len(here.lstrip())].removeprefix(_block_margin(source, node))
    step = source.module.default_indent
    if isinstance(call, cst.Call) and _is_on_one_line(source, call):
        edits.replace(node, statements.expression(code))
        edits.change(call, lambda each: _over_lines(each, margin, step), "over lines")
    else:
        head, _, inside = code.partition("(")
        edits.replace(node, statements.expression(f"{head}(\n{margin}{step}{inside[:-1]}\n{margin})"))


def partial_of(
    source: Source, edits: Edits, node: cst.CSTNode, name: str, given: Sequence[tuple[str, str]]
) -> str:
    """The code of a function with keywords bound."""
    inside = ", ".join([name, *(f"{keyword}={value}" for keyword, value in given)])
    return f"{_partial(source, edits, node)}({inside})"


def _is_on_one_line(source: Source, node: cst.CSTNode) -> bool:
    start, end = source.range(node)
    return start[0] == end[0]


def _block_margin(source: Source, node: cst.CSTNode) -> str:
    (line, column), _ = source.range(source.line_of(node))
    return source.module.code.splitlines()[line - 1][:column]


def _over_lines(call: cst.Call, margin: str, step: str) -> cst.Call:
    """The call with a line for each argument."""
    inner = cst.ParenthesizedWhitespace(indent=True, last_line=cst.SimpleWhitespace(margin + step))
    outer = cst.ParenthesizedWhitespace(indent=True, last_line=cst.SimpleWhitespace(margin))
    *before, last = call.args
    return call.with_changes(
        whitespace_before_args=inner,
        args=[
            *(
                each.with_changes(
                    comma=cst.Comma(whitespace_after=inner), whitespace_after_arg=cst.SimpleWhitespace("")
                )
                for each in before
            ),
            last.with_changes(
                comma=cst.Comma(whitespace_after=outer), whitespace_after_arg=cst.SimpleWhitespace("")
            ),
        ],
    )


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
