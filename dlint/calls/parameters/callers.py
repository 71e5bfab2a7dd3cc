"""The calls of a function that its parameters are looked for in."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from dlint.calls.many_callers import different_first
from dlint.source.statements import FunctionNode
from dlint.values.frame import Frame

if TYPE_CHECKING:
    from dlint.calls.interface import Evaluator
    from dlint.calls.site import Site

# Beyond so many callers one is also what nobody knows.
_FEW_CALLERS = 12
_MOST_CALLERS = 48
MOST_ASKED: Final = 6  # callers of callers
ANOTHER: Final = -1  # a caller that is none of the first


def callers_of(
    evaluator: Evaluator, scope: FunctionNode | ast.Lambda, frame: Frame
) -> tuple[list[tuple[int, Site]], bool]:
    """The calls of a function, each with its number, and whether these are all.

    Of many, those that look different come first, and those in tests after the others.
    """
    known = evaluator.sites
    found = known.of_lambda(scope, frame) if isinstance(scope, ast.Lambda) else known.of(scope, frame)
    sites = list(enumerate(found))
    if len(sites) > _FEW_CALLERS:
        sites = different_first(sites)
    return sites[:_MOST_CALLERS], len(sites) <= _MOST_CALLERS and known.are_all(scope)
