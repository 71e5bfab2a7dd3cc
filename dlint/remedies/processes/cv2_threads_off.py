"""Turns OpenCV's thread pool off right where cv2 is imported, and its OpenCL where UMat is used.

``cv2.setNumThreads(0)`` never hung anywhere it was measured, in parent or worker; any other number can.
Lines that are there already are completed, not doubled. One line in a module that the workers of many
datasets import does for all of them: it goes where it cures most.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import libcst as cst

from dlint.finding import Finding
from dlint.program.program import Program
from dlint.project.paths import absolute
from dlint.rewriting import header
from dlint.rewriting.edits import Edits
from dlint.rewriting.pieces import statements
from dlint.rewriting.pieces.imports import Imported, for_types_only, imports_of
from dlint.rewriting.pieces.line_length import limit_of
from dlint.rewriting.refusal import CannotRepair
from dlint.rewriting.source import Source

_THREADS = "cv2.setNumThreads"
_OPENCL = "cv2.ocl.setUseOpenCL"
_WHY = "no OpenCV threads in DataLoader workers"
_WHY_NO_OPENCL = "OpenCL hangs in forked workers"


def widest_first(findings: Sequence[Finding], source_of: Callable[[Finding], Source]) -> Iterator[Finding]:
    """The findings, those first that name in ``data["place"]`` the file where a line cures most of them; then
    each with its own file, then with any other. ``source_of`` gives the source of a finding's file."""
    cured: dict[str, list[Finding]] = {}
    importers: dict[str, int] = {}
    own: set[str] = set()
    for finding in findings:
        if finding.remedy is None or finding.remedy.data.get("kind") != "threads":
            continue
        try:
            source = source_of(finding)
            with source.surroundings.asking() as program:
                own.add(source.surroundings.relative(source.path))
                for place in _places(program, source.surroundings.relative, finding):
                    cured.setdefault(place, []).append(finding)
                    if place not in importers:
                        importers[place] = sum(1 for _ in program.boundaries.importers(place))
        except CannotRepair:
            continue
    best = sorted(cured, key=lambda place: (-len(cured[place]), -importers[place], place not in own, place))
    yield from (_at(place, cured[place][0]) for place in best if len(cured[place]) > 1)
    yield from findings
    yield from (
        _at(place, found[0]) for place, found in cured.items() if len(found) == 1 and place not in own
    )


def _at(place: str, finding: Finding) -> Finding:
    assert finding.remedy is not None
    return finding._replace(remedy=finding.remedy._replace(data={**finding.remedy.data, "place": place}))


def _places(program: Program, relative: Callable[[Path], str], finding: Finding) -> Iterator[str]:
    """The files that the workers of a finding's dataset import, and that import cv2 in their own body."""
    ends = {finding.path, *(step.path for step in finding.reach[:1])}
    imported = {file for end in ends for file in program.boundaries.imports(relative(absolute(end)))}
    for file in sorted(imported.intersection(program.modules.index.importing("cv2"))):
        module = program.modules.get(file)
        if module is not None and any(_imports_cv2(statement) for statement in module.tree.body):
            yield file


def _imports_cv2(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Import) and any(alias.name == "cv2" for alias in statement.names)


def repair(source: Source, finding: Finding, edits: Edits) -> None:
    """Put the call after the import of cv2, or make 0 of a ``setNumThreads(1)``."""
    data = finding.remedy.data if finding.remedy else {}
    kind = data.get("kind", "threads")
    if kind == "thread-count":
        _zero(source, edits, source.at(finding, cst.Call))
        return
    function, argument, why = (_OPENCL, "False", _WHY_NO_OPENCL) if kind == "umat" else (_THREADS, "0", _WHY)
    line = _Line(function, argument, why)
    if "place" in data:
        other = source.surroundings.open(data["place"])
        _at_imports(other, line, finding, edits.elsewhere(other))
    else:
        _at_imports(source, line, finding, edits)


