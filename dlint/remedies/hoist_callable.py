"""Moves a lambda or local function to the module, where a spawned worker can find it by name.

What it uses of the function around it becomes its first parameters, bound with ``functools.partial``.
"""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst
from libcst.metadata import GlobalScope, ImportAssignment, ScopeProvider

from dlint.finding import Finding
from dlint.rewriting import header, statements
from dlint.rewriting.edits import CannotRepair, Edits
from dlint.rewriting.imports import imports_that_bind, name_for
from dlint.rewriting.locals import local_names, names_read
from dlint.rewriting.source import Source

_BY_HAND = "define it at module level, and bind what it needs with functools.partial, by hand"


def repair(source: Source, finding: Finding, edits: Edits) -> None:
    """Hoist the callable that the finding points at or names."""
    node = source.at(finding, cst.Lambda, cst.FunctionDef, cst.Name)
    if isinstance(node, cst.Name):
        node = _definition(source, node)
    if isinstance(node, cst.FunctionDef):
        _hoist_function(source, edits, node)
    elif _is_module_assignment(source, node):
        _define_in_place(source, edits, node)
    else:
        _hoist_lambda(source, edits, node)


def _hoist_lambda(source: Source, edits: Edits, node: cst.Lambda) -> None:
    free = _free(source, edits, node)
    name = _name_for_lambda(source, node)
    function = _as_function(source, name, node, free)
    _insert_before_top(source, edits, node, function)
    edits.define(name)
    edits.replace(node, _bound(source, edits, name, free))


def _define_in_place(source: Source, edits: Edits, node: cst.Lambda) -> None:
    """``name = lambda x: ...`` in the module becomes ``def name(x): ...``."""
    assign = source.parent(node)
    assert isinstance(assign, cst.Assign)
    name = source.code(assign.targets[0].target)
    function = _as_function(source, name, node, [])
    blank = [cst.EmptyLine(indent=False)] * 2
    _, body, index = statements.block_of(source, assign)
    line = body[index]
    assert isinstance(line, header.Statement)
    there = sum(each.comment is None for each in line.leading_lines)
    statements.replace_line(
        source, edits, assign, [function.with_changes(leading_lines=blank[there:] if index else [])]
    )


def _hoist_function(source: Source, edits: Edits, node: cst.FunctionDef) -> None:
    name = node.name.value
    inner = list(source.descendants(node, cst.Nonlocal, cst.Global))
    if node.decorators or inner or "super()" in source.code(node.body):
        raise CannotRepair(_BY_HAND)
    if name in _module_names(source) and source.function_of(node) is not None:
        raise CannotRepair(f"the module has another {name}: {_BY_HAND}")
    free = [each for each in _free(source, edits, node) if each != name]
    block, body, index = statements.block_of(source, node)
    if isinstance(block, cst.Module) or len(body) == 1:
        raise CannotRepair(_BY_HAND)
    uses = _uses(source, node)
    if free and (not uses or any(not isinstance(source.parent(use), cst.Arg) for use in uses)):
        raise CannotRepair(_BY_HAND)
    _insert_before_top(source, edits, node, node.with_changes(params=_with_first(node.params, free)))
    edits.define(name)
    edits.claim(node)
    edits.remove(node)
    if index + 1 < len(body):
        edits.change(body[index + 1], _without_blank)
    for use in uses if free else ():
        edits.replace(use, _bound(source, edits, name, free))


def _without_blank(statement: header.Statement) -> header.Statement:
    """The statement without the blank lines before it."""
    kept = list(statement.leading_lines)
    while kept and kept[0].comment is None:
        kept.pop(0)
    return statement.with_changes(leading_lines=kept)


def _with_first(params: cst.Parameters, names: Sequence[str]) -> cst.Parameters:
    return params.with_changes(params=[*(cst.Param(cst.Name(each)) for each in names), *params.params])


def _free(source: Source, edits: Edits, node: cst.Lambda | cst.FunctionDef) -> list[str]:
    """The names that must be bound, where their values stay what they are when the callable is made."""
    params = [*node.params.params, *node.params.kwonly_params, *node.params.posonly_params]
    if any(each.default is not None and local_names(source, each.default) for each in params):
        raise CannotRepair(_BY_HAND)
    guard = source.top_level(node)
    if isinstance(guard, cst.If):
        _bring_along(source, edits, guard, node)
    free = local_names(source, node)
    if "self" in free or "cls" in free:
        raise CannotRepair(f"it uses {'self' if 'self' in free else 'cls'}: make it a method, by hand")
    around = source.function_of(node)
    scopes = source.metadata(ScopeProvider)
    for name in free:
        scope = scopes[around.body] if around is not None else None
        assignments = [] if scope is None else list(scope[name])
        nodes = [getattr(each, "node", None) for each in assignments]
        awkward = any(isinstance(each, ImportAssignment) for each in assignments) or any(
            isinstance(each, cst.FunctionDef | cst.ClassDef | cst.Lambda) for each in nodes
        )
        if name != getattr(getattr(node, "name", None), "value", None) and (len(assignments) != 1 or awkward):
            raise CannotRepair(f"{name} cannot be bound when it is made: {_BY_HAND}")
    return free


