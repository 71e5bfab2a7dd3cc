"""The tests on the way to a call that ask for the part of the data, or what the program does with it."""

from __future__ import annotations

import ast
import re
from typing import Literal

from dlint.regex import regex
from dlint.values.places import tests_around
from dlint.workers.events import Event

_MODE = regex(r"\b(split|mode|phase|subset|(is_?)?(train|test|eval|val)\w*)\b")
_TRAINS = regex("train")
_EVALUATES = regex(
    r"(?<![a-z])(?:is_?)?(?:test(?:ing)?|val(?:id(?:ation)?)?|eval(?:uat\w+)?|infer\w*|predict\w*)(?![a-z])",
    re.IGNORECASE,
)


def mode_of(event: Event) -> tuple[ast.expr, bool] | None:
    """The test on the way to a call that asks for the part of the data, or what the program does with it:
    ``self.split == "test"``, and how it comes out. An evaluation may well be the same each time."""
    for point in event.places():
        for test, outcome, _ in tests_around(point):
            if _MODE.search(ast.unparse(test)) and not _is_training(test, outcome):
                return test, outcome
    return None


def is_for_evaluation(event: Event) -> bool:
    """Whether a test on the way to a call lets evaluations through, and nothing else."""
    return any(
        _MODE.search(ast.unparse(test)) and _part_of(test, outcome) == "evaluation"
        for point in event.places()
        for test, outcome, _ in tests_around(point)
    )


def _is_training(test: ast.expr, outcome: bool) -> bool:
    """Whether a test's outcome is what training takes: ``self.is_test`` is False."""
    return _part_of(test, outcome) == "training"


def _part_of(test: ast.expr, outcome: bool) -> Literal["training", "evaluation"] | None:
    """What a test's outcome is taken by, as far as it says that."""
    while isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        test, outcome = test.operand, not outcome
    if isinstance(test, ast.BoolOp):
        # Where all parts are so, one of them may tell: `self.mode == "train" and mask.sum() == 0`.
        parts = [_part_of(part, outcome) for part in test.values]
        told = {part for part in parts if part is not None}
        every = isinstance(test.op, ast.And) is outcome
        return told.pop() if len(told) == 1 and (every or None not in parts) else None
    match test:
        case ast.Compare(comparators=[ast.Constant(value=None | False | 0)]):
            return None
        case ast.Compare(ops=[ast.NotEq() | ast.IsNot() | ast.NotIn()]):
            outcome = not outcome
        case ast.Compare(ops=[ast.Eq() | ast.Is() | ast.In()]):
            pass
        case ast.Compare():
            return None
    words = ast.unparse(test)
    trains, evaluates = _TRAINS.search(words) is not None, _EVALUATES.search(words) is not None
    if trains == evaluates:
        return None
    return "training" if trains is outcome else "evaluation"
