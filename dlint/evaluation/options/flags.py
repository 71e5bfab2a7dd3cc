"""Flags of absl, by the calls that declare them: ``flags.DEFINE_integer("workers", 0, "...")``."""

from __future__ import annotations

import ast

from dlint.evaluation.options.beside import Unasked
from dlint.knowledge.commands import DECLARES_NUMBER
from dlint.project.modules import Modules
from dlint.source.declared_options import plain
from dlint.source.statements import given_by_name
from dlint.values.values import Const, Made


def flag(modules: Modules, name: str) -> Unasked | None:
    """A flag of absl that holds a number, by the one call that declares it."""
    found: list[Unasked] = []
    for module in modules.mentioning(DECLARES_NUMBER):
        for trail in module.paths_to(DECLARES_NUMBER, called=True):
            call = trail[-2]
            if isinstance(call, ast.Call) and _argument(call, 0, "name") == Const(name):
                found.append(Unasked(f"the option {name}", _argument(call, 1, "default")))
    return found[0] if len(found) == 1 else None


def default_in(declared: Made) -> ast.expr | None:
    """The default of a flag that is read of what declares it: ``WORKERS.value``."""
    given = declared.arguments
    default = given.keywords.get("default") or (given.positional[1] if len(given.positional) > 1 else None)
    return default.expression if default is not None else None


def _argument(call: ast.Call, place: int, name: str) -> Const | None:
    """What a call is given as a constant, by its place or its name."""
    named = given_by_name(call)
    held = plain(call.args[place] if len(call.args) > place else named.get(name))
    return Const(held.value) if held is not None else None
