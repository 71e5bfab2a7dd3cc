"""Arithmetic on abstract values, as far as it decides anything."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Sequence
from typing import Any, Final

from dlint.knowledge.names import PATH
from dlint.regex import regex
from dlint.values.frame import Argument, Arguments, Point
from dlint.values.values import Const, External, Instance, Items, Key, Made, Table, Unknown, Value

_OPERATORS: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.BitOr: operator.or_,
    ast.BitAnd: operator.and_,
}
_NUMBERS = (bool, int, float)
# What decides anything is no larger than this: characters of a string, bits of a number, things in a list.
_LONGEST = 10_000
_MOST_BITS = 256
_MOST_THINGS = 1_000
_MOST_REPEATED = 16
_CONVERSION = regex(r"%[sd]")

_METHODS: Final[dict[type[ast.operator], str]] = {
    ast.Add: "__add__",
    ast.BitAnd: "__and__",
    ast.BitOr: "__or__",
    ast.LShift: "__lshift__",
    ast.MatMult: "__matmul__",
    ast.Mult: "__mul__",
    ast.RShift: "__rshift__",
}


def method_of(operator: ast.operator) -> str | None:
    """The method by which an object takes something with it: ``steps | more``; None for arithmetic alone."""
    return _METHODS.get(type(operator))


def operate(node: ast.BinOp, left: Value, right: Value, point: Point) -> Value:
    """The value of ``left op right``."""
    if isinstance(left, Const) and isinstance(right, Const):
        return _constants(node, left.value, right.value)
    if isinstance(node.op, ast.Mult):
        for a, b in ((left, right), (right, left)):
            if isinstance(a, Const) and a.value == 0 and isinstance(b, Unknown):
                return Const(0)
    if isinstance(node.op, ast.Mult):
        for held, count in ((left, right), (right, left)):
            if isinstance(held, Items):
                return _repeated(held, count)
    if isinstance(node.op, ast.Add) and isinstance(left, Items) and isinstance(right, Items):
        items = left.items + right.items
        if len(items) > _MOST_THINGS:
            return Items(left.kind, tuple({item.key: item for item in items}.values())[:_MOST_THINGS], True)
        return Items(left.kind, items, left.open or right.open)
    if isinstance(node.op, ast.BitOr) and isinstance(left, Table) and isinstance(right, Table):
        return Table({**left.items, **right.items}, left.open or right.open)
    if isinstance(node.op, ast.Add | ast.Mult) and any(
        isinstance(side, Instance | Made) for side in (left, right)
    ):
        sides = [Argument(None, None, side) for side in (left, right)]
        word = "add" if isinstance(node.op, ast.Add) else "multiply"
        for side in (left, right):
            library = _array_library(side)
            if library is not None:
                return Made(f"{library}.{word}", node, Arguments(sides), point)
        # Datasets are joined with `+` and repeated with `*`, and nothing is a dataset and a number.
        if not (isinstance(node.op, ast.Add) and any(isinstance(side, Const) for side in (left, right))):
            return Made("torch.utils.data.ConcatDataset", node, Arguments(sides), point)
    if isinstance(node.op, ast.Div) and any(_is_path(side) for side in (left, right)):
        return Made(PATH, node, Arguments([Argument(None, None, side) for side in (left, right)]), point)
    mark = ("operation", type(node.op).__name__, left.key, right.key)
    return Unknown(mark, text=_text(node, left, right), computed=True)


def joined(parts: Sequence[Value], mark: Key) -> Value:
    """The string that some parts make together, each a string or unknown."""
    whole: Value = Const("")
    for part in parts:
        if isinstance(whole, Const) and isinstance(part, Const) and not any(map(_is_long, (whole, part))):
            whole = Const(whole.value + part.value)
        else:
            whole = Unknown((mark, whole.key, part.key), text=_around(whole, part), computed=True)
    return whole


def _is_long(text: Const) -> bool:
    return len(text.value) > _LONGEST


def _text(node: ast.BinOp, left: Value, right: Value) -> tuple[str, str] | None:
    """How a string that is not known begins and ends, or a path."""
    match node.op, left:
        case ast.Add(), _:
            return _around(left, right)
        case ast.Div(), _:  # nothing but a path is divided by a string
            return ("", _ends(right)[1]) if _ends(right)[1] else None
        case ast.Mod(), Const(value=str(pattern)):
            pieces = _CONVERSION.split(pattern)
            return (pieces[0], pieces[-1]) if len(pieces) > 1 else None
    return None


def _around(left: Value, right: Value) -> tuple[str, str] | None:
    (begin, inner), (outer, end) = _ends(left), _ends(right)
    if isinstance(left, Const):
        begin += outer
    if isinstance(right, Const):
        end = inner + end
    return (begin, end) if begin or end else None


def _ends(value: Value) -> tuple[str, str]:
    if isinstance(value, Const) and isinstance(value.value, str):
        return value.value, value.value
    return (value.text if isinstance(value, Unknown) else None) or ("", "")


def _array_library(value: Value) -> str | None:
    """The library whose array or tensor a value is, which counts with others, but joins no datasets."""
    if not isinstance(value, Made) or value.name.startswith("torch.utils.data."):
        return None
    library = value.name.partition(".")[0]
    return library if library in ("numpy", "torch") else None


def _is_path(value: Value) -> bool:
    return (
        value.is_path
        if isinstance(value, Unknown | External)
        else isinstance(value, Made) and value.name == PATH
    )


def _repeated(held: Items, count: Value) -> Items:
    """``[x] * n``: the same things, n times."""
    if not isinstance(count, Const) or not isinstance(count.value, int):
        return Items(held.kind, held.items, True)
    times = max(count.value, 0)
    if times * len(held.items) > _MOST_REPEATED:
        return Items(held.kind, held.items, True)
    return Items(held.kind, held.items * times, held.open)


def _constants(node: ast.BinOp, left: Any, right: Any) -> Value:
    function = _OPERATORS.get(type(node.op))
    numbers = isinstance(left, _NUMBERS) and isinstance(right, _NUMBERS)
    strings = isinstance(left, str) and isinstance(right, str) and isinstance(node.op, ast.Add)
    if any(_is_huge(side) for side in (left, right)):
        return Unknown(("operation", id(node)), computed=True)
    if function is not None and (numbers or strings):
        try:
            result = function(left, right)
        except (ArithmeticError, TypeError, ValueError):
            pass
        else:
            return Const(result)
    return Unknown(("operation", id(node)), text=_text(node, Const(left), Const(right)), computed=True)


def _is_huge(value: Any) -> bool:
    if isinstance(value, int):
        return value.bit_length() > _MOST_BITS
    return isinstance(value, str) and len(value) > _LONGEST


def negative(node: ast.UnaryOp, value: Value) -> Value:
    """The value of ``-x``, ``+x`` or ``~x``."""
    if isinstance(value, Const) and isinstance(value.value, _NUMBERS) and isinstance(node.op, ast.USub):
        return Const(-value.value)
    return Unknown(("sign", type(node.op).__name__, value.key), computed=True)
