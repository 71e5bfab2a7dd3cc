"""Who stores in attributes under names that are not written as attributes: ``setattr(args, key, value)``,
``vars(args)[key] = value``, ``args.__dict__.update(values)``, ``parser.parse_args(words, args)``.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from dlint.regex import regex

READING = frozenset({"copy", "get", "items", "keys", "values"})  # methods of a dict that leave it as it is
# What must stand in a file that has such a store.
WORDS = (
    "setattr",
    "delattr",
    "vars",
    "__dict__",
    "__setattr__",
    "__delattr__",
    "parse_args",
    "parse_known_args",
    "merge_from_file",
    "merge_from_list",
    "merge_from_dict",
    "merge_from_other_cfg",
    "merge_with",
    "merge_with_dotlist",
    "merge_with_cli",
    "OmegaConf",
)
# Before what goes by a name. A search is ten times as fast where a pattern begins with a text.
_STORES_IN = (
    regex(rb"attr\((?<=(?:set|del)attr\()\s*(\w+)"),
    regex(rb"vars\((?<!\wvars\()\s*(\w+)"),
    regex(rb"OmegaConf\.update\(\s*(\w+)"),
    regex(rb"namespace(?<!\wnamespace)\s*=\s*(\w+)"),
    regex(rb"attr__\((?<=__(?:set|del)attr__\()\s*(\w+)"),
)
_PARSES = regex(rb"parse_(?<!\wparse_)(?:known_)?args\(([^\n]*)")
_AFTER_COMMA = regex(rb",\s*(\w+)")
# And behind it.
_STORED_BY = (
    regex(rb"__dict__\b"),
    regex(rb"attr__\b(?<=__(?:set|del)attr__)"),
    regex(rb"merge_\w"),
    regex(rb"update\b"),
)
_HOLDER = regex(rb"(?<!\w)(\w+)\s*\.\s*(?:__(?:set|del))?$")
_HOLDER_BYTES = 200
_PARSE = frozenset({"parse_args", "parse_known_args"})
# Where a dict stands that is looked at, or handed to a function: what such a one is given, it rarely changes.
_LOOKS = (
    ast.keyword,
    ast.Call,
    ast.For,
    ast.AsyncFor,
    ast.comprehension,
    ast.Compare,
    ast.Dict,
    ast.Starred,
    ast.FormattedValue,
    ast.BinOp,
    ast.Subscript,  # a store under a key is one by itself
    ast.Expr,
)


class ByName(NamedTuple):
    """Attributes of ``owner`` are stored or deleted; ``names`` are theirs, None for any. ``said`` gives the
    name of the one, where there is one."""

    owner: ast.expr
    names: frozenset[str] | None
    said: ast.expr | None = None


def stores_around(trail: Sequence[ast.AST]) -> Iterator[ByName]:
    """The stores by name that the last node of a trail is a part of, and those that whoever gets the dict of
    an object's attributes there may make."""
    for at in range(len(trail) - 1, 0, -1):
        if isinstance(trail[at], ast.stmt):
            return
        found = stored_by_name(trail[at]) or _handed_on(trail[at], trail[at - 1])
        if found is not None:
            yield found


def stored_by_name(node: ast.AST) -> ByName | None:
    """What a node stores or deletes by name."""
    match node:
        case ast.Call(func=ast.Name(id="setattr" | "delattr"), args=[owner, said, *_]):
            return _one(owner, said)
        case ast.Call(func=ast.Attribute(value=holder, attr="__setattr__" | "__delattr__" as method)):
            # `x.__setattr__(name, value)`, or `object.__setattr__(x, name, value)`
            args = [holder, *node.args] if len(node.args) == 1 + (method == "__setattr__") else node.args
            return _one(args[0], args[1]) if len(args) > 1 else None
        case ast.Call(func=ast.Attribute(value=holder, attr="update")):
            owner_of = owner_of_names(holder)
            if owner_of is not None:
                named = not node.args and all(each.arg for each in node.keywords)
                names = frozenset(each.arg or "" for each in node.keywords)
                return ByName(owner_of, names if named else None)
            if isinstance(holder, ast.Name) and holder.id == "OmegaConf" and node.args:
                return ByName(node.args[0], None)
        case ast.Call(func=ast.Attribute(attr=method)) if method in _PARSE:
            taken = [each.value for each in node.keywords if each.arg == "namespace"] or node.args[1:2]
            return ByName(taken[0], None) if taken else None
        case ast.Call(func=ast.Attribute(value=owner, attr=method)) if method.startswith("merge_"):
            return ByName(owner, None) if method in WORDS else None
        case ast.Subscript(value=holder, slice=said, ctx=ast.Store() | ast.Del()):
            owner_of = owner_of_names(holder)
            return _one(owner_of, said) if owner_of is not None else None
        case ast.Attribute(value=owner, attr="__dict__", ctx=ast.Store()):
            return ByName(owner, None)
    return None


def may_be_stored_in(data: bytes) -> frozenset[str]:
    """The names of a file's text in what goes by which it may store by name."""
    found = {name for pattern in _STORES_IN for name in pattern.findall(data)}
    for each in _PARSES.finditer(data):
        found.update(_AFTER_COMMA.findall(each[1]))
    for pattern in _STORED_BY:
        for each in pattern.finditer(data):
            holder = _HOLDER.search(data, max(0, each.start() - _HOLDER_BYTES), each.start())
            if holder:
                found.add(holder[1])
    return frozenset(name.decode(errors="replace") for name in found)


def owner_of_names(holder: ast.expr | None) -> ast.expr | None:
    """The object whose attributes an expression is the dict of: ``x.__dict__``, ``vars(x)``."""
    match holder:
        case ast.Attribute(value=owner, attr="__dict__"):
            return owner
        case ast.Call(func=ast.Name(id="vars"), args=[owner]):
            return owner
    return None


def _handed_on(node: ast.AST, above: ast.AST) -> ByName | None:
    """The same where the dict of an object's attributes goes elsewhere: ``options = vars(args)``."""
    owner = owner_of_names(node) if isinstance(node, ast.expr) else None
    if owner is None or isinstance(above, _LOOKS):
        return None
    looks = isinstance(above, ast.Attribute) and above.attr in READING | {"update"}
    stored = isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load)
    return None if looks or stored else ByName(owner, None)


def _one(owner: ast.expr, said: ast.expr) -> ByName:
    names = frozenset({str(said.value)}) if isinstance(said, ast.Constant) else None
    return ByName(owner, names, said)
