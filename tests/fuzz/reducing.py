"""Making a failing case small: leave out files, then statements, then lines, while it fails in the same way."""

from __future__ import annotations

import ast
import time
from collections.abc import Callable
from typing import TypeVar

from tests.fuzz.running import Files

Fails = Callable[[Files], bool]
Part = TypeVar("Part")


def reduced(files: Files, fails: Fails, seconds: float) -> dict[str, bytes]:
    """The smallest files found in so many seconds for which ``fails`` still says yes."""
    until = time.monotonic() + seconds

    def still(candidate: Files) -> bool:
        return time.monotonic() < until and fails(candidate)

    names = minimal(list(files), lambda kept: still({name: files[name] for name in kept}))
    smallest = {name: files[name] for name in names}
    for name in names:

        def shorter_fails(data: bytes, name: str = name) -> bool:
            return still({**smallest, name: data})

        smallest[name] = _without_statements(smallest[name], shorter_fails)
        for _ in range(2):
            lines = smallest[name].splitlines(keepends=True)
            smallest[name] = b"".join(minimal(lines, lambda kept, fails=shorter_fails: fails(b"".join(kept))))
    return smallest


def minimal(parts: list[Part], fails: Callable[[list[Part]], bool]) -> list[Part]:
    """Parts of which none can be left out, nor a larger run of them that was tried (Zeller's ddmin)."""
    length = max(1, len(parts) // 2)
    while parts:
        before = len(parts)
        start = 0
        while start < len(parts):
            rest = parts[:start] + parts[start + length :]
            if fails(rest):
                parts = rest
            else:
                start += length
        if length == 1 and len(parts) == before:
            break
        length = max(1, length // 2)
    return parts


def _without_statements(data: bytes, fails: Callable[[bytes], bool]) -> bytes:
    """The program less every statement that it fails without, the outermost first; ``pass`` stands in if need be."""
    index = 0
    while True:
        spans = _spans(data)
        if index >= len(spans):
            return data
        first, last, column = spans[index]
        lines = data.split(b"\n")
        for instead in ([], [b" " * column + b"pass"]):
            shorter = b"\n".join([*lines[: first - 1], *instead, *lines[last:]])
            if shorter != data and len(shorter) < len(data) and fails(shorter):
                data = shorter
                break
        else:
            index += 1


def _spans(data: bytes) -> list[tuple[int, int, int]]:
    """First line, last line and column of each statement, in the order of the tree by levels."""
    try:
        tree = ast.parse(data)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt) and node.end_lineno is not None:
            decorators = getattr(node, "decorator_list", [])
            first = min([node.lineno, *(each.lineno for each in decorators)])
            found.append((first, node.end_lineno, node.col_offset))
    return found
