"""Strings whose text is known: what their methods give."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from dlint.regex import regex
from dlint.values.alike import told
from dlint.values.frame import Argument, Arguments, Point
from dlint.values.operators import joined
from dlint.values.outcomes import Outcome
from dlint.values.values import Const, External, Items, Partial, Unknown, Value
from dlint.values.worlds import World

if TYPE_CHECKING:
    from dlint.evaluation.interface import Evaluator

_PREFIX = "builtins.str."
_FORMAT = f"{_PREFIX}format"
_MOST_STRINGS = 8
_BRACE = regex(r"[{}]")
_METHODS = frozenset(
    {
        "capitalize",
        "casefold",
        "endswith",
        "format",
        "lower",
        "lstrip",
        "partition",
        "removeprefix",
        "removesuffix",
        "replace",
        "rpartition",
        "rsplit",
        "rstrip",
        "split",
        "startswith",
        "strip",
        "title",
        "upper",
    }
)


def method(base: Value, name: str) -> Value | None:
    """``base.name`` of such a string, as a callable that has its receiver already."""
    if name not in _METHODS or not (isinstance(base, Const) and isinstance(base.value, str)):
        return None
    return Partial(External(_PREFIX + name), Arguments([Argument(None, None, base)]))


def is_method(name: str) -> bool:
    """Whether a callable is one that :func:`method` gives."""
    return name.startswith(_PREFIX)


def called(
    evaluator: Evaluator, name: str, arguments: Arguments, node: ast.AST, point: Point, world: World
) -> list[Outcome]:
    """What such a method gives: ``split.lower()``, ``mode.startswith("train")``."""
    key = ("text", name, told(arguments, name) or (id(node), point.key))
    if name == _FORMAT:
        ends = _around_braces(arguments)
        return [(Unknown(key, text=ends, computed=True), world)]
    unknown = Unknown(key)
    if arguments.keywords or arguments.spread or arguments.splats:
        return [(unknown, world)]
    ways: list[tuple[list[Value], World]] = [([], world)]
    for argument in arguments.positional:
        ways = [([*given, value], v) for given, w in ways for value, v in evaluator.value_of(argument, w)]
    return [(_result(name.removeprefix(_PREFIX), given) or unknown, w) for given, w in ways]


def _around_braces(arguments: Arguments) -> tuple[str, str] | None:
    """How what ``"cuda:{}".format(rank)`` gives begins and ends."""
    pattern = arguments.positional[0].value if arguments.positional else None
    if not (isinstance(pattern, Const) and isinstance(pattern.value, str)):
        return None
    pieces = _BRACE.split(pattern.value)
    return (pieces[0], pieces[-1]) if pieces[0] or pieces[-1] else None


def _result(name: str, given: list[Value]) -> Value | None:
    plain = [_plain(value) for value in given]
    if None in plain:
        return None
    receiver, *rest = (each[0] for each in plain if each is not None)
    try:
        result = getattr(receiver, name)(*rest)
    except (AttributeError, TypeError, ValueError):
        return None
    if isinstance(result, list | tuple):
        return Items("list" if isinstance(result, list) else "tuple", tuple(map(Const, result)))
    return Const(result)


def _plain(value: Value) -> tuple[object] | None:
    """A constant, or a tuple of constants, as what it is."""
    if isinstance(value, Const):
        return (value.value,)
    if isinstance(value, Items) and value.kind == "tuple" and not value.open:
        items = [item.value for item in value.items if isinstance(item, Const)]
        return (tuple(items),) if len(items) == len(value.items) else None
    return None


def put_together(evaluator: Evaluator, node: ast.JoinedStr, point: Point, world: World) -> list[Outcome]:
    """What an f-string gives."""
    unknown: list[Outcome] = [(Unknown(("string", id(node), point.frame.key)), world)]
    ways: list[tuple[list[Value], World]] = [([], world)]
    for part in node.values:
        if isinstance(part, ast.FormattedValue):
            if part.format_spec is not None or part.conversion != -1:
                return unknown
            part = part.value
        ways = [([*given, value], v) for given, w in ways for value, v in evaluator.values(part, point, w)]
        if len(ways) > _MOST_STRINGS:
            return unknown
    return [(joined(list(map(_as_text, given)), "string"), w) for given, w in ways]


def _as_text(value: Value) -> Value:
    """What a value is as a part of a string."""
    if isinstance(value, Const):
        return Const(str(value.value))
    return value if isinstance(value, Unknown) else Unknown(("text of", value.key))
