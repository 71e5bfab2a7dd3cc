"""Words that the messages of several rules have in common."""

from __future__ import annotations

import ast

from dlint.source.module import Module

_LONGEST = 40  # characters of code in a message


def brief(node: ast.AST, longest: int = _LONGEST) -> str:
    """Code as it stands in one line, cut where it is longer than a message has room for."""
    text = " ".join(ast.unparse(node).split())
    return text if len(text) <= longest else text[: longest - 3] + "..."


def place(module: Module, node: ast.AST) -> str:
    """``path:line``."""
    return f"{module.relative}:{getattr(node, 'lineno', 1)}"


def listed(words: list[str], most: int = 3) -> str:
    """``a, b and c``; of more than ``most`` the first, and how many others there are."""
    if len(words) > most:
        words = [*words[:most], f"{len(words) - most} more"]
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)