def _bring_along(source: Source, edits: Edits, guard: cst.If, node: cst.CSTNode) -> None:
    """What only the main guard binds does not exist in a spawned worker: modules that the callable uses are
    imported at the top as well; with anything else the callable stays where it is."""
    for name, scope in names_read(source, node):
        bindings = [each for each in scope[name] if isinstance(each.scope, GlobalScope)]
        nodes = [getattr(each, "node", None) for each in bindings]
        if not nodes or node in nodes or not all(each and source.encloses(guard, each) for each in nodes):
            continue
        imports = imports_that_bind(name, bindings)
        if imports is None:
            raise CannotRepair(f"it uses {name}, which only the main guard sets: {_BY_HAND}")
        for module, alias in imports:
            edits.add_import(module, alias)


def _as_function(source: Source, name: str, node: cst.Lambda, free: Sequence[str]) -> cst.FunctionDef:
    body = node.body
    if not _stands_alone(source.code(body)):
        body = body.with_changes(lpar=[cst.LeftParen(), *body.lpar], rpar=[*body.rpar, cst.RightParen()])
    suite = cst.IndentedBlock([cst.SimpleStatementLine([cst.Return(_dedented(body))])])
    return cst.FunctionDef(cst.Name(name), _with_first(node.params, free), suite)


def _stands_alone(code: str) -> bool:
    """Whether the lines of an expression hang together without the call's brackets around them."""
    try:
        cst.parse_statement(f"return {code}")
    except cst.ParserSyntaxError:
        return False
    return True


def _dedented(body: cst.BaseExpression) -> cst.BaseExpression:
    """The expression with its inner lines moved left as far as they stand too far right."""
    gaps: list[cst.ParenthesizedWhitespace] = []

    class Collect(cst.CSTVisitor):
        def visit_ParenthesizedWhitespace(self, node: cst.ParenthesizedWhitespace) -> None:
            gaps.append(node)

    body.visit(Collect())
    too_far = min((len(gap.last_line.value) for gap in gaps if gap.indent), default=0)

    class Dedent(cst.CSTTransformer):
        def leave_ParenthesizedWhitespace(
            self, original_node: cst.ParenthesizedWhitespace, updated_node: cst.ParenthesizedWhitespace
        ) -> cst.ParenthesizedWhitespace:
            return updated_node.with_changes(
                last_line=cst.SimpleWhitespace(updated_node.last_line.value[too_far:]),
                empty_lines=[
                    line.with_changes(whitespace=cst.SimpleWhitespace(line.whitespace.value[too_far:]))
                    for line in updated_node.empty_lines
                ],
            )

    result = body.visit(Dedent())
    assert isinstance(result, cst.BaseExpression)
    return result


def _bound(source: Source, edits: Edits, name: str, free: Sequence[str]) -> cst.BaseExpression:
    if not free:
        return cst.Name(name)
    functools = name_for(source, edits, "functools", "functools")
    return statements.expression(f"{functools}.partial({name}, {', '.join(free)})")


def _insert_before_top(source: Source, edits: Edits, node: cst.CSTNode, function: cst.FunctionDef) -> None:
    top = source.top_level(node)
    blank = [cst.EmptyLine(indent=False)] * 2
    comments = [line for line in function.leading_lines if line.comment is not None]
    first = source.module.body[0] is top
    edits.insert_before(top, [function.with_changes(leading_lines=[*([] if first else blank), *comments])])
    edits.change(top, lambda each: header.spaced(each, 2))


def _name_for_lambda(source: Source, node: cst.Lambda) -> str:
    parent = source.parent(node)
    wished = "function"
    if isinstance(parent, cst.Arg):
        call = source.parent(parent)
        if parent.keyword is not None:
            wished = parent.keyword.value
        elif isinstance(call, cst.Call) and node.params.params:
            wished = f"transform_{node.params.params[0].name.value}".rstrip("_")
    elif isinstance(parent, cst.Assign):
        wished = source.code(parent.targets[0].target).rpartition(".")[2]
    if not wished.isidentifier():
        wished = "function"
    for name in (wished, f"_{wished}", f"{wished}_of_{source.path.stem}"):
        if name not in source.bound_names and name.isidentifier():
            return name
    raise CannotRepair(_BY_HAND)


def _definition(source: Source, name: cst.Name) -> cst.FunctionDef:
    found = [
        each
        for each in source.descendants(source.module, cst.FunctionDef)
        if each.name.value == name.value and not isinstance(source.parent(source.line_of(each)), cst.Module)
    ]
    if len(found) != 1:
        raise CannotRepair(_BY_HAND)
    function: cst.FunctionDef = found[0]
    return function


def _uses(source: Source, function: cst.FunctionDef) -> list[cst.Name]:
    around = source.function_of(function)
    within: cst.CSTNode = around if around is not None else source.module
    return [
        each
        for each in source.descendants(within, cst.Name)
        if each.value == function.name.value
        and each is not function.name
        and not isinstance(source.parent(each), cst.Attribute)
        and not (isinstance(source.parent(each), cst.Arg) and source.parent(each).keyword is each)  # type: ignore[union-attr]
    ]


def _is_module_assignment(source: Source, node: cst.Lambda) -> bool:
    parent = source.parent(node)
    return (
        isinstance(parent, cst.Assign)
        and len(parent.targets) == 1
        and isinstance(parent.targets[0].target, cst.Name)
        and source.parent(source.line_of(parent)) is source.module
    )


def _module_names(source: Source) -> set[str]:
    scopes = source.metadata(ScopeProvider).values()
    return {each.name for scope in scopes if isinstance(scope, GlobalScope) for each in scope.assignments}
