"""What is surely a tensor or an array: made by a function of torch or NumPy, or by arithmetic with such."""

from __future__ import annotations

import ast

from dlint.calls.evaluator import Evaluator
from dlint.regex import regex
from dlint.values.frame import Frame, Point
from dlint.values.values import Made
from dlint.values.worlds import World

# What a function of torch or NumPy makes, and what the methods of that give: `torch.ones().expand`.
_MADE = regex(
    r"(?:torch\.(?:\w*Tensor|(?:nn\.functional\.)?[a-z]\w*)|numpy\.[a-z]\w*|numpy\.random\.[a-z]\w*)(?:\(\)\.\w+)*"
)
# Functions of theirs that give something else, or whatever a file holds.
_OTHERS = regex(
    r"(?:torch|numpy)\.(?:load|compile|vmap|vectorize|frompyfunc|nditer|device|dtype|finfo|iinfo|no_grad"
    r"|set_grad_enabled|enable_grad|inference_mode|autocast|random\.default_rng)\b.*"
)
_DEEPEST = 6


def is_array(evaluator: Evaluator, node: ast.expr, frame: Frame, world: World, depth: int = 0) -> bool:
    """Whether an expression is a tensor or an array in every way that it may be come to."""
    if depth > _DEEPEST:
        return False
    match node:
        case ast.UnaryOp(operand=inner) | ast.Subscript(value=inner):
            return is_array(evaluator, inner, frame, world, depth + 1)
        case ast.BinOp(left=left, right=right):
            return any(is_array(evaluator, each, frame, world, depth + 1) for each in (left, right))
    evaluator.start()
    values = [value for value, _ in evaluator.values(node, Point(frame, None), world)]
    return bool(values) and all(
        isinstance(value, Made) and _is_made(evaluator, value, world, depth) for value in values
    )


def _is_made(evaluator: Evaluator, value: Made, world: World, depth: int) -> bool:
    if isinstance(value.node, ast.BinOp):  # which may also put two datasets together
        return is_array(evaluator, value.node, value.point.frame, world, depth + 1)
    return _MADE.fullmatch(value.name) is not None and _OTHERS.fullmatch(value.name) is None
