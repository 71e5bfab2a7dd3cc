"""Methods that nobody calls by name: an operator does, a builtin, or a text in which an object stands."""

from __future__ import annotations

import ast
from typing import Final, NamedTuple

_BINARY: Final[dict[type[ast.operator], str]] = {
    ast.Add: "add",
    ast.BitAnd: "and",
    ast.BitOr: "or",
    ast.BitXor: "xor",
    ast.Div: "truediv",
    ast.FloorDiv: "floordiv",
    ast.LShift: "lshift",
    ast.MatMult: "matmul",
    ast.Mod: "mod",
    ast.Mult: "mul",
    ast.Pow: "pow",
    ast.RShift: "rshift",
    ast.Sub: "sub",
}
_UNARY: Final[dict[type[ast.unaryop], str]] = {ast.Invert: "__invert__", ast.USub: "__neg__"}
_TEXT: Final = ("__str__", "__repr__")
# What builtins ask an object for: the first of these methods that it has.
_BUILTINS: Final[dict[str, tuple[str, ...]]] = {
    "abs": ("__abs__",),
    "bool": ("__bool__", "__len__"),
    "bytes": ("__bytes__",),
    "float": ("__float__",),
    "format": ("__format__", *_TEXT),
    "hash": ("__hash__",),
    "int": ("__int__",),
    "len": ("__len__",),
    "print": _TEXT,
    "repr": ("__repr__",),
    "reversed": ("__reversed__",),
    "round": ("__round__",),
    "str": _TEXT,
}


class Run(NamedTuple):
    """What may be run: the first of some methods that the object has, and what that is given."""

    holder: ast.expr
    methods: tuple[str, ...]
    given: tuple[ast.expr, ...] = ()


def runs(node: ast.AST) -> list[Run]:
    """The methods that an expression may run by an operator or a builtin, its parts left aside."""
    match node:
        case ast.Compare(left=left, ops=ops, comparators=comparators):
            pairs = zip([left, *comparators], ops, comparators, strict=False)
            return [
                Run(after, ("__contains__",), (before,))
                for before, op, after in pairs
                if isinstance(op, ast.In | ast.NotIn)
            ]
        case ast.BinOp(left=left, op=op, right=right):
            name = _BINARY[type(op)]
            return [Run(left, (f"__{name}__",), (right,)), Run(right, (f"__r{name}__",), (left,))]
        case ast.UnaryOp(op=sign, operand=operand) if type(sign) in _UNARY:
            return [Run(operand, (_UNARY[type(sign)],))]
        case ast.FormattedValue(value=value):
            # `!r` is 114, `!a` is 97, `!s` is 115.
            by_sign = {114: _TEXT[1:], 97: _TEXT[1:], 115: _TEXT}
            return [Run(value, by_sign.get(node.conversion, ("__format__", *_TEXT)))]
        case ast.Call(func=ast.Name(id=called), args=[first, *_]) if called in _BUILTINS:
            return [Run(first, _BUILTINS[called])]
    return []
