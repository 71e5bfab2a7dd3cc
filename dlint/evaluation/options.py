"""Options of command lines: what ``args.workers`` is where the user asks for nothing else.

A default is a known value that the user may change: both are possible. Only numbers and None are told, since
what is unknown is true or false already.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.source.module import Module
from dlint.values.values import Const, External, Key, Made, Value
from dlint.values.worlds import World

if TYPE_CHECKING:
    from dlint.evaluation.interface import Evaluator
    from dlint.values.outcomes import Outcome

_PARSED = "argparse.ArgumentParser().parse_args"


def option_of(value: Value) -> str | None:
    """The name of the option that a value is read from: whatever the user asks for."""
    if isinstance(value, External) and value.name.startswith(f"{_PARSED}()."):
        return value.name.rpartition(".")[2]
    return None


class Options:
    """The options that the program declares with ``add_argument``."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator
        self._declared: dict[tuple[int, str], ast.expr | None] = {}

    def value(self, made: Made, name: str, otherwise: External, world: World) -> list[Outcome]:
        """What an option may be: its default, or anything else."""
        if made.name != _PARSED:
            return []
        module = made.point.frame.module
        mark = (id(module), name)
        if mark not in self._declared:
            self._declared[mark] = _default(module, name)
        default = self._declared[mark]
        if not isinstance(default, ast.Constant) or type(default.value) not in (int, float, type(None)):
            return []
        choice: Key = ("which", ("option", made.key, name))
        possible: tuple[Value, ...] = (Const(default.value), otherwise)
        return [
            (value, world.assuming(choice, index))
            for index, value in enumerate(possible)
            if world.known(choice) in (None, index)
        ]


def _default(module: Module, name: str) -> ast.expr | None:
    """The default of an option that is declared once in a file; None where it says none."""
    found = list(_declarations(module, name))
    if len(found) != 1 or "set_defaults" in module.text:
        return None
    given = {keyword.arg: keyword.value for keyword in found[0].keywords}
    return None if None in given or "action" in given else given.get("default")


def _declarations(module: Module, name: str) -> Iterator[ast.Call]:
    """The calls of ``add_argument`` that declare the option which is kept under a name."""
    for trail in module.paths_to("add_argument", called=True):
        call = trail[-2] if len(trail) > 1 else None
        if isinstance(call, ast.Call) and call.func is trail[-1] and _kept_as(call) == name:
            yield call


def _kept_as(call: ast.Call) -> str | None:
    """The attribute under which argparse keeps what an ``add_argument`` declares."""
    for keyword in call.keywords:
        if keyword.arg == "dest":
            return str(keyword.value.value) if isinstance(keyword.value, ast.Constant) else None
    flags = [arg.value for arg in call.args if isinstance(arg, ast.Constant) and isinstance(arg.value, str)]
    long = [flag for flag in flags if flag.startswith("--")]
    name = (long or flags or [""])[0].lstrip("-")
    return name.replace("-", "_") if long or (flags and flags[0].startswith("-")) else name
