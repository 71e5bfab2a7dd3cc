"""Decisions on the way of control: which way a statement goes, and how many worlds go on from there."""

from __future__ import annotations

import ast

from dlint.values.frame import Frame
from dlint.values.values import Key
from dlint.values.worlds import World

# So many worlds go on through a branch.
FORKS = 4


def told(worlds: list[World], mark: Key, choice: int) -> list[World]:
    """The worlds in which a statement goes one of its ways (a branch, a case, a handler): it is one decision,
    also where what the tests say is too much to be remembered."""
    return [w.assuming(mark, choice) for w in worlds if w.known(mark) in (None, choice)]


def branch(statement: ast.stmt, frame: Frame) -> Key:
    """The mark of an ``if``, under which it is assumed which way it goes."""
    return ("branch", id(statement), frame.key)


def few(worlds: list[World], *, ways: bool = True) -> list[World]:
    """The worlds, or the one that they have in common where they are too many to go on with each."""
    return worlds if len(worlds) <= FORKS else [worlds[0].shared(worlds[1:], ways=ways)]