class _Line(NamedTuple):
    """The call to write, its argument, and the comment that says why."""

    function: str
    argument: str
    why: str

    def under(self, name: str) -> str:
        """The line, where cv2 has this name."""
        return f"{name}{self.function.removeprefix('cv2')}({self.argument})  # {self.why}"


def _at_imports(source: Source, line: _Line, finding: Finding, edits: Edits) -> None:
    imports = [each for each in imports_of(source, "cv2") if not for_types_only(source, each.statement)]
    if not imports:
        raise CannotRepair("cv2 reaches this file through another one: turn its threads off there")
    at_import = [each for each in imports if source.function_of(each.statement) is None]
    plain = [each for each in at_import if source.parent(source.line_of(each.statement)) is source.module]
    if plain:
        _complete(source, edits, plain, source.module, line)
        return
    if at_import:
        near = at_import
    else:
        node = source.at(finding, cst.BaseExpression)
        near = [i for i in imports if source.encloses(source.function_of(i.statement) or source.module, node)]
    suites: dict[cst.CSTNode, list[Imported]] = {}
    for each in near or imports:
        suites.setdefault(_suite_of(source, each.statement), []).append(each)
    outer = [s for s in suites if not any(s is not other and source.encloses(other, s) for other in suites)]
    whole = _imported_on_every_path(source, outer)
    names = {each.name for suite in outer for each in suites[suite]}
    name = names.pop() if len(names) == 1 else None
    if whole is not None and name and not any(_calls_in(source, each, line.function) for each in outer):
        _after_whole(source, edits, whole, line.under(name))
        return
    for suite in outer:
        _complete(source, edits, suites[suite], suite, line)


def _imported_on_every_path(source: Source, suites: list[cst.CSTNode]) -> cst.If | cst.Try | None:
    """The statement that has these blocks for all its branches."""
    around = _branching(source, suites[0])
    if around is None or len(suites) < 2 or set(suites) != set(_branches(around)):
        return None
    return around


def _branching(source: Source, suite: cst.CSTNode) -> cst.If | cst.Try | None:
    """The statement that a block is a branch of, at its first ``if`` or ``try``."""
    above = source.parent(suite)
    while isinstance(above, cst.Else | cst.ExceptHandler | cst.Finally | cst.If):
        outer = source.parent(above)
        if isinstance(above, cst.If) and not (isinstance(outer, cst.If) and outer.orelse is above):
            return above
        above = outer
    return above if isinstance(above, cst.Try) else None


def _branches(statement: cst.If | cst.Try) -> Iterator[cst.CSTNode | None]:
    """The blocks of which one runs to its end, where control comes past a statement; None where it may be
    that none does."""
    if isinstance(statement, cst.Try):
        yield statement.body
        yield from (handler.body for handler in statement.handlers)
        return
    yield statement.body
    if isinstance(statement.orelse, cst.If):
        yield from _branches(statement.orelse)
    else:
        yield statement.orelse.body if statement.orelse is not None else None


def _after_whole(source: Source, edits: Edits, whole: cst.If | cst.Try, call: str) -> None:
    """Put the call after a statement that imports cv2 in each of its branches."""
    new = statements.parse(source, call)
    if any(whole is each for each in source.module.body[: header.end_of_imports(source.module.body)]):
        edits.add_after_imports(f"cv2: {call}", new)
    else:
        edits.insert_after(whole, new, key="cv2")


def _complete(source: Source, edits: Edits, imports: list[Imported], suite: cst.CSTNode, line: _Line) -> None:
    """Add the call to the module or block that imports cv2, or mend the one that is there."""
    there = _calls_in(source, suite, line.function)
    if there:
        for call in there:
            _set_to(source, edits, call, line.argument)
        return
    named = next((each for each in imports if each.name), None)
    missing = [line.under(named.name if named and named.name else "cv2")]
    first = [] if named else ["import cv2"]
    other = _calls_in(source, suite, _OPENCL if line.function == _THREADS else _THREADS)
    beside = source.line_of(other[-1]) if other else None
    if isinstance(beside, cst.SimpleStatementLine):
        edits.insert_after(beside, _lines(source, missing), key=line)
        if first:
            edits.insert_after(source.line_of(imports[0].statement), _lines(source, first), key="import cv2")
    elif suite is source.module:
        _after_import_block(source, edits, imports, first, missing)
    else:
        _after_import(source, edits, imports[0].statement, first + missing)


