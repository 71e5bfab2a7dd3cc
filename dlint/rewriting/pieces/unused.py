"""What an edit leaves without use: locals that nothing reads any more, and imports."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from itertools import dropwhile
from typing import Any

import libcst as cst

from dlint.changes.mentions import uses_elsewhere
from dlint.rewriting.edits import Edits
from dlint.rewriting.pieces import statements
from dlint.rewriting.refusal import CannotRepair
from dlint.rewriting.source import Source

# Calls whose result is all that they are for, in a function that seeds.
_ONLY_GIVE = frozenset(
    {
        "numpy.random.get_state",
        "numpy.random.choice",
        "numpy.random.randint",
        "torch.utils.data.get_worker_info",
        "torch.initial_seed",
        "time.time",
        "os.getpid",
        "int",
        "len",
        "str",
        "abs",
        "hash",
    }
)
_SAMPLERS = "torch.utils.data."
LOOKS_AT_NAMES = frozenset({"locals", "vars", "eval", "exec"})


def assignments_of(source: Source, function: cst.FunctionDef, name: str) -> list[cst.Assign]:
    """The plain assignments of a function to a local."""
    return [
        each
        for each in source.descendants(function.body, cst.Assign)
        if len(each.targets) == 1
        and isinstance(each.targets[0].target, cst.Name)
        and each.targets[0].target.value == name
    ]


def only_value(source: Source, function: cst.FunctionDef, name: str) -> cst.Assign | None:
    """The assignment that alone gives a local its value."""
    stores = sum(1 for each in mentions_in(source, function.body, name) if _is_target(source, each))
    found = assignments_of(source, function, name)
    is_parameter = any(each.name.value == name for each in source.descendants(function.params, cst.Param))
    return found[0] if len(found) == stores == 1 and not is_parameter else None


def mentions_in(source: Source, node: cst.CSTNode, name: str) -> Iterator[cst.Name]:
    """The names in ``node`` that read so and stand for a variable."""
    for each in source.descendants(node, cst.Name):
        if each.value == name and not is_of_other(source, each):
            yield each


def is_of_other(source: Source, name: cst.Name) -> bool:
    """Whether a name is one of something else: of an attribute, or of what a call gives by it."""
    parent = source.parent(name)
    return (isinstance(parent, cst.Attribute) and parent.attr is name) or (
        isinstance(parent, cst.Arg) and parent.keyword is name
    )


def _is_target(source: Source, name: cst.Name) -> bool:
    """Whether a name is stored to (or, to be on the safe side, anything that is no plain read)."""
    inner: cst.CSTNode = name
    for above in source.ancestors(name):
        if isinstance(
            above, cst.AssignTarget | cst.NamedExpr | cst.Global | cst.Nonlocal | cst.Del | cst.AsName
        ):
            return not (isinstance(above, cst.NamedExpr) and above.value is inner)
        if isinstance(above, cst.AugAssign | cst.AnnAssign | cst.For | cst.CompFor):
            return above.target is inner
        if isinstance(above, cst.BaseSmallStatement | cst.BaseCompoundStatement):
            return False
        if isinstance(above, cst.Attribute | cst.Subscript | cst.Call):
            return False
        inner = above
    return False


def remove_unused(source: Source, edits: Edits, gone: cst.CSTNode) -> None:
    """Take away what ``gone``, which goes, alone has read: locals that were set to a plain value or a
    sampler, imported names. What does something besides stays."""
    function = source.function_of(gone)
    out: list[cst.CSTNode] = [gone]
    if isinstance(function, cst.FunctionDef) and not source.names_in(function) & LOOKS_AT_NAMES:
        out = _drop_locals(source, edits, function, out, _is_plain)
    drop_unused_imports(source, edits, out)


def drop_unused_locals(
    source: Source,
    edits: Edits,
    function: cst.FunctionDef,
    gone: Collection[cst.CSTNode],
    said: Collection[str] = (),
) -> None:
    """Take away the locals that only ``gone`` (what the edits take away or replace) read; what stands there
    now says the names in ``said``.

    Raises CannotRepair where such a local's value does something besides.
    """

    def only_gives(source: Source, value: cst.BaseExpression) -> bool:
        calls = source.calls_in(value)
        if not all((source.qualified(each.func) or source.code(each.func)) in _ONLY_GIVE for each in calls):
            raise CannotRepair(
                f"{source.code(value)} would be left without use: seed from torch.initial_seed()"
            )
        return True

    _drop_locals(source, edits, function, gone, only_gives, said)


def _drop_locals(
    source: Source,
    edits: Edits,
    function: cst.FunctionDef,
    gone: Collection[cst.CSTNode],
    may_go: Callable[[Source, cst.BaseExpression], bool],
    said: Collection[str] = (),
) -> list[cst.CSTNode]:
    """Take away the locals that only ``gone`` read and whose values may go; gives all that goes."""
    out = list(gone)
    names = {name for node in out for name in source.names_in(node)}
    while names:
        name = names.pop()
        assigned = only_value(source, function, name) if name not in said else None
        if assigned is None or any(each is assigned or source.encloses(each, assigned) for each in out):
            continue
        reads = [
            each for each in mentions_in(source, function.body, name) if not source.encloses(assigned, each)
        ]
        if not reads or not all(_is_inside(source, each, out) for each in reads):
            continue
        if not may_go(source, assigned.value):
            continue
        statements.remove_statement(source, edits, assigned)
        out.append(assigned)
        names |= source.names_in(assigned.value)
    return out


def _is_plain(source: Source, node: cst.BaseExpression) -> bool:
    """Whether a value does nothing but be there."""
    acts = (cst.Await, cst.NamedExpr, cst.Yield, cst.Subscript, cst.BinaryOperation)
    if any(isinstance(each, acts) for each in [node, *source.descendants(node, *acts)]):
        return False
    return all(_makes_sampler(source, each) for each in source.calls_in(node))


def _makes_sampler(source: Source, call: cst.Call) -> bool:
    name = source.qualified(call.func) or ""
    said = source.code(call.func)
    return (name.startswith(_SAMPLERS) and name.endswith("Sampler")) or said in ("len", "range")


def _is_inside(source: Source, node: cst.CSTNode, nodes: Collection[cst.CSTNode]) -> bool:
    return any(each is node or source.encloses(each, node) for each in nodes)


def drop_unused_imports(source: Source, edits: Edits, gone: Collection[cst.CSTNode]) -> None:
    """Take away the imports of names that only ``gone`` read, in a file whose names nobody else takes."""
    if source.path.name == "__init__.py" or "__all__" in source.identifiers:
        return
    unused: dict[cst.Import | cst.ImportFrom, list[str]] = {}
    for name in sorted({each for node in gone for each in source.names_in(node)}):
        imports = _imports_of_name(source, name)
        mentions = [
            each
            for each in source.descendants(source.module, cst.Name)
            if each.value == name and not source.enclosing(each, cst.Import, cst.ImportFrom)
        ]
        if (
            len(imports) == 1
            and mentions
            and all(_is_inside(source, each, gone) for each in mentions)
            and source.parent(source.line_of(imports[0])) is source.module
            and not is_wanted(source, name)
        ):
            unused.setdefault(imports[0], []).append(name)
    out: list[cst.CSTNode] = []
    for statement, names in unused.items():
        assert not isinstance(statement.names, cst.ImportStar)
        if len(statement.names) == len(names):
            statements.remove_statement(source, edits, statement)
            out.append(source.line_of(statement))
        else:
            edits.change(statement, _without(names), key=("unused", *names))
    body = source.module.body
    left = list(dropwhile(lambda line: any(line is each for each in out), body))
    if left and left[0] is not body[0]:
        edits.change(left[0], _without_blank_lines)


def drop_own_imports(
    source: Source, edits: Edits, function: cst.FunctionDef, gone: cst.CSTNode, needed: Collection[str]
) -> None:
    """Take away the imports of a function that only ``gone`` read, but for names that are still ``needed``:
    those that stand in its own block or beside ``gone``, which no handler waits for."""
    if source.names_in(function) & LOOKS_AT_NAMES:
        return
    blocks = [source.parent(source.line_of(gone)), function.body]
    for statement in source.descendants(function.body, cst.Import, cst.ImportFrom):
        if isinstance(statement.names, cst.ImportStar) or not any(
            source.parent(source.line_of(statement)) is block for block in blocks
        ):
            continue
        unused = [
            name
            for alias in statement.names
            if (name := str(alias.evaluated_alias or alias.evaluated_name)).isidentifier()
            and name not in needed
            and len(_imports_of_name(source, name, function)) == 1
            and (read := _reads_in(source, function, name))
            and all(_is_inside(source, each, [gone]) for each in read)
        ]
        if not unused:
            continue
        if len(unused) < len(statement.names):
            edits.change(statement, _without(unused), key=("unused", *unused))
        elif not statements.leaves_pass(source, statement):
            statements.remove_statement(source, edits, statement)
            block, _, index = statements.block_of(source, statement)
            if index == 0:
                edits.change(block, _without_blank_head, key="head")


def drop_guarded_imports(source: Source, edits: Edits, modules: Collection[tuple[str, str]]) -> None:
    """Take away, under the main guard, the imports of modules (each with its name there) that the file will
    import at its top."""
    for statement in source.descendants(source.module, cst.Import):
        block = source.parent(source.line_of(statement))
        branch = source.parent(block) if block is not None else None
        if not isinstance(block, cst.IndentedBlock) or not isinstance(branch, cst.If):
            continue
        if source.parent(branch) is not source.module:
            continue
        said = [
            (each.evaluated_name, each.evaluated_alias or each.evaluated_name) for each in statement.names
        ]
        gone = [name for module, name in said if (module, name) in modules]
        if gone and len(gone) < len(said):
            edits.change(statement, _without(gone), key=("guarded", *gone))
        elif gone and not statements.leaves_pass(source, statement):
            statements.remove_statement(source, edits, statement)
            edits.change(block, _without_blank_head, key="head")


def _reads_in(source: Source, function: cst.FunctionDef, name: str) -> list[cst.Name]:
    return [
        each
        for each in mentions_in(source, function.body, name)
        if not source.enclosing(each, cst.Import, cst.ImportFrom)
    ]


def _imports_of_name(
    source: Source, name: str, inside: cst.CSTNode | None = None
) -> list[cst.Import | cst.ImportFrom]:
    return [
        statement
        for statement in source.descendants(inside or source.module, cst.Import, cst.ImportFrom)
        if not isinstance(statement.names, cst.ImportStar)
        for alias in statement.names
        if (alias.evaluated_alias or alias.evaluated_name) == name
    ]


def _without(gone: Collection[str]) -> Callable[[Any], cst.CSTNode]:
    def change(node: cst.Import | cst.ImportFrom) -> cst.CSTNode:
        assert not isinstance(node.names, cst.ImportStar)
        names = [each for each in node.names if (each.evaluated_alias or each.evaluated_name) not in gone]
        in_brackets = isinstance(node, cst.ImportFrom) and node.lpar is not None
        comma = node.names[-1].comma if in_brackets else cst.MaybeSentinel.DEFAULT
        return node.with_changes(names=[*names[:-1], names[-1].with_changes(comma=comma)])

    return change


def _without_blank_lines(
    node: cst.SimpleStatementLine | cst.BaseCompoundStatement,
) -> cst.SimpleStatementLine | cst.BaseCompoundStatement:
    """A statement that comes to be the file's first."""
    lines = list(dropwhile(lambda line: line.comment is None, node.leading_lines))
    return node.with_changes(leading_lines=lines)


def _without_blank_head(block: cst.IndentedBlock) -> cst.IndentedBlock:
    """A block whose first statement, whatever that has come to be, stands right under its head."""
    first, *rest = block.body
    assert isinstance(first, cst.SimpleStatementLine | cst.BaseCompoundStatement)
    return block.with_changes(body=[_without_blank_lines(first), *rest])


def is_wanted(source: Source, name: str) -> bool:
    """Whether another file may take the name from this one."""
    home = source.surroundings.relative(source.path)
    with source.surroundings.asking() as program:
        return any(True for _ in uses_elsewhere(program, home, name))
