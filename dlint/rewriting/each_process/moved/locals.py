"""The names of a function's own that an expression needs when it moves out of the function."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst
from libcst.metadata import Scope, ScopeProvider
from libcst.metadata.scope_provider import LocalScope

from dlint.rewriting.source import Source


def local_names(source: Source, node: cst.CSTNode) -> list[str]:
    """Names that ``node`` reads and that enclosing functions (not ``node`` itself) bind, in text order."""
    found = (name for name, scope in _names_read(source, node) if _bound_outside(source, scope, name, node))
    return list(dict.fromkeys(found))


def _names_read(source: Source, node: cst.CSTNode) -> Iterator[tuple[str, Scope]]:
    """The names in ``node`` that stand for variables, each with the scope that it is looked up from."""
    scopes = source.metadata(ScopeProvider)
    names = [node] if isinstance(node, cst.Name) else list(source.descendants(node, cst.Name))
    for name in names:
        parent = source.parent(name)
        if isinstance(parent, cst.Attribute) and parent.attr is name:
            continue
        if (
            isinstance(parent, cst.Arg | cst.Param)
            and (parent.keyword if isinstance(parent, cst.Arg) else parent.name) is name
        ):
            continue
        scope: Scope | None = scopes.get(name)
        if scope is not None:
            yield name.value, scope


def _bound_outside(source: Source, scope: Scope, name: str, node: cst.CSTNode) -> bool:
    """Whether the name that is read belongs to a function around ``node``."""
    for assignment in scope[name]:
        if not isinstance(assignment.scope, LocalScope):
            return False
        where = getattr(assignment, "node", None)
        if where is None or not (where is node or source.encloses(node, where)):
            return True
    return False


def with_names(node: cst.BaseExpression, names: dict[str, str]) -> cst.BaseExpression:
    """The expression with names replaced by other expressions."""

    class Replace(cst.CSTTransformer):
        def leave_Attribute(self, original_node: cst.Attribute, updated_node: cst.Attribute) -> cst.Attribute:
            return updated_node.with_changes(attr=original_node.attr)

        def leave_Arg(self, original_node: cst.Arg, updated_node: cst.Arg) -> cst.Arg:
            return updated_node.with_changes(keyword=original_node.keyword)

        def leave_Name(self, original_node: cst.Name, updated_node: cst.Name) -> cst.BaseExpression:
            new = names.get(original_node.value)
            return updated_node if new is None else cst.parse_expression(new)

    result = node.visit(Replace())
    assert isinstance(result, cst.BaseExpression)
    return result