def _after_import_block(
    source: Source, edits: Edits, imports: list[Imported], first: list[str], missing: list[str]
) -> None:
    """Put the calls after the block of imports at the head of the module, or after a late import."""
    body = source.module.body
    end = header.end_of_imports(body)
    lines = [source.line_of(each.statement) for each in imports]
    late = not any(line is each for line in lines for each in body[:end])
    if late:
        edits.insert_after(lines[0], _lines(source, first + missing), key="cv2")
        return
    star = any(
        isinstance(each.names, cst.ImportStar) for each in source.descendants(lines[0], cst.ImportFrom)
    )
    if first and star:  # which may bring something else by the name of cv2
        edits.insert_after(lines[0], _lines(source, first), key="import cv2")
    elif first:
        _before(source, edits, lines[0], first)
    edits.add_after_imports(f"cv2: {missing}", statements.parse(source, "\n".join(missing)))


def _before(source: Source, edits: Edits, line: cst.CSTNode, first: list[str]) -> None:
    """Put the import of cv2 itself before the one that takes names of it, under what is said there."""
    (new,) = _lines(source, first)
    leading = line.leading_lines if isinstance(line, cst.SimpleStatementLine) else ()
    edits.insert_before(line, [new.with_changes(leading_lines=leading)], key="import cv2")
    edits.change(line, lambda node: node.with_changes(leading_lines=()), key="import cv2")


def _after_import(source: Source, edits: Edits, statement: cst.CSTNode, calls: list[str]) -> None:
    """Put the calls after an import inside a ``try``, an ``if`` or a function."""
    line = source.line_of(statement)
    if isinstance(line, cst.SimpleStatementSuite):
        new = [small for each in _lines(source, calls) for small in each.body]
        edits.change(line, lambda suite: suite.with_changes(body=[*_open(suite.body), *new]), key="cv2")
    else:
        first, *rest = _lines(source, calls)
        blank = 1 if limit_of(source).black and not header.is_import(first) else 0
        edits.insert_after(line, [header.spaced(first, blank), *rest], key="cv2")


def _open(body: Iterable[cst.BaseSmallStatement]) -> list[cst.BaseSmallStatement]:
    *others, last = body
    return [*others, last.with_changes(semicolon=cst.MaybeSentinel.DEFAULT)]


def _zero(source: Source, edits: Edits, call: cst.Call) -> None:
    """Make 0 of the number of threads."""
    if len(call.args) != 1 or call.args[0].star:
        raise CannotRepair("pass 0 to cv2.setNumThreads")
    _set_to(source, edits, call, "0")


def _set_to(source: Source, edits: Edits, call: cst.Call, argument: str) -> None:
    """Have the call pass this argument, unless it does."""
    value = call.args[0].value
    if source.code(value) != argument:
        edits.replace(value, cst.parse_expression(argument), key=argument)


def _calls_in(source: Source, suite: cst.CSTNode, function: str) -> list[cst.Call]:
    """The calls of ``function`` that stand as statements in this block itself."""
    return [
        small.value
        for line in suite.children
        if isinstance(line, cst.SimpleStatementLine)
        for small in line.body
        if isinstance(small, cst.Expr) and isinstance(small.value, cst.Call) and small.value.args
        if source.qualified(small.value.func) in (function, f"cv2.{function}")
    ]


def _lines(source: Source, texts: list[str]) -> list[cst.SimpleStatementLine]:
    parsed = statements.parse(source, "\n".join(texts))
    return [line for line in parsed if isinstance(line, cst.SimpleStatementLine)]


def _suite_of(source: Source, statement: cst.CSTNode) -> cst.CSTNode:
    suite: cst.CSTNode = source.enclosing(statement, cst.IndentedBlock, cst.SimpleStatementSuite, cst.Module)
    return suite
