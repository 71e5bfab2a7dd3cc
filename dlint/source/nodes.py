"""The nodes of a tree, counted as work."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dlint.budget import spend


def walk(node: ast.AST) -> Iterator[ast.AST]:
    """The node and all nodes in it, outer ones first: what `ast.walk` gives, and each costs a unit."""
    found = [node]
    for each in found:  # grows meanwhile
        before = len(found)
        for field in each._fields:
            value = getattr(each, field, None)
            if isinstance(value, ast.AST):
                found.append(value)
            elif isinstance(value, list):
                found += [item for item in value if isinstance(item, ast.AST)]
        spend(1 + len(found) - before)
        yield each
