"""What an option or a setting is called, and that it is its default or what the user asks for.

A default is a known value that the user may change: both are possible.
"""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from dlint.knowledge.commands import DECLARED_NUMBER, FILLS_FIELDS, FLAG, FROM_ENVIRONMENT, HYDRA, PARSED
from dlint.knowledge.loading import OPEN_SETTINGS
from dlint.regex import regex
from dlint.values.values import Const, External, Key, Value
from dlint.values.worlds import World

if TYPE_CHECKING:
    from dlint.values.outcomes import Outcome

# What a user asks for is called after the function that reads it, as what that function gives.
ASKED = "sys.argv"
_READ_BY = map(re.escape, (PARSED, ASKED, HYDRA, FROM_ENVIRONMENT, *sorted(FILLS_FIELDS)))
_ASKED = regex(rf"(?:{'|'.join(_READ_BY)})\(\)\.(?P<option>[\w.]+)")


def option_of(value: Value) -> str | None:
    """The name of the option that a value is read from: whatever the user asks for."""
    if not isinstance(value, External):
        return None
    if value.name.startswith(FLAG):
        return value.name.removeprefix(FLAG)
    if value.owner is not None and value.name == f"{DECLARED_NUMBER}().value":
        named = value.owner.arguments.positional[:1]
        declared = named[0].expression if named else None
        return str(declared.value) if isinstance(declared, ast.Constant) else None
    asked = _ASKED.fullmatch(value.name)
    return asked["option"] if asked is not None else None


def setting_of(value: Value) -> str | None:
    """The name of the setting that a value is read from: one that the project sets, and a user's file may
    change."""
    made = value.owner if isinstance(value, External) else None
    if not isinstance(value, External) or made is None or made.name not in OPEN_SETTINGS:
        return None
    name = value.name.removeprefix(f"{made.name}().")
    return name if all(part.isidentifier() for part in name.split(".")) else None


def is_asked_for(value: Value) -> bool:
    """Whether a value is that of an option or a setting, which the user may change."""
    return option_of(value) is not None or setting_of(value) is not None


def may_be(default: ast.expr | None, otherwise: External, choice: Key, world: World) -> list[Outcome]:
    """A default, or what the user asks for instead; nothing where the default is not written out."""
    if not isinstance(default, ast.Constant) or not is_told(default):
        return []
    possible: tuple[tuple[bool, Value], ...] = ((False, Const(default.value)), (True, otherwise))
    return [
        (value, world.assuming(choice, asked))
        for asked, value in possible
        if world.known(choice) in (None, asked)
    ]


def is_told(default: ast.expr | None) -> bool:
    """Whether a default is one that values tell: numbers and None, since what is unknown is true or false
    already."""
    return isinstance(default, ast.Constant) and type(default.value) in (int, float, type(None))
