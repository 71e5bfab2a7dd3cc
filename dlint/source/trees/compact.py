"""Trees that take less memory: nodes of one kind share the keys of their dictionaries.

Every node of a tree has a dictionary with a table of its own for the same few names, which takes three
quarters of what the tree does. Objects of a class share one table, and a copy of such an object's dictionary
does.
"""

from __future__ import annotations

import ast
import sys
from typing import Any, Final, NamedTuple

from dlint.source.nodes import holding

# A class counts how many of its objects there have been before it leaves no room for further names.
_OBJECTS: Final = 40


class _Kind(NamedTuple):
    """What a dictionary of one kind of nodes is copied from, None where that saves nothing, the fields in
    which other nodes may stand, and whether it has a place in the text."""

    pattern: dict[str, Any] | None
    fields: tuple[str, ...]
    has_place: bool


_kinds: dict[type, _Kind] = {}
# A list for each call without arguments by name, and so on. Blocks are told apart by their lists.
_OFTEN_EMPTY: Final = frozenset(
    {"args", "bases", "decorator_list", "defaults", "ifs", "keywords", "kw_defaults", "kwonlyargs"}
    | {"posonlyargs", "type_params"}
)
_NOTHING: Final[list[Any]] = []  # nobody changes it
_lines: dict[int, int] = {}


def made_compact(tree: ast.Module) -> ast.Module:
    """The tree, just parsed, with dictionaries that share their keys."""
    waiting: list[Any] = [tree]
    while waiting:
        node = waiting.pop()
        kind = _kinds.get(type(node))
        if kind is None:
            kind = _kinds[type(node)] = _kind(node)
        if kind.pattern is None and not kind.fields:
            continue  # no node, or one that holds nothing
        held: dict[str, Any] = node.__dict__
        for field in kind.fields:
            value = held.get(field)
            if type(value) is list:
                if value:
                    waiting += value
                elif field in _OFTEN_EMPTY:
                    held[field] = _NOTHING
            elif value is not None:
                waiting.append(value)
        if kind.pattern is not None and len(held) == len(kind.pattern):
            shared = kind.pattern.copy()
            shared.update(held)
            if kind.has_place:
                # An int of more than 256 would be one for each node.
                first, last = held["lineno"], held["end_lineno"]
                shared["lineno"] = first = _lines.setdefault(first, first)
                shared["end_lineno"] = first if last == first else _lines.setdefault(last, last)
            node.__dict__ = shared
    return tree


def _kind(node: object) -> _Kind:
    if not isinstance(node, ast.AST):
        return _Kind(None, (), False)  # in lists of names, and what is missing in others
    kind = type(node)
    names = (*kind._fields, *kind._attributes)
    like = type(kind.__name__, (), {})
    for _ in range(_OBJECTS):
        last = like()
        for name in names:
            setattr(last, name, None)
    pattern: dict[str, Any] = last.__dict__
    saves = sys.getsizeof(pattern.copy()) < sys.getsizeof(dict.fromkeys(names))
    return _Kind(pattern if saves and names else None, holding(kind), "end_lineno" in names)
