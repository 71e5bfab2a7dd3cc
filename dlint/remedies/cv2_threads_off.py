"""Turns OpenCV's thread pool and its OpenCL off right where the file imports cv2.

``cv2.setNumThreads(0)`` never hung anywhere it was measured, in parent or worker; any other number can.
Lines that are there already are completed, not doubled.
"""

from __future__ import annotations

from collections.abc import Iterable

import libcst as cst

from dlint.finding import Finding
from dlint.rewriting import header, statements
from dlint.rewriting.edits import CannotRepair, Edits
from dlint.rewriting.imports import Imported, for_types_only, imports_of
from dlint.rewriting.source import Source

_THREADS = "cv2.setNumThreads"
_OPENCL = "cv2.ocl.setUseOpenCL"


def repair(source: Source, finding: Finding, edits: Edits) -> None:
    """Put the two calls after the import of cv2, or make 0 of a ``setNumThreads(1)``."""
    if finding.remedy and finding.remedy.data.get("kind") == "thread-count":
        _zero(source, edits, source.at(finding, cst.Call))
        return
    imports = [each for each in imports_of(source, "cv2") if not for_types_only(source, each.statement)]
    if not imports:
        raise CannotRepair("cv2 reaches this file through another one: turn its threads off there")
    at_import = [each for each in imports if source.function_of(each.statement) is None]
    plain = [each for each in at_import if source.parent(source.line_of(each.statement)) is source.module]
    if plain:
        _complete(source, edits, plain, source.module)
    elif at_import:
        _complete(source, edits, at_import[:1], _suite_of(source, at_import[0].statement))
    else:
        node = source.at(finding, cst.BaseExpression)
        near = [i for i in imports if source.encloses(source.function_of(i.statement) or source.module, node)]
        for each in near or imports:
            _complete(source, edits, [each], _suite_of(source, each.statement))


def _complete(source: Source, edits: Edits, imports: list[Imported], suite: cst.CSTNode) -> None:
    """Add what is missing of the two calls to the module or block that imports cv2."""
    named = next((each for each in imports if each.name), None)
    name = named.name if named and named.name else "cv2"
    missing = []
    there: cst.CSTNode | None = None
    for function, argument in ((_THREADS, "0"), (_OPENCL, "False")):
        found = _calls_in(source, suite, function)
        if not found:
            missing.append(f"{name}{function.removeprefix('cv2')}({argument})")
            continue
        there = source.line_of(found[-1])
        if function == _THREADS:
            for call in found:
                _zero(source, edits, call)
        elif source.code(found[-1].args[0].value) == "True":
            edits.replace(found[-1].args[0].value, cst.Name("False"), key="off")
    first = [] if named else ["import cv2"]
    if there is not None and isinstance(there, cst.SimpleStatementLine):
        edits.insert_after(there, _lines(source, missing), key="cv2")
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
    if first:
        edits.insert_after(lines[0], _lines(source, first), key="import cv2")
    edits.add_after_imports("cv2", statements.parse(source, "\n".join(missing)))


def _after_import(source: Source, edits: Edits, statement: cst.CSTNode, calls: list[str]) -> None:
    """Put the calls after an import inside a ``try``, an ``if`` or a function."""
    line = source.line_of(statement)
    if isinstance(line, cst.SimpleStatementSuite):
        new = [small for each in _lines(source, calls) for small in each.body]
        edits.change(line, lambda suite: suite.with_changes(body=[*_open(suite.body), *new]), key="cv2")
    else:
        edits.insert_after(line, _lines(source, calls), key="cv2")


def _open(body: Iterable[cst.BaseSmallStatement]) -> list[cst.BaseSmallStatement]:
    *others, last = body
    return [*others, last.with_changes(semicolon=cst.MaybeSentinel.DEFAULT)]


def _zero(source: Source, edits: Edits, call: cst.Call) -> None:
    """Make 0 of the number of threads, unless it is 0 by what stands there."""
    if len(call.args) != 1 or call.args[0].star:
        raise CannotRepair("pass 0 to cv2.setNumThreads")
    value = call.args[0].value
    if source.code(value) != "0":
        edits.replace(value, cst.Integer("0"), key="zero")


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
