"""Whether a function gives each worker its part: it speaks of workers, divides by what it calls shards, or
has a database share out its rows.

Many programs call the files that they read shards: a name for what a loop goes through divides nothing.
"""

from __future__ import annotations

import ast
import re

from dlint.source.nodes import speaks_of, walk

_WORKER = re.compile("worker", re.IGNORECASE)
_SHARD = re.compile("shard", re.IGNORECASE)
# Which shard, or of how many: no file is called so.
_NUMBER = re.compile(
    r"(?:num|(?:^|_)n|count|total|max|my|own|local|per|by)_?shard"
    r"|shards?_?(?:id|idx|index|num|no|rank|count|total|info|spec|per|of|by|for|start|end|stop|begin|size|range)"
    r"|shard(?:ed|er|ing)",
    re.IGNORECASE,
)
# What is called to read a file, or asked before they are shuffled.
_READS = re.compile(r"_*(?:read|load|open|iter|parse|stream|decode)_(?:\w+_)?shard", re.IGNORECASE)
_ASIDE = re.compile(r"shuffle|shards$", re.IGNORECASE)
# Rows that one who asks gets and no other, and some of them by chance.
_SHARED_OUT = re.compile(
    r"\b(?:select|delete|update)\b.*(?:\bskip\s+locked|\breturning\b|tablesample|\brand(?:om)?\(|newid\()",
    re.IGNORECASE | re.DOTALL,
)


def divides(function: ast.AST) -> bool:
    """Whether code may give each worker its own part of a stream."""
    if speaks_of(_WORKER, function):
        return True
    named = speaks_of(_SHARD, function)
    return any(_shares_out(node) or (named and _asks_for_part(node)) for node in walk(function))


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
            return speaks_of(_SHARD, part) or (_is_cut(part) and speaks_of(_SHARD, whole))
        case ast.If(test=test) | ast.IfExp(test=test) | ast.While(test=test):
            return any(_is_asked(each) for each in walk(test))
    return False


def _is_cut(part: ast.expr) -> bool:
    return isinstance(part, ast.Slice) and any(
        each is not None for each in (part.lower, part.upper, part.step)
    )


def _is_asked(node: ast.AST) -> bool:
    """Whether a test asks for a shard, and not whether there are some or they are shuffled."""
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return _SHARD.search(name) is not None and _ASIDE.search(name) is None
    return False
