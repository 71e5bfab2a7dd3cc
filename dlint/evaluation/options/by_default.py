"""How a part of a test comes out as long as the user asks for nothing: ``args.debug``, ``limit is None``."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from dlint.evaluation.options.option import is_asked_for
from dlint.values.values import Const, Value

if TYPE_CHECKING:
    from dlint.evaluation.interface import Evaluator
    from dlint.values.frame import Point

_COMPARED: dict[type[ast.cmpop], Callable[[Any, Any], object]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
    ast.In: lambda held, others: held in others,
    ast.NotIn: lambda held, others: held not in others,
}


def asked_by(part: ast.expr) -> ast.expr | None:
    """What a part of a test asks about: ``level``, ``level > 0``, ``kind in ("noise", "blur")``."""
    match part:
        case ast.Compare(left=left, ops=[op]) if type(op) in _COMPARED:
            part = left
    return part if isinstance(part, ast.Name | ast.Attribute) else None


def comes_out(part: ast.expr, held: Any) -> bool | None:
    """How a part of a test comes out for something; None where it is compared with what is not written out,
    or Python would raise."""
    if not isinstance(part, ast.Compare):
        return bool(held)
    try:
        return bool(_COMPARED[type(part.ops[0])](held, ast.literal_eval(part.comparators[0])))
    except (TypeError, ValueError):
        return None


def is_by_default(evaluator: Evaluator, part: ast.expr, wanted: bool, point: Point) -> bool:
    """Whether a part of a test comes out as ``wanted`` for all that it may be asked about, an option being
    its default: nobody who is seen to call the function passes another thing."""
    asked = asked_by(part)
    found: list[Value | None] = []
    if asked is not None:
        for value, world in evaluator.values(asked, point):
            found.append(evaluator.options.by_default(value, world) if is_asked_for(value) else value)
    return bool(found) and all(
        isinstance(held, Const) and comes_out(part, held.value) is wanted for held in found
    )
