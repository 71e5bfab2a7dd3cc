"""What the attributes of an object hold: handles alone, in a list or dict, or parts of one."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Literal

from dlint.fork.handles import handle_of
from dlint.fork.program import Program
from dlint.knowledge.processes.handles import PARTS
from dlint.values.values import Instance, Items, Made, Table, Value
from dlint.values.worlds import HERE

Held = Literal["alone", "among others", "a part of it"]
# A constructor that closes what it has opened may have closed what a container holds.
_LETS_GO = re.compile(r"\.(?:close|release|clear)\(")


def held(program: Program, owner: Instance, names: set[str]) -> Iterator[tuple[str, Value, Held]]:
    """What the attributes of an object hold once it is made, and how; for a part of a handle
    (``self.file["images"]``), the handle."""
    evaluator = program.evaluator
    for name, path, point, world in evaluator.construction.stores(owner, HERE, names):
        assert point.statement is not None
        for value, _ in evaluator.names.defined(point.statement, path, point.frame, world):
            if isinstance(value, Items | Table):
                if not _LETS_GO.search(point.frame.module.text_of(point.frame.scope)):
                    yield from ((name, item, "among others") for item in _inside(value))
            else:
                yield name, value, "alone"
        whole = getattr(point.statement, "value", None)
        while (part := _part(whole)) is not None:
            whole, method = part
            for value, _ in evaluator.values(whole, point, world):
                handle = handle_of(program.evaluator, value)
                if handle is not None and method in handle.parts:
                    yield name, value, "a part of it"


def is_released(made: Made, name: str) -> bool:
    """Whether what opens a handle for an attribute lets go of it again: OpenCV's object stays."""
    frame = made.point.frame
    return f".{name}.release()" in frame.module.text_of(frame.scope)


def _inside(container: Items | Table) -> Iterator[Value]:
    """What a container holds, at most one container further down."""
    for item in _contents(container):
        yield from _contents(item) if isinstance(item, Items | Table) else (item,)


def _contents(container: Items | Table) -> list[Value]:
    return list(container.items.values() if isinstance(container, Table) else container.items)


def _part(node: ast.expr | None) -> tuple[ast.expr, str] | None:
    """What an expression takes a part of, and how: ``file["images"]``, ``file.get("images")``,
    ``file.variables["t"]``, ``connection.cursor()``."""
    match node:
        case ast.Subscript(value=ast.Attribute(value=whole, attr=under), slice=name) if under in PARTS:
            return (whole, under) if _is_name(name) else None
        case ast.Subscript(value=whole, slice=name) if _is_name(name):
            return whole, "[]"
        case ast.Call(func=ast.Attribute(value=whole, attr=method), args=given) if method in PARTS:
            return (whole, method) if method != "get" or (given and _is_name(given[0])) else None
    return None


def _is_name(index: ast.expr) -> bool:
    return isinstance(index, ast.Constant) and isinstance(index.value, str)
