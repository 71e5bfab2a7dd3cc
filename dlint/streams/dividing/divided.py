"""Whether a function gives each worker its part: it speaks of workers, divides by what it calls shards, or
has a database share out its rows.

Many programs call the files that they read shards: a name for what a loop goes through divides nothing.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator

from dlint.regex import regex
from dlint.source.nodes import children, speaks_of, walk
from dlint.source.statements import (
    FunctionNode,
)
from dlint.streams.dividing.aside import WORKER, asks_aside
from dlint.values.frame import layout_of

_SHARD = regex("shard", re.IGNORECASE)
# Which shard, or of how many: no file is called so.
_NUMBER = regex(
    r"(?:num|(?:^|_)n|count|total|max|my|own|local|per|by)_?shard"
    r"|shards?_?(?:id|idx|index|num|no|rank|count|total|info|spec|per|of|by|for|start|end|stop|begin|size|range)"
    r"|shard(?:ed|er|ing)",
    re.IGNORECASE,
)
# What numbers the processes that train together, not their workers.
_RANK = regex(r"rank|world_?size|replicas", re.IGNORECASE)
# ``int(os.environ["RANK"])``, ``os.environ.get("RANK")``.
_READ_FROM = frozenset({"int", "environ", "get", "getenv"})
# What is called to read a file, or asked before they are shuffled.
_READS = regex(r"_*(?:read|load|open|iter|parse|stream|decode)_(?:\w+_)?shard", re.IGNORECASE)
_ASIDE = regex(r"shuffle|shards$", re.IGNORECASE)
# Rows that one who asks gets and no other, and some of them by chance.
_SHARED_OUT = regex(
    r"\b(?:select|delete|update)\b.{0,1000}(?:\bskip\s+locked|\breturning\b|tablesample|\brand(?:om)?\(|newid\()",
    re.IGNORECASE | re.DOTALL,
)


def divides(function: ast.AST, is_looked_at: Callable[[ast.expr], bool]) -> bool:
    """Whether code may give each worker its own part of a stream. What a call asks for a shard may do so,
    unless it is a function whose own code ``is_looked_at``."""
    found = _told_by_text(function)
    if not isinstance(found, list):
        return found
    known: set[int] = set()
    for call in found:
        if is_looked_at(call.func):
            known |= {id(call), id(call.func)}
    return any(
        _shares_out(node) or (id(node) not in known and _asks_for_part(node)) for node in walk(function)
    )


def _told_by_text(function: ast.AST) -> bool | list[ast.Call]:
    """Whether code divides a stream, where its text tells; else its calls of what is named after shards. The
    same for whoever calls it."""
    if not isinstance(function, FunctionNode | ast.Lambda):
        return _told(function)
    answers = layout_of(function).answers
    if _told_by_text not in answers:
        answers[_told_by_text] = _told(function)
    told: bool | list[ast.Call] = answers[_told_by_text]
    return told


def _told(function: ast.AST) -> bool | list[ast.Call]:
    if speaks_of(WORKER, function) and not asks_aside(function):
        return True
    if not speaks_of(_SHARD, function):
        return any(map(_shares_out, walk(function)))
    found: list[ast.Call] = []
    for node in walk(function):
        match node:
            case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)) if _SHARD.search(name):
                found.append(node)
    return found


def _shares_out(node: ast.AST) -> bool:
    """Whether a database is told to give its rows to one who asks, or to choose some by chance."""
    match node:
        case ast.Constant(value=str(text)):
            return _SHARED_OUT.search(text) is not None
        case ast.keyword(arg="skip_locked"):
            return True
    return False


def _asks_for_part(node: ast.AST) -> bool:
    """Whether an expression divides by what is called a shard, compares it, or asks somebody for it."""
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name) | ast.arg(arg=name) if _NUMBER.search(name):
            return True
        case ast.keyword(arg=str(name)) if _SHARD.search(name):
            return True
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)):
            return _SHARD.search(name) is not None and _READS.match(name) is None
        case ast.BinOp(op=ast.Mod() | ast.FloorDiv(), left=left):
            return not isinstance(left, ast.Constant | ast.JoinedStr) and speaks_of(_SHARD, node)
        case ast.Compare():
            return speaks_of(_SHARD, node)
        case ast.Subscript(value=whole, slice=part):
            is_cut = _is_cut(part) and not _is_by_rank(part)
            return speaks_of(_SHARD, part) or (is_cut and speaks_of(_SHARD, whole))
        case ast.If(test=test) | ast.IfExp(test=test) | ast.While(test=test):
            return any(_is_asked(each) for each in walk(test))
    return False


def _is_cut(part: ast.expr) -> bool:
    return isinstance(part, ast.Slice) and any(
        each is not None for each in (part.lower, part.upper, part.step)
    )


def _is_by_rank(part: ast.expr) -> bool:
    """Whether a part is told by what numbers machines alone, which all workers of one have in common."""
    names = [name for name in _last_names(part) if name not in _READ_FROM]
    return bool(names) and all(map(_RANK.search, names))


def _last_names(node: ast.AST) -> Iterator[str]:
    """What is read in an expression, of ``dist.get_rank()`` the ``get_rank``."""
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name) | ast.Constant(value=str(name)):
            yield name
        case _:
            for child in children(node):
                yield from _last_names(child)


def _is_asked(node: ast.AST) -> bool:
    """Whether a test asks for a shard, and not whether there are some or they are shuffled."""
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return _SHARD.search(name) is not None and _ASIDE.search(name) is None
    return False
