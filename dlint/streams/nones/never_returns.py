"""What ends the program, or always raises, so that control does not go on behind it."""

from __future__ import annotations

import ast
from functools import partial
from typing import TYPE_CHECKING

from dlint.source.statements import statements_in
from dlint.streams.nones.endings import NoReturn, endings
from dlint.values.frame import Frame, Point, arguments_of
from dlint.values.values import External, Function
from dlint.values.worlds import World

if TYPE_CHECKING:
    from dlint.calls.evaluator import Evaluator

_DEEPEST = 4  # calls followed to what ends the program
_EXITS = frozenset(
    {"sys.exit", "os._exit", "os.abort", "six.raise_from", "six.reraise", "builtins.exit", "builtins.quit"}
)


def never_returns(evaluator: Evaluator, frame: Frame, world: World, depth: int, statement: ast.stmt) -> bool:
    """Whether a statement calls what ends the program or always raises."""
    if not isinstance(statement, ast.Expr) or not isinstance(statement.value, ast.Call) or not depth:
        return False
    call, point = statement.value, Point(frame, statement)
    evaluator.start()
    for callee, _ in evaluator.values(call.func, point, world):
        if isinstance(callee, External) and callee.name in _EXITS:
            return True
        if isinstance(callee, Function) and isinstance(callee.node, ast.FunctionDef):
            body = callee.node.body
            if any(isinstance(inner, ast.Return) for inner in statements_in(body)):
                continue
            inner_frame = evaluator.calls.enter(callee, arguments_of(call, point), call, point)
            if not endings(body, partial(never_returns, evaluator, inner_frame, world, depth - 1)):
                return True
    return False


def never_in(evaluator: Evaluator, frame: Frame, world: World) -> NoReturn:
    """Which statements of a function never return."""
    return partial(never_returns, evaluator, frame, world, _DEEPEST)
