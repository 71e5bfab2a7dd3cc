"""What a rule is: one module of this package, read by name.

``dlNNN_some_name.py`` is the rule DLNNN ``some-name``. The module's docstring is its documentation page
(the first line is the summary), its function ``check`` goes from the program to what it found. Two
optional constants: ``ON_BY_DEFAULT = False`` for opinions, ``ONCE_PER_FILE = True`` for a rule whose
findings in a file are reported at the first place, with the count of the others.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.finding import ReachStep, Remedy

if TYPE_CHECKING:
    from dlint.program.program import Program
    from dlint.source.module import Module


class Found(NamedTuple):
    """What a rule hands to the engine: a place in a module and what is wrong there.

    ``kind`` tells the hazards of one rule apart where they are reported once a file each.
    """

    module: Module
    node: ast.expr | ast.stmt
    message: str
    reach: tuple[ReachStep, ...] = ()
    remedy: Remedy | None = None
    by_hand: str | None = None
    kind: str = ""


Check = Callable[["Program"], Iterator[Found]]


class Rule(NamedTuple):
    """A rule as the registry knows it; everything comes from its module."""

    code: str
    name: str
    summary: str
    documentation: str
    check: Check
    on_by_default: bool
    once_per_file: bool
