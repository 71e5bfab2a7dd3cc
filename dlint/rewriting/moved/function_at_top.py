"""A function or class put into a module, right before the statement that needs it; one moved there from
further in."""

from __future__ import annotations

import ast
import re
from collections.abc import Container, Mapping, Sequence
from typing import TypeVar

import libcst as cst

from dlint.rewriting import header
from dlint.rewriting.edits import Edits
from dlint.rewriting.pieces.indenting import open_bracket
from dlint.rewriting.source import Source

_Definition = TypeVar("_Definition", cst.FunctionDef, cst.ClassDef)
_BANNER = re.compile(r"#\s*([-=*#~_+])\1{3,}|#\s*%%|#\s*In\[")


def insert_before_top(
    source: Source, edits: Edits, node: cst.CSTNode, function: cst.FunctionDef | cst.ClassDef
) -> None:
    """Put a function or class before the module's statement that ``node`` stands in.

    Comments that belong to that statement stay with it; one that heads a section stays at its head.
    """
    top = source.top_level(node)
    lines = list(top.leading_lines) if isinstance(top, header.Statement) else []
    start = len(lines)
    while start and lines[start - 1].comment is not None:
        start -= 1
    attached = lines[start:]
    if any(each.comment and _BANNER.match(each.comment.value) for each in attached):
        start, attached = len(lines), []
    above = lines[:start]
    if any(each.comment is not None for each in above):
        edits.define(f"comments over {source.range(top)}")  # no two functions may take them along
    else:
        above = []
    blank = header.blank_lines(source.module.body)
    own = [each for each in function.leading_lines if each.comment is not None]
    first = source.module.body[0] is top
    new: header.Statement = function.with_changes(leading_lines=[*above, *own])
    if first:
        new = function.with_changes(leading_lines=own)
        attached = lines
    elif not above or above[-1].comment is not None:
        new = header.spaced(new, blank) if not above else new
    edits.insert_before(top, [header.spaced(new, 0 if first else blank)])
    edits.change(top, lambda each: header.spaced(each.with_changes(leading_lines=attached), blank))


def equal_function(
    source: Source,
    node: cst.CSTNode,
    function: cst.FunctionDef,
    once: Container[str],
    given: Container[str] | None,
) -> str | None:
    """The name of a function above that the module has already and that is the same; ``once`` are the names
    that the module binds once. ``given`` are the parameters that are given by their names, so that the others
    may have any; None where each may be."""
    top = source.top_level(node)

    def said(each: cst.FunctionDef) -> str:
        return _without_name(source, each) if given is None else _without_names(source, each, given)

    wanted = said(function)
    for each in source.module.body:
        if each is top:
            return None
        if isinstance(each, cst.FunctionDef) and not each.decorators:
            name = each.name.value
            if name in once and said(each) == wanted:
                return name
    return None


def _without_names(source: Source, function: cst.FunctionDef, given: Container[str]) -> str:
    """What a function does, whatever it calls itself and what it takes by place, and says of them."""
    text = _without_name(source, function)
    (node,) = ast.parse(text).body
    if not isinstance(node, ast.FunctionDef):
        return text
    own = node.args
    if own.vararg or own.kwarg or own.kwonlyargs or own.posonlyargs or own.defaults:
        return text
    places = {each.arg: f"parameter {place}" for place, each in enumerate(own.args) if each.arg not in given}
    node.returns = None
    for each in ast.walk(node):
        if isinstance(each, ast.arg):
            each.arg, each.annotation = places.get(each.arg, each.arg), None
        elif isinstance(each, ast.Name):
            each.id = places.get(each.id, each.id)
    if ast.get_docstring(node, clean=False) is not None and len(node.body) > 1:
        del node.body[0]
    return ast.dump(node)


def _without_name(source: Source, function: cst.FunctionDef) -> str:
    plain = function.with_changes(name=cst.Name("_"), leading_lines=[], lines_after_decorators=[])
    return source.code(plain).strip()


def with_expressions(
    node: cst.CSTNode, names: Mapping[cst.CSTNode, cst.BaseExpression | cst.RemovalSentinel]
) -> cst.CSTNode:
    """The node with other expressions in the place of some of its own, and without some lines."""

    class Replace(cst.CSTTransformer):
        def on_leave(  # type: ignore[override]
            self, original_node: cst.CSTNode, updated_node: cst.CSTNode
        ) -> cst.CSTNode | cst.RemovalSentinel:
            if isinstance(updated_node, cst.Slice) and isinstance(original_node, cst.Slice):
                new = [
                    each in names for each in (original_node.lower, original_node.upper) if each is not None
                ]
                return _close(updated_node) if any(new) else updated_node
            return names.get(original_node, updated_node)

    result = node.visit(Replace())
    assert isinstance(result, cst.CSTNode)
    return result


def _close(part: cst.Slice) -> cst.Slice:
    """A slice whose colon stands close to what are names and numbers alone, as formatters have it."""
    simple = (cst.Name, cst.Integer, type(None))
    if part.step is not None or not all(isinstance(each, simple) for each in (part.lower, part.upper)):
        return part
    return part.with_changes(first_colon=cst.Colon())


def without_gap(function: cst.FunctionDef) -> cst.FunctionDef:
    """A function that does not begin with blank lines."""
    first = function.body.body[0]
    if not isinstance(first, header.Statement):
        return function
    lines = list(first.leading_lines)
    while lines and lines[0].comment is None:
        lines.pop(0)
    return function.with_deep_changes(first, leading_lines=lines)


