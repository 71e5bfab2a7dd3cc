"""The top of a module: its import block, where an import belongs in it and what may follow it."""

from __future__ import annotations

import re
import sys
from collections.abc import Container, Iterable, Sequence
from itertools import pairwise, takewhile

import libcst as cst

Statement = cst.SimpleStatementLine | cst.BaseCompoundStatement

_CELL = re.compile(r"# ?(In\[|%%)")  # where exported notebooks begin a new cell
# An import that has been made a comment.
_LEFT_OUT = re.compile(
    r"#+ *(?:import [\w.]+(?: as \w+)?(?:, *[\w.]+(?: as \w+)?)*|from [\w.]+ import [\w*(][\w, *()]*)"
    r"\s*(?:#.*)?"
)
_WELL_KNOWN = frozenset({"torch", "numpy", "cv2"})
_MOST_BETWEEN_IMPORTS = 6  # plain statements (sys.path, os.environ, ...) that still belong to the block


def end_of_imports(body: Sequence[cst.CSTNode]) -> int:
    """The index in a module's body where its import block (docstring and all) has ended."""
    end = after_docstring(body)
    between = 0
    for index in range(end, len(body)):
        statement = body[index]
        if end and between == 0 and begins_cell(statement) and _has_imports(body[:end]):
            break
        if is_import(statement):
            end, between = index + 1, 0
        elif isinstance(statement, cst.SimpleStatementLine) and between < _MOST_BETWEEN_IMPORTS:
            between += 1
        else:
            break
    return end


def is_import(statement: cst.CSTNode) -> bool:
    """Whether a statement only imports, plainly or in the branches of a ``try`` or an ``if``."""
    if isinstance(statement, cst.SimpleStatementLine):
        return any(isinstance(small, cst.Import | cst.ImportFrom) for small in statement.body)
    if isinstance(statement, cst.Try):
        return _begins_with_import(statement.body)
    if isinstance(statement, cst.If):
        return _is_main_guard(statement) is False and _begins_with_import(statement.body)
    return False


def with_import(module: cst.Module, name: str, alias: str, own: Container[str] = ()) -> cst.Module:
    """The module with ``import name as alias`` in the place where a reader looks for it; ``own`` are the
    packages that its file lies in."""
    asname = "" if alias == name else f" as {alias}"
    new = cst.parse_statement(f"import {name}{asname}", config=module.config_for_parsing)
    assert isinstance(new, cst.SimpleStatementLine)
    body = list(module.body)
    end = end_of_imports(body)
    mine = _is_standard(name)
    group = _group(body[:end], mine, own)
    plain = [(i, n) for i in group for n in [_module_of(body[i], cst.Import)] if n]
    smaller = [index for index, other in plain if other < name]
    if smaller:
        body.insert(smaller[-1] + 1, new)
    elif group:
        _insert_before(body, plain[0][0] if plain else group[0], new)
    else:
        _insert_group(body, new, own, first=mine)
    return module.with_changes(body=body)


def with_statements_after_imports(module: cst.Module, statements: Sequence[Statement]) -> cst.Module:
    """The module with ``statements`` after its import block, set off by blank lines as PEP 8 has it; a
    definition also after the lines there that set libraries up (``cv2.setNumThreads(0)``)."""
    body = list(module.body)
    end = end_of_imports(body)
    defines = any(isinstance(each, cst.FunctionDef | cst.ClassDef) for each in statements)
    while defines and end < len(body) and sets_up(body[end]):
        end += 1
    blank = blank_lines(body) if defines else 1
    first, *rest = statements
    new = [spaced(first, blank) if end else first, *rest]
    if end < len(body):
        lines = list(body[end].leading_lines)
        own = [] if not end else lines[: _imports_left_out(lines)]
        new[0] = new[0].with_changes(leading_lines=[*own, *new[0].leading_lines])
        body[end] = spaced(body[end].with_changes(leading_lines=lines[len(own) :]), blank)
    body[end:end] = new
    return module.with_changes(body=body)


def _imports_left_out(lines: Sequence[cst.EmptyLine]) -> int:
    """How many of the lines under the imports are imports that have been made comments."""
    count = 0
    while count < len(lines) and (comment := lines[count].comment) and _LEFT_OUT.fullmatch(comment.value):
        count += 1
    return count


