"""What gives the memory of what it is made of, and what a copy: of methods, attributes and indices."""

from __future__ import annotations

import ast

from dlint.knowledge.tensors import cast_to, reshapes, type_named
from dlint.source.statements import dotted
from dlint.streams.memory.places import Named

# More dimensions than anything has.
_UNKNOWN = 99
# What gives the same memory in another order, and what makes a copy of what is not in order: measured of
# storage pointers. NumPy's `flatten` always copies.
_REORDER = frozenset({"permute", "transpose", "swapaxes", "t", "T", "mT", "expand"})
# The place of the dimension among the arguments of what takes parts along one: along the first these are in
# order as well.
_ALONG = {"narrow": 0, "select": 0, "unbind": 0, "chunk": 1, "split": 1}
_IN_ORDER = frozenset({"contiguous", "flatten", "ravel", "reshape"})


def copies(known: Named, by: str) -> bool:
    """Whether something gives other memory than it is given, though it is called as what does not."""
    return (not known.in_order and by in _IN_ORDER) or (by == "flatten" and known.is_array is not False)


def is_in_order(by: str, args: list[ast.expr], keywords: list[ast.keyword]) -> bool:
    """Whether what something gives of memory in order is in order as well; ``args`` are those behind it."""
    if by not in _ALONG:
        return by not in _REORDER
    dims = [*args[_ALONG[by] :][:1], *(each.value for each in keywords if each.arg == "dim")]
    return all(isinstance(dim, ast.Constant) and dim.value == 0 for dim in dims)


def as_shaped(known: Named, by: str) -> Named:
    """What is left of a view's dimensions: nobody knows where something gives it another shape."""
    return known._replace(taken=known.taken + _UNKNOWN) if reshapes(by) else known


def is_plain(at: ast.expr) -> bool:
    """Whether an index surely takes a part, and gathers nothing: numbers, slices, keys."""
    match at:
        case ast.Slice():
            return True
        case ast.Tuple(elts=parts):
            return all(map(is_plain, parts))
        case ast.Constant(value=value):
            return value is None or value is ... or isinstance(value, int | str)
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant()):
            return True
    return False


def type_told(method: str, args: list[ast.expr], keywords: list[ast.keyword]) -> str | None:
    """The type that a method makes of a tensor's numbers: ``.long()``, ``.to(torch.int64)``."""
    match args, keywords:
        case [], []:
            return cast_to(method)
        case ([told], []) | ([], [ast.keyword(arg="dtype", value=told)]) if method in ("to", "type"):
            return type_named(dotted(told) or "")
    return None


def is_cpu(args: list[ast.expr], keywords: list[ast.keyword]) -> bool:
    match args:
        case [ast.Constant(value="cpu")]:
            return not any(keyword.arg == "copy" for keyword in keywords)
    return False
