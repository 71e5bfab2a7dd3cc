"""What a module makes: a function of its own in the place of the name."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence
from dataclasses import replace

import libcst as cst
from libcst.metadata import GlobalScope, ScopeProvider

from dlint.changes.mentions import uses_elsewhere
from dlint.rewriting.each_process.made import Made
from dlint.rewriting.each_process.moved.shared_settings import may_read_another
from dlint.rewriting.each_process.per_process import PerProcess, body_text, kept_under, stood
from dlint.rewriting.edits import Edits
from dlint.rewriting.header import Statement, begins_cell, blank_lines, spaced
from dlint.rewriting.pieces import statements
from dlint.rewriting.pieces.imports import name_for
from dlint.rewriting.pieces.installed import is_installed
from dlint.rewriting.pieces.line_comments import for_linter
from dlint.rewriting.refusal import CannotRepair
from dlint.rewriting.source import Source

# The last line of a function of this kind.
_KEPT = re.compile(r"return _\w+_by_(?:pid|worker)\[")


def as_function(source: Source, edits: Edits, made: Made, how: PerProcess) -> None:
    """Turn a module-level ``POOL = make()`` into ``pool()``, which makes one for each process, or worker."""
    by_worker = bool(how.torch)
    how = replace(how, stood=stood(source, made))
    function, store, uses = function_for(source, made, by_worker=by_worker)
    os = "" if by_worker else name_for(source, edits, "os", "os")
    column = len(source.module.default_indent)
    said = for_linter(source.line_of(made.statement))
    how = how if by_worker else replace(how, said=said)
    body = textwrap.indent(body_text(source, how, store, os, column), "    ")
    entry = f"{{None: {source.code(made.value)}}}{said}" if by_worker else "{}"
    blank = "\n" * blank_lines(source.module.body)
    new = statements.parse(source, f"{store} = {entry}\n{blank}def {function}():\n{body}")
    below = _below_constants(source, made, uses)
    if below is None:
        statements.replace_line(source, edits, made.statement, new)
    else:
        statements.replace_line(source, edits, made.statement, new[:1])
        most = blank_lines(source.module.body)
        edits.insert_before(below, [spaced(new[1], most)], ("function", function))
        edits.change(below, lambda node: spaced(node, most), "below functions")
    edits.define(function)
    for use in uses:
        edits.replace(use, cst.Call(cst.Name(function)), key=("use", made.name))


def _below_constants(source: Source, made: Made, uses: Sequence[cst.CSTNode]) -> Statement | None:
    """What stands below the line that makes it, the plain assignments that follow and need nothing of it, and
    functions of this kind; None where nothing does, or where a cell ends before that."""
    _, body, index = statements.block_of(source, made.statement)
    functions = False
    for line in body[index + 1 :] if source.path.suffix != ".ipynb" else ():
        if begins_cell(line) or any(source.encloses(line, use) for use in uses if not functions):
            return None if begins_cell(line) or not isinstance(line, cst.FunctionDef | cst.ClassDef) else line
        if isinstance(line, cst.FunctionDef) and _KEPT.search(source.code(line.body)):
            functions = True
        elif functions or not (
            isinstance(line, cst.SimpleStatementLine)
            and all(isinstance(each, cst.Assign | cst.AnnAssign) for each in line.body)
        ):
            return line if isinstance(line, cst.FunctionDef | cst.ClassDef) else None
    return None


def function_for(source: Source, made: Made, *, by_worker: bool) -> tuple[str, str, list[cst.CSTNode]]:
    """The names of the function and of its dict, and the uses of the name they replace. Raises CannotRepair
    where the name may be used or set elsewhere."""
    name = made.name
    if not (name.startswith("_") or _is_script(source)) and (_lists(source, name) or is_installed(source)):
        raise CannotRepair("other programs may import it: make it in each process")
    with source.surroundings.asking() as program:
        home = source.surroundings.module(source).relative
        elsewhere = next(uses_elsewhere(program, home, name), None)
        if elsewhere is not None:
            line = getattr(elsewhere.node, "lineno", 1)
            raise CannotRepair(f"{elsewhere.module.relative}:{line} may use it too: make it in each process")
        for arg in made.value.args if not by_worker else ():
            if may_read_another(source, program, arg.value):
                said = source.code(arg.value)
                raise CannotRepair(f"{said} may be another by then: keep it, and make it in each process")
    scope = next(s for s in source.metadata(ScopeProvider).values() if isinstance(s, GlobalScope))
    assignments = list(scope[name])
    if source.parent(source.line_of(made.statement)) is not source.module:
        raise CannotRepair("it is set inside an if or another block: make it in each process")
    if len(assignments) != 1:
        raise CannotRepair("it is assigned more than once: make it in each process")
    uses = [_root(access.node) for access in assignments[0].references]
    if any(isinstance(source.parent(use), cst.Global | cst.NameItem | cst.Del) for use in uses):
        raise CannotRepair("it is assigned more than once: make it in each process")
    if any(_is_kept_at_import(source, use) for use in uses):
        raise CannotRepair("the module hands it on when it is imported: make it in each process")
    function = name.lower()
    store = kept_under(function, by_worker=by_worker)
    if (function != name and function in source.bound_names) or store in source.bound_names:
        raise CannotRepair(f"the names {function} and {store} are in use: make it in each process")
    return function, store, uses


def _is_kept_at_import(source: Source, use: cst.CSTNode) -> bool:
    """Whether a use is a default or a decorator, or gives the object another name, when the module runs."""
    for above in source.ancestors(use):
        if isinstance(above, cst.Decorator) or (isinstance(above, cst.Param) and above.default is not None):
            return True
        if isinstance(above, cst.FunctionDef | cst.Lambda):
            return False
    return isinstance(source.parent(use), cst.Assign | cst.AnnAssign | cst.Arg | cst.Element)


def _root(node: cst.CSTNode) -> cst.CSTNode:
    while isinstance(node, cst.Attribute):
        node = node.value
    return node


def _lists(source: Source, name: str) -> bool:
    """Whether the module tells others of a name: ``__all__``."""
    strings = source.descendants(source.module, cst.SimpleString) if "__all__" in source.module.code else ()
    return any(each.evaluated_value == name for each in strings)


def _is_script(source: Source) -> bool:
    return any(
        isinstance(each, cst.If) and "__name__" in source.code(each.test) for each in source.module.body
    )
