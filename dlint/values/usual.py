"""How a test nearly always comes out, by what it asks alone: whether a number has gone wrong, whether there
is nothing, whether a batch is too small."""

from __future__ import annotations

import ast

from dlint.source.nodes import walk

_WRONG = frozenset({"isinf", "isnan"})
_RIGHT = frozenset({"isfinite"})
_SIZES = frozenset({"__len__", "len", "numel", "size"})
# Batches have more items than this but for one at the end.
_FEW = 4


def usually(test: ast.expr, wanted: bool) -> bool:
    """Whether a test nearly always comes out as ``wanted``: ``torch.isfinite(loss)``, ``not
    math.isnan(loss.item())``, ``batch is not None``, ``len(images) > 1``."""
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return usually(operand, not wanted)
        case ast.BoolOp(op=op, values=values):
            each = [usually(value, wanted) for value in values]
            return all(each) if isinstance(op, ast.And) is wanted else any(each)
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            return _comes_out(left, op, right) is wanted
        case ast.Call():
            return _of_wrong(test) is wanted
    return False


def _of_wrong(test: ast.Call) -> bool | None:
    """How a call nearly always comes out that asks for what is no number; None for any other."""
    called = {_name(node) for node in walk(test) if isinstance(node, ast.Call)}
    wrong, right = not called.isdisjoint(_WRONG), not called.isdisjoint(_RIGHT)
    return None if wrong is right else right


def _comes_out(left: ast.expr, op: ast.cmpop, right: ast.expr) -> bool | None:
    match right:
        case ast.Constant(value=None):
            return isinstance(op, ast.IsNot | ast.NotEq) if isinstance(op, _SAME) else None
        case ast.Constant(value=int(number)) if number <= _FEW and _is_size(left):
            if isinstance(op, ast.Lt | ast.LtE | ast.Eq):
                return False
            return True if isinstance(op, ast.Gt | ast.GtE | ast.NotEq) else None
        case ast.Name() if isinstance(op, ast.NotEq | ast.Eq) and ast.dump(left) == ast.dump(right):
            return isinstance(op, ast.Eq)  # only what is no number differs from itself
    return None


_SAME = (ast.Is, ast.IsNot, ast.Eq, ast.NotEq)


def _is_size(node: ast.expr) -> bool:
    """Whether an expression is how much something holds: ``len(x)``, ``x.size(0)``, ``x.shape[0]``."""
    match node:
        case ast.Subscript(value=ast.Attribute(attr="shape")):
            return True
        case ast.Call():
            return _name(node) in _SIZES
    return False


def _name(call: ast.Call) -> str:
    match call.func:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
    return ""
