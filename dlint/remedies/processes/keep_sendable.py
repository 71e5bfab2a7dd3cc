"""Keeps what pickle can send in the place of what it refuses.

A module that an object keeps is used by the name that its import gave it. Of a generator that is gone through
in one place, and gives little that is soon there, a list is kept.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import libcst as cst
from libcst.metadata import GlobalScope, ImportAssignment, ScopeProvider

from dlint.changes.mentions import mentions
from dlint.changes.stores import Kin
from dlint.finding import Finding
from dlint.program.program import Program
from dlint.rewriting.each_process.attribute import check_property, kin_of
from dlint.rewriting.each_process.made import StaysShared
from dlint.rewriting.edits import Edits
from dlint.rewriting.pieces import statements
from dlint.rewriting.pieces.unused import drop_own_imports
from dlint.rewriting.refusal import CannotRepair
from dlint.rewriting.source import Source

_MODULE_BY_HAND = "import it where it is used, or keep its name"
_LIST_BY_HAND = "keep a list of what it gives, or make it where it is used"
# What goes through all that a thing gives, once.
_GOES_THROUGH = frozenset(
    {"dict", "enumerate", "frozenset", "list", "map", "set", "sorted", "sum", "tuple", "zip"}
)
# Calls that give what is there, and end.
_LISTS = re.compile(
    r"(?:.*\.)?(?:glob|iglob|iterdir|listdir|rglob|items|keys|values|split|splitlines)|enumerate|list|range"
    r"|reversed|sorted|tuple|zip"
)
# Calls that make nothing large of what they are given.
_SMALL = re.compile(
    r"(?:os\.path|osp|path)\.\w+|(?:pathlib\.)?Path|bool|float|int|len|str|isinstance"
    r"|.*\.(?:endswith|startswith|is_dir|is_file|exists|lower|upper|strip|lstrip|rstrip|replace|joinpath"
    r"|with_suffix|with_name|relative_to|match|removesuffix|removeprefix|format|join|split|partition"
    r"|rpartition)"
)


def repair(source: Source, finding: Finding, edits: Edits) -> None:
    """Keep something else in the attribute that the finding points at, or nothing."""
    data = finding.remedy.data if finding.remedy else {}
    of_module = data.get("kind") == "module"
    try:
        _repair(source, finding, edits, of_module)
    except CannotRepair as error:
        why = error.why if isinstance(error, StaysShared) else error
        raise CannotRepair(f"{why}: {_MODULE_BY_HAND if of_module else _LIST_BY_HAND}") from error


def _repair(source: Source, finding: Finding, edits: Edits, of_module: bool) -> None:
    statement = source.at(finding, cst.Assign, cst.BaseExpression)
    if not isinstance(statement, cst.Assign):
        statement = source.statement_of(statement)
    method = source.function_of(statement)
    owner: cst.ClassDef | None = source.enclosing(statement, cst.ClassDef)
    match statement:
        case cst.Assign(
            targets=[
                cst.AssignTarget(
                    target=cst.Attribute(value=cst.Name(value="self"), attr=cst.Name(value=name))
                )
            ],
            value=value,
        ) if owner is not None and isinstance(method, cst.FunctionDef):
            pass
        case _:
            raise CannotRepair("it is not simply stored in an attribute")
    with source.surroundings.asking() as program:
        kin = kin_of(source, program, owner)
        check_property(source, kin, name, statement)
        _check_names(program, name)
        if of_module:
            _use_by_name(source, edits, kin, method, statement, name)
        else:
            _keep_list(source, edits, kin, value, name)


def _check_names(program: Program, name: str) -> None:
    """Refuse where the program may ask for the attribute by its name."""
    said = re.compile(rf"""['"]{re.escape(name)}['"]""")
    by_name = re.compile(r"attr\(|__dict__|__getstate__|__slots__")
    for module in program.modules.mentioning(name):
        if said.search(module.text) and by_name.search(module.text):
            raise CannotRepair(f"{module.relative} may ask for it by its name")


def _reads(source: Source, kin: Kin, name: str) -> Iterator[cst.Attribute]:
    """The reads of the attribute, which all stand in this file. Raises CannotRepair for others."""
    here = source.surroundings.module(source)
    places: set[tuple[int, int]] = set()
    for mention in mentions(kin.program, name):
        node = mention.node
        if not isinstance(node, ast.Attribute) or not isinstance(node.ctx, ast.Load):
            continue
        if kin.may_be(node.value, mention.module, mention.trail):
            of_self = isinstance(node.value, ast.Name) and node.value.id == "self"
            if mention.module is not here or not of_self:
                raise CannotRepair(f"{mention.module.relative}:{node.lineno} reads it, too")
            places.add((node.lineno, here.column(node.lineno, node.col_offset) - 1))
    for each in source.descendants(source.module, cst.Attribute):
        (line, column), _ = source.range(each)
        if each.attr.value == name and (source.line_in_file(line), column) in places:
            places.discard((source.line_in_file(line), column))
            yield each
    if places:
        raise CannotRepair("it is read in a place that dlint cannot edit")


# A module


