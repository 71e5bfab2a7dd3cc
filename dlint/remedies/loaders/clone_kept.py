"""Keeps copies of what workers have sent, which keep no file open."""

from __future__ import annotations

import ast

import libcst as cst

from dlint.finding import Finding
from dlint.rewriting.edits import Edits
from dlint.rewriting.refusal import CannotRepair
from dlint.rewriting.source import Source

_BY_HAND = "keep a copy of each tensor, tensor.clone()"


def repair(source: Source, finding: Finding, edits: Edits) -> None:
    """Write ``.clone()`` behind each of ``data["parts"]``, before it is made an array; ``.copy()`` behind
    those that begin with a name of an array, ``data["arrays"]``."""
    kept = source.at(finding, cst.BaseExpression)
    data = finding.remedy.data if finding.remedy else {}
    parts, arrays = set(data.get("parts", ())), set(data.get("arrays", ()))
    bound = {
        id(name)
        for loop in source.descendants(kept, cst.CompFor)
        for name in [loop.target, *source.descendants(loop.target, cst.BaseExpression)]
    }
    found = False
    for node in [kept, *source.descendants(kept, cst.BaseExpression)]:
        if (
            isinstance(node, cst.Name | cst.Attribute | cst.Subscript | cst.Call)
            and id(node) not in bound
            and (text := _text(source, node)) in parts
        ):
            if text in arrays:
                edits.change(_tensor(node), _copied, key="clone")
            else:
                edits.change(_tensor(node), _cloned, key="clone")
            found = True
    if not found:
        raise CannotRepair(_BY_HAND)


def _text(source: Source, node: cst.BaseExpression) -> str:
    """An expression as the rule writes it."""
    try:
        return ast.unparse(ast.parse(f"({source.code(node)})", mode="eval"))
    except SyntaxError:
        return ""


def _tensor(node: cst.BaseExpression) -> cst.BaseExpression:
    """The tensor that an expression is, or is an array of, or is cut from into several (``unbind``)."""
    at: cst.BaseExpression = node
    while True:
        match at:
            case (
                cst.Call(func=cst.Attribute(value=cst.Name("np" | "numpy" | "torch")), args=[first, *_])
                | cst.Call(func=cst.Attribute(attr=cst.Name("asarray")), args=[first])
                | cst.Call(func=cst.Name("asarray" | "chunk" | "split" | "unbind"), args=[first, *_])
            ):
                return _tensor(first.value)
            case cst.Call(
                func=cst.Attribute(value=base, attr=cst.Name("chunk" | "numpy" | "split" | "unbind"))
            ):
                return base
            case (
                cst.Call(func=cst.Attribute(value=base))
                | cst.Attribute(value=base)
                | cst.Subscript(value=base)
            ):
                at = base
            case _:
                return node


def _cloned(node: cst.BaseExpression) -> cst.BaseExpression:
    return cst.Call(cst.Attribute(node, cst.Name("clone")))


def _copied(node: cst.BaseExpression) -> cst.BaseExpression:
    return cst.Call(cst.Attribute(node, cst.Name("copy")))
