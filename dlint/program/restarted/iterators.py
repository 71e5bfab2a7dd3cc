"""Whether what a place goes through may be an iterator: that is gone on with, where others start anew."""

from __future__ import annotations

import ast

from dlint.calls.evaluator import Evaluator
from dlint.program.origins import of_attribute, of_name, returned
from dlint.source.statements import bare_name
from dlint.values.frame import Point
from dlint.values.functions import is_generator
from dlint.values.values import Function

# What gives an iterator, and what gives the one that it is given; by name: one of the program's own makes
# what it likes of it.
_MAKES = frozenset({"iter", "cycle"})
_SAME = frozenset({"tqdm", "closing", "nullcontext"})
# So many expressions are looked at before it is left open.
_MOST = 60


def may_be_iterator(evaluator: Evaluator, node: ast.expr, point: Point) -> bool:
    """Whether an expression may stand for an iterator: on some way to it stands ``iter(x)``, ``cycle(x)`` or
    the call of a generator, or there are too many to say."""
    waiting = [(node, point)]
    seen = set[tuple[int, int]]()
    while waiting:
        each, at = waiting.pop()
        if (id(each), at.frame.key) in seen:
            continue
        seen.add((id(each), at.frame.key))
        if len(seen) > _MOST:
            return True
        match each:
            case ast.Call(func=func, args=args):
                name = bare_name(func)
                if name in _MAKES:
                    return True
                if name in _SAME:
                    waiting += [(given, at) for given in args[:1]]
                for value, _ in evaluator.values(func, at):
                    if isinstance(value, Function) and isinstance(value.node, ast.FunctionDef):
                        if is_generator(value.node):
                            return True
                        waiting += returned(evaluator, value, value.node, each, at)
            case ast.Name(id=name):
                waiting += of_name(evaluator, name, at)
            case ast.Attribute():
                waiting += of_attribute(evaluator, each, at)
            case ast.Subscript(value=inner) | ast.Starred(value=inner) | ast.NamedExpr(value=inner):
                waiting.append((inner, at))
            case ast.ListComp(elt=inner) | ast.DictComp(value=inner) | ast.GeneratorExp(elt=inner):
                waiting.append((inner, at))
            case ast.IfExp(body=one, orelse=other):
                waiting += [(one, at), (other, at)]
            case (
                ast.BoolOp(values=parts)
                | ast.Tuple(elts=parts)
                | ast.List(elts=parts)
                | ast.Dict(values=parts)
            ):
                waiting += [(part, at) for part in parts]
    return False
