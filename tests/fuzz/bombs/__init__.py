"""Bombs by kind; each module of this package enters its own."""

from __future__ import annotations

from tests.fuzz.bombs import calls, classes, constants, expressions, modules, options, statements
from tests.fuzz.bombs.registry import BOMBS, Bomb

__all__ = [
    "BOMBS",
    "Bomb",
    "calls",
    "classes",
    "constants",
    "expressions",
    "modules",
    "options",
    "statements",
]
