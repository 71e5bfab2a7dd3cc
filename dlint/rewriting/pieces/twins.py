"""Two branches that end with the same statement once it is edited: it is written once, after them."""

from __future__ import annotations

from collections.abc import Mapping

import libcst as cst

from dlint.rewriting.edits import Edits
from dlint.rewriting.pieces import statements
from dlint.rewriting.source import Source

# Calls that only look, in the test of an ``if`` that goes.
_LOOKS = frozenset({"isinstance", "hasattr", "len", "callable"})


def fold_twins(
    source: Source, edits: Edits, function: cst.FunctionDef, new: Mapping[cst.BaseExpression, str]
) -> list[cst.CSTNode]:
    """Fold every ``if``/``else`` of the function whose branches come to end alike, where ``new`` are the
    expressions that are replaced and their texts. What goes with it is given."""
    gone: list[cst.CSTNode] = []
    for branch in source.descendants(function.body, cst.If):
        if isinstance(branch.orelse, cst.Else) and not isinstance(source.parent(branch), cst.If):
            gone += _fold(source, edits, branch, branch.orelse, new)
    return gone


def _fold(
    source: Source, edits: Edits, branch: cst.If, other: cst.Else, new: Mapping[cst.BaseExpression, str]
) -> list[cst.CSTNode]:
    one, two = _last(branch.body), _last(other.body)
    if one is None or two is None or source.has_comments(one) or source.has_comments(two):
        return []
    texts = {_edited(source, each, new) for each in (one, two)}
    if len(texts) != 1 or None in texts:
        return []
    (text,) = texts
    assert text is not None
    alone = len(branch.body.body) == 1
    rest = len(other.body.body) > 1
    if alone and (rest or source.has_comments(other) or not _only_looks(source, branch.test)):
        return []
    (line,) = statements.parse(source, text)
    if alone:
        edits.replace(branch, line.with_changes(leading_lines=branch.leading_lines), key="twins")
        return [branch.test]
    edits.change(branch, lambda node: _without_last(node, rest=rest), key="twins")
    edits.insert_after(branch, [line], key="twins")
    return []


def _last(suite: cst.BaseSuite) -> cst.SimpleStatementLine | None:
    last = suite.body[-1] if isinstance(suite, cst.IndentedBlock) else None
    return last if isinstance(last, cst.SimpleStatementLine) and len(last.body) == 1 else None


def _edited(
    source: Source, line: cst.SimpleStatementLine, new: Mapping[cst.BaseExpression, str]
) -> str | None:
    """The text of a line with what is replaced in it; None where nothing is."""
    inside = {node: text for node, text in new.items() if source.encloses(line, node)}
    if not inside:
        return None

    class Replace(cst.CSTTransformer):
        def on_leave(self, original_node: cst.CSTNode, updated_node: cst.CSTNode) -> cst.CSTNode:  # type: ignore[override]
            text = next((text for node, text in inside.items() if node is original_node), None)
            return updated_node if text is None else cst.parse_expression(text)

    result = line.body[0].visit(Replace())
    assert isinstance(result, cst.BaseSmallStatement)
    return cst.Module([cst.SimpleStatementLine([result])]).code


def _only_looks(source: Source, test: cst.BaseExpression) -> bool:
    calls = [test, *source.descendants(test, cst.Call, cst.NamedExpr, cst.Await)]
    return all(
        (isinstance(each, cst.Call) and source.code(each.func) in _LOOKS)
        or not isinstance(each, cst.Call | cst.NamedExpr | cst.Await)
        for each in calls
    )


def _without_last(node: cst.If, *, rest: bool) -> cst.If:
    node = node.with_changes(body=node.body.with_changes(body=node.body.body[:-1]))
    assert isinstance(node.orelse, cst.Else)
    if not rest:
        return node.with_changes(orelse=None)
    other = node.orelse
    return node.with_changes(
        orelse=other.with_changes(body=other.body.with_changes(body=other.body.body[:-1]))
    )
