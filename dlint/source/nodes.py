"""The nodes of a tree, counted as work."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TypeAlias

from dlint.budget.budget import spend

# What has variables of its own, and goes round.
Comprehension: TypeAlias = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


# So many nodes are paid for at once.
_PAID = 32


def walk(node: ast.AST) -> Iterator[ast.AST]:
    """The node and all nodes in it but for contexts, outer ones first, and each costs a unit or two."""
    found = [node]
    paid = 0
    for each in found:  # grows meanwhile
        kind = type(each)
        fields = _HOLDING.get(kind)
        if fields is None:
            fields = holding(kind)
        # As `children` does it, which would make a list for each node.
        for field in fields:
            value = getattr(each, field, None)
            if type(value) is list:
                if value:
                    found += [item for item in value if isinstance(item, ast.AST)]
            elif isinstance(value, ast.AST):
                found.append(value)
        if len(found) >= paid + _PAID:
            spend(2 * (len(found) - paid))
            paid = len(found)
        yield each
    spend(2 * (len(found) - paid))


def names_in(node: ast.AST) -> frozenset[str]:
    """The names that stand in a node, kept with it: many questions ask it of one place."""
    known: frozenset[str] | None = getattr(node, _NAMES, None)
    if known is None:
        known = frozenset([each.id for each in walk(node) if isinstance(each, ast.Name)])
        setattr(node, _NAMES, known)
    return known


_NAMES = "_dlint_names"
# Fields with text or numbers, and the contexts of names, which say nothing that the name itself does not.
_LEAVES = frozenset(
    ("ctx", "id", "attr", "arg", "name", "asname", "module", "level", "kind", "type_comment", "type_ignores")
)
_HOLDING: dict[type[ast.AST], tuple[str, ...]] = {}


def holding(kind: type[ast.AST]) -> tuple[str, ...]:
    """The fields of a kind of nodes in which other nodes may stand."""
    if kind is ast.Constant:
        fields: tuple[str, ...] = ()
    elif kind.__name__ == "TypeAlias":  # its name is a node
        fields = kind._fields
    else:
        fields = tuple(field for field in kind._fields if field not in _LEAVES)
    _HOLDING[kind] = fields
    return fields


def children(node: ast.AST) -> list[ast.AST]:
    """The nodes right below a node: what `ast.iter_child_nodes` gives but for contexts, and sooner."""
    found: list[ast.AST] = []
    kind = type(node)
    fields = _HOLDING.get(kind)
    if fields is None:
        fields = holding(kind)
    for field in fields:
        value = getattr(node, field, None)
        if isinstance(value, ast.AST):
            found.append(value)
        elif isinstance(value, list):
            found += [item for item in value if isinstance(item, ast.AST)]
    return found


def ways_of(value: ast.expr) -> list[ast.expr]:
    """What an expression may be by its tests: ``a`` and ``b`` of ``a if test else b``."""
    return [*ways_of(value.body), *ways_of(value.orelse)] if isinstance(value, ast.IfExp) else [value]


def is_text(node: ast.AST | None) -> bool:
    """Whether an expression is a text that is written out."""
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def written_text(node: ast.AST | None) -> str | None:
    """The text that an expression is, where it is written out."""
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def is_written_none(node: ast.AST | None) -> bool:
    """Whether an expression is None, and written so."""
    return isinstance(node, ast.Constant) and node.value is None


def speaks_of(pattern: re.Pattern[str], node: ast.AST) -> bool:
    """Whether a name in a node, its own included, matches."""
    return any(
        pattern.search(name)
        for each in walk(node)
        for field in ("id", "attr", "arg", "name")
        for name in [getattr(each, field, None)]
        if isinstance(name, str)
    )