def sets_up(statement: Statement) -> bool:
    """Whether a line tells a module something, and nothing of this one: ``matplotlib.use("Agg")``."""
    if not isinstance(statement, cst.SimpleStatementLine) or begins_cell(statement):
        return False
    for small in statement.body:
        call = small.value if isinstance(small, cst.Expr) else None
        if not isinstance(call, cst.Call) or not isinstance(call.func, cst.Attribute):
            return False
        constants = (cst.BaseNumber, cst.BaseString)
        if not all(isinstance(arg.value, constants) or _is_name_of_python(arg.value) for arg in call.args):
            return False
    return True


def _is_name_of_python(node: cst.BaseExpression) -> bool:
    return isinstance(node, cst.Name) and node.value in ("False", "None", "True")


def spaced(statement: Statement, blank: int) -> Statement:
    """The statement with at least ``blank`` blank lines before it (and before its comments)."""
    lines = list(statement.leading_lines)
    there = 0
    while there < len(lines) and lines[there].comment is None:
        there += 1
    return statement.with_changes(leading_lines=[cst.EmptyLine(indent=False)] * (blank - there) + lines)


def blank_lines(body: Sequence[cst.CSTNode]) -> int:
    """How many blank lines set a definition off in a module: two, as PEP 8 has it, or one where each stands
    so."""
    found: list[int] = []
    for above, each in pairwise(body):
        if isinstance(each, cst.FunctionDef | cst.ClassDef) or (
            isinstance(above, cst.FunctionDef | cst.ClassDef) and isinstance(each, Statement)
        ):
            found.append(blank_before_comment(each.leading_lines))
    said = [each for each in found if each]
    return 1 if len(said) > 1 and max(said) == 1 else 2


def blank_before_comment(lines: Iterable[cst.EmptyLine]) -> int:
    """How many lines come before the first comment among some."""
    return sum(1 for _ in takewhile(lambda line: line.comment is None, lines))


def _group(body: Sequence[Statement], standard: bool, own: Container[str]) -> range:
    """The lines of the paragraph of imports that a module of this kind belongs to; empty if there is none.

    For the standard library that is the first with one of its modules; else the one with torch or NumPy,
    so that a project's own modules do not attract them.
    """
    lines = _imports_among(body, cst.Import, standard) or _imports_among(body, cst.ImportFrom, standard)
    known = [
        line
        for kind in (cst.Import, cst.ImportFrom)
        for line in _imports_among(body, kind, standard)
        if line[1].partition(".")[0] in _WELL_KNOWN
    ]
    if not standard and not known:
        lines = [line for line in lines if not line[1].startswith("_") and not _is_own(line[1], own)]
    if not lines:
        return range(0)
    start = end = (known or lines)[0][0]
    while start and _is_line_of_group(body[start], body[start - 1], standard):
        start -= 1
    while end + 1 < len(body) and _is_line_of_group(body[end + 1], body[end + 1], standard):
        end += 1
    return range(start, end + 1)


def _is_line_of_group(below: Statement, other: Statement, standard: bool) -> bool:
    """Whether ``other`` continues a paragraph: an import of the same kind, nothing between."""
    module = _module_of(other, cst.Import, cst.ImportFrom)
    if module is None or _is_standard(module) != standard or module == "__future__":
        return False
    return not below.leading_lines


def _imports_among(
    body: Sequence[Statement], kind: type[cst.Import] | type[cst.ImportFrom], standard: bool
) -> list[tuple[int, str]]:
    """The lines of one import of this kind: (index, module), of the standard library or not."""
    modules = ((index, _module_of(statement, kind)) for index, statement in enumerate(body))
    return [(i, m) for i, m in modules if m and m != "__future__" and _is_standard(m) == standard]


def _insert_before(body: list[Statement], index: int, new: cst.SimpleStatementLine) -> None:
    """Insert at the head of a group: what stands above the group stays above it."""
    old = body[index]
    assert isinstance(old, cst.SimpleStatementLine)
    body[index] = old.with_changes(leading_lines=())
    body.insert(index, new.with_changes(leading_lines=old.leading_lines))


