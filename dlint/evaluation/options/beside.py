"""Defaults that stand beside what is read: ``cfg.get("workers", 0)``, ``getattr(args, "workers", 0)``."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, NamedTuple

from dlint.evaluation.interface import Evaluator
from dlint.knowledge.names import ENVIRONMENT
from dlint.values.values import Const, External, Key, Made, Unknown, Value

if TYPE_CHECKING:
    from dlint.values.outcomes import Outcome


_VARIABLE = "environment variable"
# How the words of what is unasked begin where a variable of the environment would say it.
BY_ENVIRONMENT = f"the {_VARIABLE} "


class Unasked(NamedTuple):
    """What a number that somebody may ask for is called, and what it is where nobody does, if that is
    known."""

    words: str
    default: Const | None


class _Read(NamedTuple):
    """What is read by a name, and the default that stands beside it."""

    kind: str
    name: str
    default: Const


class Beside:
    """What reads have beside them, by what they give."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator
        self._reads: dict[Key, _Read] = {}
        self._numbers: dict[Key, Key] = {}  # what is made a number, by the number
        self._alike: dict[str, bool] = {}

    def read(self, call: ast.Call, found: list[Outcome]) -> None:
        """Keeps the default that stands in a call, for what it gives."""
        asked = _name_and_default(call)
        if asked is None:
            return
        name, default = asked
        for value, _ in found:
            if isinstance(value, Unknown | External | Made):
                of_system = isinstance(value, Made) and value.name in ENVIRONMENT
                kind = _VARIABLE if of_system else "setting"
                self._reads.setdefault(value.key, _Read(kind, name, default))

    def as_number(self, value: Value) -> Value:
        """What ``int(value)`` is: an unknown number is what it was, a text is another thing than its number
        (``int(os.environ.get("WORKERS", "0"))``)."""
        read = self._reads.get(value.key)
        if isinstance(value, Unknown) and (read is None or not isinstance(read.default.value, str)):
            return value.as_number()
        number = Unknown(("int", value.key), is_number=True)
        self._numbers[number.key] = value.key
        return number

    def unasked(self, value: Value) -> Unasked | None:
        """What stands beside the reading of a value, or of what a number was made of. Where the program has
        different defaults beside one name the setting is one thing here, another there."""
        made_of = self._numbers.get(value.key)
        read = self._reads.get(value.key if made_of is None else made_of)
        if read is None:
            return None
        default: Const | None = read.default if self._is_one(read.name) else None
        if default is not None and made_of is not None:
            try:
                default = Const(int(default.value))
            except (TypeError, ValueError, OverflowError):
                default = None
        return Unasked(f"the {read.kind} {read.name}", default)

    def _is_one(self, name: str) -> bool:
        """Whether no two defaults stand beside a name anywhere, as the program's text has them."""
        if name not in self._alike:
            written = re.compile(
                rf"""\bget(?:attr\([^,()\n]+,|(?:env)?\()\s*(["']){re.escape(name)}\1"""
                r"""\s*(?:,\s*(?:default\s*=\s*)?([^,()\n]+?)\s*)?\)"""
            )
            defaults = {
                found[2] or "None"
                for text in self._evaluator.modules.index.texts(name)
                for found in written.finditer(text)
                if found[2] or not found[0].startswith("getattr")
            }
            self._alike[name] = len(defaults) <= 1
        return self._alike[name]


def _name_and_default(call: ast.Call) -> tuple[str, Const] | None:
    """What a call reads, and what it gives where that is not there."""
    if not 1 <= len(call.args) + len(call.keywords) <= 3:  # of most calls no more need be looked at
        return None
    given = [*call.args, *(each.value for each in call.keywords if each.arg == "default")]
    if len(given) != len(call.args) + len(call.keywords):
        return None
    match call.func, given:
        case (
            (ast.Attribute(attr="get" | "getenv") | ast.Name(id="getenv")),
            [ast.Constant(value=str(name)), *others],
        ):
            match others:
                case []:
                    return name, Const(None)
                case [ast.Constant(value=default)]:
                    return name, Const(default)
        case (ast.Name(id="getattr"), [_, ast.Constant(value=str(name)), ast.Constant(value=default)]):
            return name, Const(default)
    return None