def with_bound(params: cst.Parameters, new: Sequence[cst.Param], gone: frozenset[str]) -> cst.Parameters:
    """Parameters with those that are bound behind them; ``gone`` are taken out first. They can only be given
    by name where a default or a starred parameter stands before them."""
    kept = [each for each in params.params if each.name.value not in gone]
    only = [each for each in params.kwonly_params if each.name.value not in gone]
    if not new:
        return params
    star = params.star_arg
    if not only and not isinstance(star, cst.Param) and all(each.default is None for each in kept):
        return params.with_changes(
            params=_separated([*kept, *new]), star_arg=cst.MaybeSentinel.DEFAULT, kwonly_params=[]
        )
    if not isinstance(star, cst.Param | cst.ParamStar):
        star = cst.ParamStar()
    return params.with_changes(
        params=_separated(kept), star_arg=star, kwonly_params=_separated([*only, *new])
    )


def _separated(params: Sequence[cst.Param]) -> list[cst.Param]:
    if not params:
        return []
    *before, last = params
    return [*before, last.with_changes(comma=cst.MaybeSentinel.DEFAULT)]


def function_of_lambda(
    source: Source,
    name: str,
    params: cst.Parameters,
    body: cst.BaseExpression,
    first: Sequence[cst.SimpleStatementLine],
    *,
    gives: bool = True,
) -> cst.FunctionDef:
    """``lambda x: ...`` as a function; one that only does something need not ``give`` what a call does."""
    step = source.module.default_indent
    if not gives and (calls := _calls_in(body)) and all(_stands_alone(source.code(each)) for each in calls):
        lines = [cst.SimpleStatementLine([cst.Expr(_dedented(each, ""))]) for each in calls]
        return cst.FunctionDef(cst.Name(name), params, cst.IndentedBlock([*first, *lines]))
    if _stands_alone(source.code(body)):
        returned = _dedented(body, "", "return ")
    else:
        inner = _dedented(body, step)
        gap = cst.ParenthesizedWhitespace(indent=True, last_line=cst.SimpleWhitespace(step))
        end = cst.ParenthesizedWhitespace(indent=True, last_line=cst.SimpleWhitespace(""))
        returned = inner.with_changes(
            lpar=[cst.LeftParen(whitespace_after=gap), *inner.lpar],
            rpar=[*inner.rpar, cst.RightParen(whitespace_before=end)],
        )
    suite = cst.IndentedBlock([*first, cst.SimpleStatementLine([cst.Return(returned)])])
    return cst.FunctionDef(cst.Name(name), params, suite)


def _calls_in(body: cst.BaseExpression) -> list[cst.BaseExpression]:
    """The calls that an expression is made of, one after the other: itself, or those of a tuple or list."""
    if isinstance(body, cst.Tuple | cst.List):
        parts = [each.value for each in body.elements if isinstance(each, cst.Element)]
        whole = len(parts) == len(body.elements) and "#" not in cst.Module([]).code_for_node(body)
    else:
        parts, whole = [body], True
    return parts if whole and all(isinstance(each, cst.Call) for each in parts) else []


def _stands_alone(code: str) -> bool:
    """Whether the lines of an expression hang together without the call's brackets around them."""
    try:
        cst.parse_statement(f"return {code}")
    except cst.ParserSyntaxError:
        return False
    return True


def _dedented(body: cst.BaseExpression, step: str, before: str = "") -> cst.BaseExpression:
    """The expression with its inner lines moved left as far as they stand too far right, then by ``step``;
    with what a bracket begins in its first line, ``before`` stands there, they are aligned."""
    bracket = open_bracket(cst.Module([]).code_for_node(body).splitlines()[0])
    if bracket >= 0:
        step = " " * (len(step + before) + bracket + 1)
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
                indent=True,
                last_line=cst.SimpleWhitespace(step + updated_node.last_line.value[too_far:]),
                empty_lines=[
                    line
                    if line.comment is None
                    else line.with_changes(
                        indent=True, whitespace=cst.SimpleWhitespace(step + line.whitespace.value[too_far:])
                    )
                    for line in updated_node.empty_lines
                ],
            )

    result = body.visit(Dedent())
    assert isinstance(result, cst.BaseExpression)
    return result


def moved_out(function: _Definition, margin: str) -> _Definition:
    """A function or class that stood ``margin`` further in, with its docstrings and continued lines moved
    along. Other strings keep their value."""

    class Move(cst.CSTTransformer):
        def leave_SimpleWhitespace(
            self, original_node: cst.SimpleWhitespace, updated_node: cst.SimpleWhitespace
        ) -> cst.SimpleWhitespace:
            return updated_node.with_changes(value=re.sub(rf"(\n|\r){margin}", r"\1", updated_node.value))

        def leave_FunctionDef(
            self, original_node: cst.FunctionDef, updated_node: cst.FunctionDef
        ) -> cst.FunctionDef:
            return _with_docstring(updated_node, margin)  # type: ignore[return-value]

        def leave_ClassDef(self, original_node: cst.ClassDef, updated_node: cst.ClassDef) -> cst.ClassDef:
            return _with_docstring(updated_node, margin)  # type: ignore[return-value]

    result = function.visit(Move())
    assert isinstance(result, type(function))
    return result


def _with_docstring(node: cst.FunctionDef | cst.ClassDef, margin: str) -> cst.FunctionDef | cst.ClassDef:
    first = node.body.body[0] if node.body.body else None
    if not (isinstance(first, cst.SimpleStatementLine) and isinstance(first.body[0], cst.Expr)):
        return node
    text = first.body[0].value
    if not isinstance(text, cst.SimpleString):
        return node
    head, *rest = text.value.split("\n")
    if not rest or not all(line.startswith(margin) or not line.strip() for line in rest):
        return node
    lines = [head, *(line.removeprefix(margin) for line in rest)]
    return node.with_deep_changes(text, value="\n".join(lines))