def _insert_group(
    body: list[Statement], new: cst.SimpleStatementLine, own: Container[str], *, first: bool
) -> None:
    """Insert an import that begins a group of its own, standard library before the others."""
    imports = [i for i in range(end_of_imports(body)) if is_import(body[i]) and not _is_future(body[i])]
    if first and imports:
        index = imports[0]
        if isinstance(body[index], cst.SimpleStatementLine):
            _insert_before(body, index, new)
            body[index + 1] = spaced(body[index + 1], 1)
            return
    else:
        standard = [i for i, _ in _imports_among(body[: end_of_imports(body)], cst.Import, True)]
        standard += [i for i, _ in _imports_among(body[: end_of_imports(body)], cst.ImportFrom, True)]
        index = max(standard) + 1 if standard else imports[0] if imports else after_docstring(body)
    body.insert(index, spaced(new, 1) if index else new)
    after = _module_of(body[index + 1], cst.Import, cst.ImportFrom) if index + 1 < len(body) else None
    if index + 1 < len(body) and (_is_relative(body[index + 1]) or _is_own(after or "", own)):
        body[index + 1] = spaced(body[index + 1], 1)
    elif index + 1 < len(body) and not is_import(body[index + 1]):
        blank = blank_lines(body) if isinstance(body[index + 1], cst.FunctionDef | cst.ClassDef) else 1
        body[index + 1] = spaced(body[index + 1], blank)


def _is_own(module: str, own: Container[str]) -> bool:
    return module.partition(".")[0] in own


def after_docstring(body: Sequence[cst.CSTNode]) -> int:
    """The index in a module's body after its docstring and what it takes from the future."""
    index = 0
    if body and isinstance(body[0], cst.SimpleStatementLine) and _is_string(body[0]):
        index = 1
    while index < len(body) and _is_future(body[index]):
        index += 1
    return index


def _is_string(line: cst.SimpleStatementLine) -> bool:
    first = line.body[0] if line.body else None
    return isinstance(first, cst.Expr) and isinstance(first.value, cst.SimpleString | cst.ConcatenatedString)


def _is_future(statement: cst.CSTNode) -> bool:
    return _module_of(statement, cst.ImportFrom) == "__future__"


def _has_imports(body: Sequence[cst.CSTNode]) -> bool:
    return any(is_import(each) for each in body)


def begins_cell(statement: cst.CSTNode) -> bool:
    """Whether a notebook's cell begins at this statement of an exported script."""
    lines = statement.leading_lines if isinstance(statement, Statement) else ()
    return any(line.comment is not None and _CELL.match(line.comment.value) for line in lines)


def _begins_with_import(suite: cst.BaseSuite) -> bool:
    first = suite.body[0] if suite.body else None
    if isinstance(suite, cst.SimpleStatementSuite):
        return isinstance(first, cst.Import | cst.ImportFrom)
    return first is not None and is_import(first)


def _is_main_guard(statement: cst.If) -> bool:
    names = [
        side.value
        for side in (statement.test.children if isinstance(statement.test, cst.Comparison) else ())
        if isinstance(side, cst.Name)
    ]
    return "__name__" in names


def _module_of(statement: cst.CSTNode, *types: type[cst.Import] | type[cst.ImportFrom]) -> str | None:
    """The module that a line of one import names; None for other lines, relative imports included."""
    if not isinstance(statement, cst.SimpleStatementLine) or len(statement.body) != 1:
        return None
    small = statement.body[0]
    if not isinstance(small, types):
        return None
    if isinstance(small, cst.Import):
        return dotted(small.names[0].name)
    if isinstance(small, cst.ImportFrom) and not small.relative and small.module is not None:
        return dotted(small.module)
    return None


def _is_relative(statement: cst.CSTNode) -> bool:
    """Whether a line imports from the package that its file is in."""
    small = statement.body[0] if isinstance(statement, cst.SimpleStatementLine) and statement.body else None
    return isinstance(small, cst.ImportFrom) and bool(small.relative)


def dotted(node: cst.BaseExpression) -> str:
    """``a.b.c`` of what an import names."""
    if isinstance(node, cst.Attribute):
        return f"{dotted(node.value)}.{node.attr.value}"
    assert isinstance(node, cst.Name)
    return node.value


def _is_standard(module: str) -> bool:
    return module.partition(".")[0] in sys.stdlib_module_names
