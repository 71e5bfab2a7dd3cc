"""Keeps what pickle can send in the place of what it refuses.

A module that an object keeps is used by the name that its import gave it, or, where that name is something
else there or other files read the attribute, kept by the class, of whose body pickle sends nothing. Of a
generator that is gone through in one place, and gives little that is soon there, a list is kept.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import libcst as cst
from libcst.metadata import GlobalScope, ImportAssignment, ScopeProvider

from dlint.changes.mentions import Mention, mentions
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
    {"dict", "enumerate", "frozenset", "list", "map", "set", "sorted", "sum", "tqdm", "tuple", "zip"}
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
        if not of_module:
            _keep_list(source, edits, kin, value, name)
            return
        try:
            uses = _uses_by_name(source, kin, method, value, name)
        except CannotRepair:
            if not _is_there(source, value, owner):
                raise
            _keep_in_class(source, edits, owner, statement, name)
        else:
            uses.put(source, edits, method, statement)


def _check_names(program: Program, name: str) -> None:
    """Refuse where the program may ask for the attribute by its name."""
    said = re.compile(rf"""['"]{re.escape(name)}['"]""")
    by_name = re.compile(r"attr\(|__dict__|__getstate__|__slots__")
    for module in program.modules.mentioning(name):
        if said.search(module.text) and by_name.search(module.text):
            raise CannotRepair(f"{module.relative} may ask for it by its name")


def _reads(kin: Kin, name: str) -> Iterator[Mention]:
    """The reads of the attribute in the program."""
    for mention in mentions(kin.program, name):
        node = mention.node
        is_read = isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load)
        if is_read and kin.may_be(node.value, mention.module, mention.trail):  # type: ignore[attr-defined]
            yield mention


def _own_reads(source: Source, kin: Kin, name: str) -> Iterator[cst.Attribute]:
    """The reads of the attribute, which all stand in this file. Raises CannotRepair for others."""
    here = source.surroundings.module(source)
    places: set[tuple[int, int]] = set()
    for mention in _reads(kin, name):
        node = mention.node
        assert isinstance(node, ast.Attribute)
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


@dataclass(frozen=True)
class _Uses:
    """The places that use a module's name (``value``) in the place of an attribute, and the import that gives
    it where a method imports it itself (``own``)."""

    value: cst.BaseExpression
    reads: tuple[cst.Attribute, ...]
    own: cst.Import | cst.ImportFrom | None

    def put(self, source: Source, edits: Edits, method: cst.FunctionDef, statement: cst.Assign) -> None:
        for each in self.reads:
            edits.replace(each, self.value)
        functions = dict.fromkeys(map(source.function_of, self.reads))
        for function in functions if self.own is not None else ():
            if function is not method:
                assert isinstance(function, cst.FunctionDef) and self.own is not None
                _import_in(edits, function, self.own)
        statements.remove_statement(source, edits, statement)
        if self.own is not None and method not in functions:
            drop_own_imports(source, edits, method, statement, ())


def _uses_by_name(
    source: Source, kin: Kin, method: cst.FunctionDef, value: cst.BaseExpression, name: str
) -> _Uses:
    """The places where the name of a module may stand for an attribute. Raises CannotRepair."""
    root = _root(value)
    if root is None:
        raise CannotRepair("it is no name that an import gives")
    own = _own_import(source, method, root)
    reads = tuple(_own_reads(source, kin, name))
    for each in reads if own is not None else [value, *reads]:
        if not _is_imported(source, each, root, own):
            raise CannotRepair(f"{root} may be something else where it is used")
    for function in map(source.function_of, reads):
        if own is None or function is method:
            continue
        if not isinstance(function, cst.FunctionDef):
            raise CannotRepair("it is used in a lambda")
        if not isinstance(function.body, cst.IndentedBlock):
            raise CannotRepair("it is used in a function of one line")
    return _Uses(value, reads, own)


def _root(value: cst.BaseExpression) -> str | None:
    """The first name of ``a.b.c``."""
    while isinstance(value, cst.Attribute):
        value = value.value
    return value.value if isinstance(value, cst.Name) else None


def _is_there(source: Source, value: cst.BaseExpression, owner: cst.ClassDef) -> bool:
    """Whether a value is what an import of the module alone surely gives where a class is made."""
    root = _root(value)
    if (
        root is None
        or not _is_imported(source, value, root, None)
        or source.parent(owner) is not source.module
    ):
        return False
    scope = source.metadata(ScopeProvider)[value]
    assert scope is not None
    lines = [source.line_of(each.node) for each in scope[root] if isinstance(each, ImportAssignment)]
    before = source.module.body[: source.module.body.index(owner)]
    return all(any(line is each for each in before) for line in lines)


def _keep_in_class(
    source: Source, edits: Edits, owner: cst.ClassDef, statement: cst.Assign, name: str
) -> None:
    """Have the class keep what its objects kept."""
    line = source.line_of(statement)
    behind = ""
    if isinstance(line, cst.SimpleStatementLine) and len(line.body) == 1:
        comment = line.trailing_whitespace.comment
        behind = f"{line.trailing_whitespace.whitespace.value}{comment.value}" if comment else ""
    text = (
        f"# Pickle refuses a module: the class keeps it.\n{name} = {source.code(statement.value)}{behind}\n"
    )
    statements.insert_before_methods(source, edits, owner, text)
    statements.remove_statement(source, edits, statement)


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
    reads = list(_reads(kin, name))
    twice = any(_share_an_object(kin, *each) for each in combinations(reads, 2))
    if twice or not all(map(_goes_through, reads)):
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


def _share_an_object(kin: Kin, one: Mention, other: Mention) -> bool:
    of_self = all(ast.unparse(each.node).startswith("self.") for each in (one, other))
    return not of_self or kin.share_an_object(one.trail, other.trail)


def _goes_through(read: Mention) -> bool:
    """Whether all that an attribute gives is taken where it is read, however many there are."""
    node, above = read.node, read.trail[-2]
    match above:
        case ast.For(iter=each) | ast.comprehension(iter=each):
            return each is node
        case ast.Call(func=ast.Name(id=called), args=given):
            return called in _GOES_THROUGH and any(each is node for each in given)
    return False


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