def _use_by_name(
    source: Source, edits: Edits, kin: Kin, method: cst.FunctionDef, statement: cst.Assign, name: str
) -> None:
    value = statement.value
    root = value
    while isinstance(root, cst.Attribute):
        root = root.value
    if not isinstance(root, cst.Name):
        raise CannotRepair("it is no name that an import gives")
    own = _own_import(source, method, root.value)
    reads = list(_reads(source, kin, name))
    for each in reads if own is not None else [value, *reads]:
        if not _is_imported(source, each, root.value, own):
            raise CannotRepair(f"{root.value} may be something else where it is used")
    for each in reads:
        edits.replace(each, value)
    for function in dict.fromkeys(map(source.function_of, reads)):
        if own is not None and function is not method:
            if not isinstance(function, cst.FunctionDef):
                raise CannotRepair("it is used in a lambda")
            _import_in(edits, function, own)
    statements.remove_statement(source, edits, statement)
    if own is not None and not any(source.function_of(each) is method for each in reads):
        drop_own_imports(source, edits, method, statement, ())


def _own_import(source: Source, method: cst.FunctionDef, name: str) -> cst.Import | cst.ImportFrom | None:
    """The import of a method's own that alone gives a name, and nothing else."""
    found = [
        each
        for each in source.descendants(method.body, cst.Import, cst.ImportFrom)
        if source.parent(source.line_of(each)) is method.body
        and not isinstance(each.names, cst.ImportStar)
        and len(each.names) == 1
        and str(each.names[0].evaluated_alias or each.names[0].evaluated_name).partition(".")[0] == name
    ]
    return found[0] if len(found) == 1 else None


def _import_in(edits: Edits, function: cst.FunctionDef, own: cst.Import | cst.ImportFrom) -> None:
    """Have a function begin with an import."""
    body = function.body.body
    if not isinstance(function.body, cst.IndentedBlock):
        raise CannotRepair("it is used in a function of one line")
    first = body[1] if function.get_docstring(clean=False) is not None and len(body) > 1 else body[0]
    line = cst.SimpleStatementLine([own.with_changes(semicolon=cst.MaybeSentinel.DEFAULT)])
    edits.insert_before(first, [line])


def _is_imported(
    source: Source, place: cst.CSTNode, name: str, own: cst.Import | cst.ImportFrom | None
) -> bool:
    """Whether a name is at a place what the imports of the module, and nothing else, make of it; or, where
    a method imports it itself (``own``), nothing but what that does."""
    scope = source.metadata(ScopeProvider).get(place)
    if scope is None:
        return False
    found = list(scope[name])
    if own is not None:
        return all(isinstance(each, ImportAssignment) and each.node is own for each in found)
    return bool(found) and all(
        isinstance(each, ImportAssignment) and isinstance(each.scope, GlobalScope) for each in found
    )


# A generator


def _keep_list(source: Source, edits: Edits, kin: Kin, value: cst.BaseExpression, name: str) -> None:
    reads = list(_reads(source, kin, name))
    if len(reads) > 1 or not all(_goes_through(source, each) for each in reads):
        raise CannotRepair("it is not gone through in one place alone")
    if isinstance(value, cst.GeneratorExp):
        if not _is_soon_there(source, value):
            raise CannotRepair("what it gives may be much, or take long")
        edits.replace(value, _listed(value))
        return
    if not (isinstance(value, cst.Call) and _lists(source, value) and _are_small(source, value)):
        raise CannotRepair("what it gives may be much, or take long")
    edits.replace(value, cst.Call(cst.Name("list"), [cst.Arg(value)]))


def _listed(made: cst.GeneratorExp) -> cst.ListComp:
    """The list of what a generator gives, laid out as it was."""
    first, last = made.lpar[0], made.rpar[-1]
    return cst.ListComp(
        made.elt,
        made.for_in,
        cst.LeftSquareBracket(whitespace_after=first.whitespace_after),
        cst.RightSquareBracket(whitespace_before=last.whitespace_before),
    )


def _goes_through(source: Source, read: cst.Attribute) -> bool:
    """Whether all that an attribute gives is taken where it is read, however many there are."""
    parent = source.parent(read)
    if isinstance(parent, cst.For | cst.CompFor):
        return parent.iter is read
    call = source.parent(parent) if isinstance(parent, cst.Arg) else None
    return isinstance(call, cst.Call) and source.code(call.func) in _GOES_THROUGH


def _lists(source: Source, node: cst.BaseExpression) -> bool:
    return isinstance(node, cst.Call) and _LISTS.fullmatch(source.code(node.func)) is not None


def _is_soon_there(source: Source, made: cst.GeneratorExp) -> bool:
    """Whether a generator goes through what ends and is there, and makes nothing large of that."""
    loop: cst.CompFor | None = made.for_in
    while loop is not None:
        if loop.asynchronous is not None or not (
            _lists(source, loop.iter) or isinstance(loop.iter, cst.List | cst.Tuple)
        ):
            return False
        loop = loop.inner_for_in
    return _are_small(source, made) and not any(
        True for _ in source.descendants(made, cst.Await, cst.NamedExpr)
    )


def _are_small(source: Source, made: cst.BaseExpression) -> bool:
    """Whether the calls in an expression only list what is there, and make nothing large of it."""
    return all(
        _SMALL.fullmatch(source.code(each.func)) is not None or _lists(source, each)
        for each in source.descendants(made, cst.Call)
    )
